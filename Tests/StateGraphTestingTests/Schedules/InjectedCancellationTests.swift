import StateGraphTesting
import Testing

@Suite struct InjectedCancellationTests {
  /// Steps that a task takes before it notices that it has been cancelled, at most ten.
  @Sendable
  private static func countToTen() async -> Int {
    var count = 0
    while !Task.isCancelled, count < 10 {
      count += 1
      await Schedule.yield()
    }
    return count
  }

  @Test(arguments: 1...12)
  func `a task is cancelled at a step`(step: Int) async throws {
    let run = try await withSeededSchedule(
      seed: 0, strategy: .replay([]), cancelling: [.task(1, atStep: step)]
    ) {
      await withTaskGroup(of: Int.self) { group in
        group.addTask(operation: Self.countToTen)
        return await group.next() ?? -1
      }
    }
    // The task is there from the second step on; a cancellation before that finds nobody.
    #expect(run.value == (step < 2 ? 10 : min(step - 2, 10)))
  }

  @Test func `the body is task number 0`() async throws {
    let run = try await withSeededSchedule(seed: 0, cancelling: [.task(0, atStep: 4)]) {
      await Self.countToTen()
    }
    #expect(run.value == 3)
  }

  @Test func `a cancellation without a step is tried at every moment`() async throws {
    let counts = EventLog<Int>()
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(), cancelling: [.task(0)]
    ) {
      counts.record(await Self.countToTen())
    }
    #expect(summary.isExhaustive)
    #expect(counts.events.sorted() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10])
  }

  @Test func `a task is cancelled while it waits`() async throws {
    let outcomes = EventLog<String>()
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(), cancelling: [.task(1)]
    ) {
      let gate = Gate("never opened")
      await withDiscardingTaskGroup { group in
        group.addTask {
          do {
            try await gate.pass()
          } catch {
            outcomes.record("\(type(of: error)) after \(gate.arrivalCount)")
          }
        }
        await Schedule.yield()
      }
    }
    #expect(summary.isExhaustive)
    #expect(Set(outcomes.events) == ["CancellationError after 1"])
  }

  @Test func `a task is cancelled by its name`() async throws {
    let run = try await withSeededSchedule(
      seed: 0, strategy: .replay([]), cancelling: [.task("two", atStep: 16)]
    ) {
      async let one = Schedule.named("one") { await Self.countToTen() }
      async let two = Schedule.named("two") { await Self.countToTen() }
      return await [one, two]
    }
    #expect(run.value[0] == 10)
    #expect(run.value[1] == 3)
  }

  @Test func `an async let without a name is out of reach while it waits`() async throws {
    let failure = await scheduleFailure {
      try await withEverySchedule(upTo: 100, strategy: .depthFirst(), cancelling: [.task(1)]) {
        let gate = Gate("never opened")
        async let waiter: Void = gate.pass()
        try? await waiter
      }
    }
    #expect(failure?.code == .stuck)
  }

  @Test func `a cancellation describes itself as the expression that makes it`() {
    #expect(ScheduleCancellation.task(3).description == ".task(3)")
    #expect(ScheduleCancellation.task(3, atStep: 7).description == ".task(3, atStep: 7)")
    #expect(ScheduleCancellation.task("a").description == ".task(\"a\")")
  }
}
