import StateGraph
import StateGraphTesting
import Testing

/// Claims, savepoints, alternatives and closures of the committing step, in many schedules.
@Suite struct TransactionScheduleTests {
  @Test func `transactions that all conflict get through after a few attempts`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Contention.transfer(tasks: 3) }
    }
  }

  @Test func `a counter that is incremented at the commit needs one attempt`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Contention.count(tasks: 3) }
    }
  }

  @Test func `savepoints of several child tasks undo their own assignments`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await SavepointTasks().run(tasks: 3) }
    }
  }

  @Test func `of two queues, each element is taken once`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Contention.takeFromEither(tasks: 2) }
    }
  }
}

private enum Contention {
  /// Each task moves one from a node to the next, by what it has read of both.
  static func transfer(tasks: Int) async throws {
    let nodes = (0..<tasks).map { _ in Stored(10) }
    let lost = PathCounts.count(of: .losesPatience)
    let attempts = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<tasks {
        group.addTask {
          let (source, target) = (nodes[number], nodes[(number + 1) % tasks])
          attempts.record(
            try await withGraphTransaction(maximumAttempts: 100) {
              let amount = await source.value
              await Task.yield()
              target.wrappedValue += 1
              source.wrappedValue = amount - 1
              return GraphTransaction.current?.attempt ?? 0
            })
        }
      }
    }
    for node in nodes { try Schedule.require(await node.value == 10) }
    // Two conflicts with younger ones, and one with each older one, unless somebody loses patience.
    let bound = 3 + tasks - 1 + (PathCounts.count(of: .losesPatience) - lost)
    try Schedule.require(
      attempts.events.allSatisfy { $0 <= bound }, "\(attempts.events), at most \(bound)")
    try Schedule.require(
      await GraphActor.run { !Graph.shared.hasClaims }, "a claim is left")
  }

  static func count(tasks: Int) async throws {
    let (counter, done) = (Stored(0), (0..<tasks).map { _ in Stored(0) })
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<tasks {
        group.addTask {
          try await withGraphTransaction(maximumAttempts: 1) {
            try GraphTransaction.current?.atCommit {
              counter.wrappedValue += 1
              done[number].wrappedValue = counter.wrappedValue
            }
            await Task.yield()
          }
        }
      }
    }
    try Schedule.require(await counter.value == tasks)
    var places: Set<Int> = []
    for node in done { places.insert(await node.value) }
    try Schedule.require(places == Set(1...tasks), "\(places)")
  }

  /// Takes from one queue, or else from the other, while both are filled.
  static func takeFromEither(tasks: Int) async throws {
    let queues = [Stored<[Int]>([]), Stored<[Int]>([])]
    let taken = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<tasks {
        group.addTask { await queues[number % 2].update { $0.append(number) } }
        group.addTask {
          let element = try await withGraphTransaction(maximumAttempts: 100) {
            do {
              return try await withGraphSavepoint { try await take(from: queues[0]) }
            } catch GraphTransactionError.waitInside {
              return try await take(from: queues[1])
            }
          }
          taken.record(element)
        }
      }
    }
    try Schedule.require(Set(taken.events) == Set(0..<tasks), "\(taken.events)")
    for queue in queues { try Schedule.require(await queue.value.isEmpty) }
  }

  @GraphActor
  private static func take(from queue: Stored<[Int]>) async throws -> Int {
    try await graphWait { !queue.wrappedValue.isEmpty }
    return queue.wrappedValue.removeFirst()
  }
}

/// Child tasks of one transaction that assign and undo.
///
/// A node has the latest assignment that has not been undone.
private final class SavepointTasks: Sendable {
  private struct Refused: Error {}

  private let nodes = (0..<2).map { _ in Stored(0) }
  /// The assignments of each node that have not been undone, each with its savepoints, the outermost
  /// first.
  @GraphActor private var assignments: [[(value: Int, savepoints: [Int])]] = [[], []]
  @GraphActor private var count = 0

  func run(tasks: Int) async throws {
    try await withGraphTransaction {
      try await withThrowingDiscardingTaskGroup { group in
        for number in 0..<tasks {
          group.addTask { try await self.step(depth: 0, in: [], seed: number) }
        }
      }
      try self.verify()
    }
    for (node, assignments) in zip(nodes, await assignments) {
      try Schedule.require(await node.value == assignments.last?.value ?? 0, "after the commit")
    }
  }

  /// Assigns, opens a savepoint in which the same happens, and assigns again.
  @GraphActor
  private func step(depth: Int, in savepoints: [Int], seed: Int) async throws {
    try assign(to: seed % 2, in: savepoints)
    await Task.yield()
    if depth < 2 {
      count += 1
      let inner = savepoints + [count]
      let isUndone = (seed + depth) % 3 != 0
      do {
        try await withGraphSavepoint {
          try await self.step(depth: depth + 1, in: inner, seed: seed + 1)
          if isUndone { throw Refused() }
        }
      } catch is Refused {
        for node in nodes.indices {
          assignments[node].removeAll { $0.savepoints.starts(with: inner) }
        }
      }
      try verify()
      await Task.yield()
    }
    try assign(to: (seed + depth) % 2, in: savepoints)
  }

  @GraphActor
  private func assign(to node: Int, in savepoints: [Int]) throws {
    count += 1
    nodes[node].wrappedValue = count
    assignments[node].append((count, savepoints))
    try verify()
  }

  @GraphActor
  private func verify() throws {
    let seen = nodes.map(\.wrappedValue)
    let expected = assignments.map { $0.last?.value ?? 0 }
    try Schedule.require(seen == expected, "\(seen) instead of \(expected)")
  }
}
