import StateGraphTesting
import Synchronization
import Testing

@Suite struct RepetitionTests {
  @TaskLocal static var inherited = 0

  /// Three tasks that meet in an actor.
  @Sendable
  private static func body() async -> [Int] {
    let log = EventLog<Int>()
    let queue = Letters()
    await withDiscardingTaskGroup { group in
      for number in 1...3 {
        group.addTask {
          for _ in 0..<3 { await queue.append(number) }
          log.record(number)
        }
      }
    }
    return log.events
  }

  private final class Counter: Sendable {
    private let value = Atomic(0)

    /// Adds to the value and returns the new one.
    func add(_ number: Int) -> Int { value.add(number, ordering: .relaxed).newValue }
  }

  private actor Letters {
    var numbers: [Int] = []

    func append(_ number: Int) { numbers.append(number) }
  }

  @Test(arguments: [ScheduleStrategy.random, .pct(), .pct(changePoints: 5, length: 30)])
  func `two runs of one seed are the same run`(strategy: ScheduleStrategy) async throws {
    for seed in UInt64(0)..<20 {
      let first = try await withSeededSchedule(seed: seed, strategy: strategy, Self.body)
      let second = try await withSeededSchedule(seed: seed, strategy: strategy, Self.body)
      #expect(first.hash == second.hash)
      #expect(first.choices == second.choices)
      #expect(first.stepCount == second.stepCount)
      #expect(first.value == second.value)
    }
  }

  @Test(arguments: [ScheduleStrategy.random, .pct()])
  func `different seeds make different runs`(strategy: ScheduleStrategy) async throws {
    let orders = EventLog<[Int]>()
    let summary = try await withEverySchedule(upTo: 100, strategy: strategy) {
      orders.record(await Self.body())
    }
    #expect(summary.runCount == 100)
    #expect(summary.distinctCount > 20)
    #expect(Set(orders.events).count == 6)
  }

  @Test func `the choices of a run replay it`() async throws {
    for seed in UInt64(0)..<20 {
      let run = try await withSeededSchedule(seed: seed, Self.body)
      let strategy = ScheduleStrategy.replay(run.choices)
      let replay = try await withSeededSchedule(seed: seed, strategy: strategy, Self.body)
      #expect(replay.hash == run.hash)
    }
  }

  @Test func `a list that is too short goes on without switching`() async throws {
    let empty = try await withSeededSchedule(seed: 0, strategy: .replay([]), Self.body)
    let zeros = try await withSeededSchedule(seed: 0, strategy: .replay([0, 0, 0]), Self.body)
    #expect(empty.hash == zeros.hash)
    #expect(empty.value == [1, 2, 3])
    #expect(empty.choices.allSatisfy { $0 == 0 })
  }

  @Test func `a number that is too large takes the last step offered`() async throws {
    let large = try await withSeededSchedule(seed: 0, strategy: .replay([99]), Self.body)
    #expect(large.choices.first == 2)
  }

  @Test func `every seed can be made twice`() async throws {
    let runs = EventLog<Void>()
    let summary = try await withEverySchedule(upTo: 50, verifyingRepeatability: true) {
      runs.record(())
      _ = await Self.body()
    }
    #expect(summary.runCount == 50)
    #expect(runs.events.count == 100)
  }

  @Test func `a body that depends on an earlier run is reported`() async throws {
    let runs = Counter()
    let failure = await scheduleFailure {
      try await withEverySchedule(upTo: 50, verifyingRepeatability: true) {
        if runs.add(1) == 8 { await Schedule.yield() }
      }
    }
    #expect(failure?.code == .notRepeatable)
    #expect(failure?.seed == 3)
    #expect(failure?.description.contains("the runs have 1 and 2 steps") == true)
  }

  @Test func `a failure that does not come again is reported as that`() async throws {
    let runs = Counter()
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0) {
        try Schedule.require(runs.add(1) > 1, "first run")
      }
    }
    #expect(failure?.code == .notRepeatable)
    #expect(failure?.description.contains("first run") == true)
  }

  @Test func `the body's task inherits the caller's task-local values`() async throws {
    try await Self.$inherited.withValue(7) {
      let run = try await withSeededSchedule(seed: 0) {
        await withTaskGroup(of: Int.self) { group in
          group.addTask { Self.inherited }
          return await group.next()
        }
      }
      #expect(run.value == 7)
    }
  }

  @Test func `the seed is known in the run and nowhere else`() async throws {
    #expect(Schedule.seed == nil)
    #expect(!Schedule.isSeeded)
    let run = try await withSeededSchedule(seed: 11) { (Schedule.isSeeded, Schedule.seed) }
    #expect(run.value.0)
    #expect(run.value.1 == 11)
  }

  @Test func `one run is made at a time`() async throws {
    let current = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in UInt64(0)..<8 {
        group.addTask {
          try await withSeededSchedule(seed: seed) {
            try Schedule.require(current.add(1) == 1, "two runs at a time")
            for _ in 0..<10 { await Schedule.yield() }
            _ = current.add(-1)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
