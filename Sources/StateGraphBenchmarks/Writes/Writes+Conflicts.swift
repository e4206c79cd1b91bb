import StateGraph
import Synchronization

extension Writes {
  /// Async transactions of several tasks that each read a node, let others in, and write it.
  static var concurrentTransactions: [Benchmark] {
    [1, 4, 16].flatMap { tasks in
      [false, true].filter { tasks > 1 || !$0 }.flatMap { isShared in
        let nodes = isShared ? "one node" : "own nodes"
        let name = "async transactions, \(tasks) \(tasks == 1 ? "task" : "tasks"), \(nodes)"
        return [
          Benchmark("writes", name, unit: .nanoseconds(per: "transaction")) {
            await compete(tasks, isShared: isShared, \.duration, $0)
          },
          Benchmark(
            "writes", name + ", attempts", unit: .count(of: "attempts", per: "transaction")
          ) {
            await compete(tasks, isShared: isShared, \.attempts, $0)
          },
        ]
      }
    }
  }

  /// What transactions that run side by side cost.
  private struct Competition {
    /// Nanoseconds for each transaction of all tasks together.
    var duration: Double
    /// Runs of the body for each transaction.
    var attempts: Double
  }

  /// Counts the runs of bodies.
  private final class Attempts: Sendable {
    let count = Atomic(0)
  }

  private static func compete(
    _ tasks: Int, isShared: Bool, _ result: @Sendable (Competition) -> Double, _ sampler: Sampler
  ) async -> Measurement {
    let count = sampler.size(2_000, quick: 20) / tasks
    return await sampler.collect {
      (result(await compete(tasks, transactions: max(1, count), isShared: isShared)), nil)
    }
  }

  private static func compete(
    _ tasks: Int, transactions: Int, isShared: Bool
  ) async -> Competition {
    let nodes = (0..<(isShared ? 1 : tasks)).map { _ in Stored(0) }
    let attempts = Attempts()
    let duration = await Crowd.time(tasks: tasks) { _ in
    } work: { task in
      let node = nodes[task % nodes.count]
      for _ in 0..<transactions {
        await commit {
          attempts.count.add(1, ordering: .relaxed)
          let value = node.wrappedValue
          await Task.yield()
          node.wrappedValue = value + 1
        }
      }
    }
    var sum = 0
    for node in nodes { sum += await node.value }
    let total = tasks * transactions
    check(sum, equals: total, "the sum of what was committed")
    return Competition(
      duration: duration.nanoseconds / Double(total),
      attempts: Double(attempts.count.load(ordering: .relaxed)) / Double(total))
  }
}
