import StateGraphTesting
import Synchronization
import Testing

@Suite struct StrategyTests {
  /// Tasks that stop a number of times each.
  private static func stops(_ counts: [Int]) -> @Sendable () async -> Void {
    {
      await withDiscardingTaskGroup { group in
        for count in counts {
          group.addTask {
            for _ in 0..<count { await Schedule.yield() }
          }
        }
      }
    }
  }

  // Tasks with n + 1 steps each: the multinomial coefficients.
  @Test(arguments: [
    ([0, 0], 2), ([1, 1], 6), ([2, 2], 20), ([3, 3], 70), ([1, 3], 15), ([1, 1, 1], 90), ([0], 1),
  ])
  func `depth first makes every interleaving once`(counts: [Int], interleavings: Int) async throws {
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(), Self.stops(counts))
    #expect(summary.isExhaustive)
    #expect(summary.runCount == interleavings)
    #expect(summary.distinctCount == interleavings)
    #expect(summary.longest == counts.reduce(counts.count, +) + 2)
  }

  /// How many interleavings of two tasks with so many steps each switch away from a task that
  /// could go on at most so often.
  private func bounded(_ steps: [Int], _ interruptions: Int, last: Int? = nil) -> Int {
    if steps == [0, 0] { return 1 }
    var count = 0
    for task in [0, 1] where steps[task] > 0 {
      let isInterruption = last.map { $0 != task && steps[$0] > 0 } ?? false
      guard !isInterruption || interruptions > 0 else { continue }
      var rest = steps
      rest[task] -= 1
      count += bounded(rest, interruptions - (isInterruption ? 1 : 0), last: task)
    }
    return count
  }

  @Test(arguments: 0...5)
  func `a bound on interruptions leaves out the other interleavings`(bound: Int) async throws {
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(interruptions: bound), Self.stops([3, 3]))
    #expect(summary.isExhaustive)
    #expect(summary.runCount == bounded([4, 4], bound))
    #expect(summary.distinctCount == summary.runCount)
  }

  @Test func `a tree that is larger than the limit is not called exhausted`() async throws {
    let summary = try await withEverySchedule(
      upTo: 50, strategy: .depthFirst(), Self.stops([3, 3]))
    #expect(!summary.isExhaustive)
    #expect(summary.runCount == 50)
    #expect(summary.distinctCount == 50)
    #expect(
      summary.description
        == "50 runs, 50 distinct schedules, at most 10 steps, 500 steps in all")
  }

  private final class Position: Sendable {
    let value = Mutex((long: 0, start: 0, end: 0))
  }

  /// A long task that must not be interrupted in the middle by a whole short one.
  @Sendable
  private static func depthTwo() async throws {
    let position = Position()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for _ in 0..<60 {
          position.value.withLock { $0.long += 1 }
          await Schedule.yield()
        }
      }
      group.addTask {
        position.value.withLock { $0.start = $0.long }
        for _ in 0..<5 { await Schedule.yield() }
        position.value.withLock { $0.end = $0.long }
      }
    }
    let (start, end) = position.value.withLock { ($0.start, $0.end) }
    try Schedule.require(start != 40 || end != 40, "in the middle")
  }

  @Test func `priorities find a fault of depth two that chance does not`() async throws {
    try await withEverySchedule(upTo: 1_000, strategy: .random, Self.depthTwo)
    let failure = await scheduleFailure {
      try await withEverySchedule(upTo: 1_000, strategy: .pct(changePoints: 1), Self.depthTwo)
    }
    #expect(failure?.code == .bodyFailed)
    #expect(failure?.choices.count { $0 != 0 } == 1)
    #expect(failure?.strategy.description.hasPrefix(".pct(changePoints: 1, length: 6") == true)
  }

  @Test(arguments: [ScheduleStrategy.random, .pct(), .replay([]), .replay([1])])
  func `a loop that asks again and again comes to an end`(strategy: ScheduleStrategy) async throws {
    try await withEverySchedule(upTo: 20, strategy: strategy, maximumSteps: 5_000) {
      let log = EventLog<Int>()
      await withDiscardingTaskGroup { group in
        group.addTask { while log.events.count < 20 { await Schedule.yield() } }
        group.addTask { while log.events.count < 20 { await Task.yield() } }
        group.addTask {
          for number in 1...20 {
            await Schedule.yield()
            log.record(number)
          }
        }
      }
    }
  }

  @Test func `a strategy describes itself as the expression that makes it`() {
    #expect(ScheduleStrategy.random.description == ".random")
    #expect(ScheduleStrategy.pct().description == ".pct(changePoints: 2)")
    #expect(
      ScheduleStrategy.pct(changePoints: 1, length: 9).description
        == ".pct(changePoints: 1, length: 9)")
    #expect(ScheduleStrategy.depthFirst().description == ".depthFirst()")
    #expect(
      ScheduleStrategy.depthFirst(interruptions: 2).description
        == ".depthFirst(interruptions: 2)")
    #expect(ScheduleStrategy.replay([0, 2]).description == ".replay([0, 2])")
  }

  @Test func `a loop stops when its task is cancelled`() async throws {
    let hasBegun = Gate("the first run")
    let task = Task {
      try await withEverySchedule(upTo: .max) { hasBegun.open() }
    }
    try await hasBegun.pass()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
