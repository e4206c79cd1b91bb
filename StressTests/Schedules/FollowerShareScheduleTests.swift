import StateGraph
import StateGraphTesting
import Testing

/// Streams of nodes whose rules take long, in many schedules, on the clock of the run.
@Suite struct FollowerShareScheduleTests {
  @Test func `every consumer gets the last value, in order, a tenth of the time`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Self.follow(writes: 6) }
    }
  }

  private static func follow(writes: Int) async throws {
    let source = Stored(0)
    let runs = EventLog<Duration>()
    let clock = ScheduleClock()
    let slow = Computed { _ in
      Schedule.spend(.milliseconds(10))
      runs.record(clock.now.offset)
      return source.wrappedValue
    }
    let answered = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        Schedule.spend(.milliseconds(7))
        answered.record(source.wrappedValue)
      }
    }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        var latest = -1
        for await value in slow.values {
          try Schedule.require(value > latest, "\(value) after \(latest)")
          latest = value
          if value == writes { return }
        }
      }
      group.addTask {
        var latest = -1
        for await value in GraphTrackings({ () -> Int in
          Schedule.spend(.milliseconds(5))
          return source.wrappedValue
        }) {
          try Schedule.require(value >= latest, "\(value) after \(latest)")
          latest = value
          if value == writes { return }
        }
      }
      group.addTask {
        for value in 1...writes {
          await source.set(value)
          try await Task.sleep(for: .milliseconds(3), clock: clock)
        }
      }
    }
    await GraphActor.settle()
    try Schedule.require(
      answered.events.last == writes && answered.events == answered.events.sorted(),
      "the group has seen \(answered.events)")
    tracking.cancel()
    // One consumer: its first value, two before the rule is known to be slow, and then a tenth.
    let pauses = zip(runs.events, runs.events.dropFirst()).dropFirst(2).map { $1 - $0 }
    try Schedule.require(
      pauses.allSatisfy { $0 >= .milliseconds(90) }, "runs at \(runs.events)")
  }
}
