import StateGraphTesting
import Testing

@Suite struct ScheduleClockTests {
  @Test func `hours pass in no time`() async throws {
    let run = try await withSeededSchedule(seed: 0) {
      let clock = ScheduleClock()
      let begin = clock.now
      let realBegin = ContinuousClock.now
      for _ in 0..<10 { try await clock.sleep(for: .seconds(3_600)) }
      return (virtual: begin.duration(to: clock.now), real: realBegin.duration(to: .now))
    }
    #expect(run.value.virtual == .seconds(36_000))
    #expect(run.value.real < .seconds(60))
  }

  @Test func `the sleep that ends first ends first`() async throws {
    let summary = try await withEverySchedule(upTo: 10_000, strategy: .depthFirst()) {
      let sleepers = Gate("sleepers")
      let log = EventLog<Int>()
      try await withThrowingDiscardingTaskGroup { group in
        for seconds in [3, 1, 2] {
          group.addTask {
            try await sleepers.pass()
            try await ScheduleClock().sleep(for: .seconds(seconds))
            log.record(seconds)
          }
        }
        try await sleepers.arrivals(3)
        sleepers.open()
      }
      try Schedule.require(ScheduleClock().now.offset >= .seconds(3), "\(ScheduleClock().now)")
      try Schedule.require(log.events.count == 3, "\(log.events)")
    }
    #expect(summary.isExhaustive)
    let run = try await withSeededSchedule(seed: 0, strategy: .replay([])) {
      let log = EventLog<Int>()
      try await withThrowingDiscardingTaskGroup { group in
        for seconds in [3, 1, 2] {
          group.addTask {
            try await ScheduleClock().sleep(for: .seconds(seconds))
            log.record(seconds)
          }
        }
      }
      return log.events
    }
    #expect(run.value == [1, 2, 3])
  }

  @Test func `a time-out races with what it limits`() async throws {
    let winners = EventLog<String>()
    try await withEverySchedule(upTo: 100) {
      let winner = try await withThrowingTaskGroup(of: String.self) { group in
        group.addTask {
          await Schedule.yield()
          return "work"
        }
        group.addTask {
          try await Task.sleep(for: .seconds(1), clock: ScheduleClock())
          return "time-out"
        }
        defer { group.cancelAll() }
        return try await group.next() ?? "nobody"
      }
      winners.record(winner)
    }
    #expect(Set(winners.events) == ["work", "time-out"])
  }

  @Test func `a cancelled sleep throws at once`() async throws {
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(), cancelling: [.task("sleeper")]
    ) {
      async let sleeper: Bool = Schedule.named("sleeper") {
        do {
          try await ScheduleClock().sleep(for: .seconds(60))
          return true
        } catch is CancellationError {
          return false
        }
      }
      let hasSlept = try await sleeper
      let passed = ScheduleClock().now.offset
      try Schedule.require(hasSlept == (passed == .seconds(60)), "slept \(passed)")
    }
    #expect(summary.isExhaustive)
    #expect(summary.runCount == 2)
  }

  @Test func `outside of a run it is a continuous clock`() async throws {
    let clock = ScheduleClock()
    let begin = clock.now
    try await clock.sleep(for: .milliseconds(5))
    #expect(begin.duration(to: clock.now) >= .milliseconds(5))
  }
}
