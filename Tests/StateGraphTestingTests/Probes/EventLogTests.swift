import StateGraphTesting
import Testing

@Suite struct EventLogTests {
  @Test func `events are in the order in which they were recorded`() {
    let log = EventLog<String>()
    log.record("a")
    log.record("b")
    log.record("a")
    #expect(log.events == ["a", "b", "a"])
    #expect(log.happened("a", before: "b"))
    #expect(!log.happened("b", before: "a"))
    #expect(!log.happened("b", before: "c"))
    #expect(log.take() == ["a", "b", "a"])
    #expect(log.events.isEmpty)
  }

  @Test func `nothing is lost between tasks`() async {
    let log = EventLog<Int>()
    await withDiscardingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<1_000 { log.record(task * 1_000 + number) }
        }
      }
    }
    let events = log.events
    #expect(events.sorted() == Array(0..<8_000))
    for task in 0..<8 {
      let own = events.filter { $0 / 1_000 == task }
      #expect(own == own.sorted())
    }
  }

  @Test func `a task waits for an event`() async throws {
    let log = EventLog<String>()
    async let wait: Void = log.wait(for: "done")
    log.record("begun")
    log.record("done")
    try await wait
    try await log.wait { $0.count == 2 }
  }

  @Test func `a wait that is cancelled throws`() async throws {
    let log = EventLog<String>()
    let task = Task { try await log.wait(for: "never") }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `events appear in the report of a failure`() async throws {
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0) {
        let log = EventLog<String>()
        log.record("the last thing that was done")
        try Schedule.require(false)
      }
    }
    #expect(failure?.description.contains("          the last thing that was done") == true)
  }
}
