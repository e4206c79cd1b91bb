import StateGraph
import StateGraphTesting
import Testing

/// Transactions that await, from many tasks, over few nodes.
@Suite(.serialized) struct TransactionStressTests {
  private static let nodeCount = 8
  private static let taskCount = 16

  @Test func `increments of hot nodes are all counted, and nobody starves`() async throws {
    let nodes = (0..<Self.nodeCount).map { Stored(0, name: "hot \($0)") }
    let perTask = 320 * StressScale.factor
    let attempts = EventLog<Int>()
    try await withThrowingTaskGroup { group in
      for task in 0..<Self.taskCount {
        group.addTask {
          var random = SeededGenerator(seed: StressScale.seed &+ UInt64(task))
          for _ in 0..<perTask {
            let one = nodes[Int.random(in: 0..<Self.nodeCount, using: &random)]
            let two = nodes[Int.random(in: 0..<Self.nodeCount, using: &random)]
            let attempt = try await withGraphTransaction {
              let values = (one.wrappedValue, two.wrappedValue)
              await Task.yield()
              one.wrappedValue = values.0 + 1
              if two !== one { two.wrappedValue = values.1 + 1 } else { one.wrappedValue += 1 }
              return GraphTransaction.current?.attempt ?? 0
            }
            if attempt > 1 { attempts.record(attempt) }
          }
        }
      }
      try await group.waitForAll()
    }
    var sum = 0
    for node in nodes { sum += await node.value }
    #expect(sum == 2 * Self.taskCount * perTask)
    print("\(attempts.events.count) conflicts, at most \(attempts.events.max() ?? 1) attempts")
  }

  @Test func `long bodies get through among short ones that write what they read`() async throws {
    let nodes = (0..<Self.nodeCount).map { Stored(0, name: "hot \($0)") }
    let copies = (0..<3).map { _ in Stored(0) }
    let isOver = Stored(false)
    let attempts = EventLog<Int>()
    try await withThrowingTaskGroup { group in
      for task in 0..<13 {
        group.addTask {
          while !(await isOver.value) {
            let node = nodes[task % Self.nodeCount]
            try await withGraphTransaction {
              let value = node.wrappedValue
              await Task.yield()
              node.wrappedValue = value + 1
            }
          }
        }
      }
      group.addTask {
        try await withThrowingTaskGroup { long in
          for copy in copies {
            long.addTask {
              for _ in 0..<(4 * StressScale.factor) {
                let attempt = try await withGraphTransaction {
                  let before = nodes.reduce(0) { $0 + $1.wrappedValue }
                  for _ in 0..<500 { await Task.yield() }
                  #expect(nodes.reduce(0) { $0 + $1.wrappedValue } == before)
                  copy.wrappedValue = before
                  return GraphTransaction.current?.attempt ?? 0
                }
                attempts.record(attempt)
              }
            }
          }
          try await long.waitForAll()
        }
        await isOver.set(true)
      }
      try await group.waitForAll()
    }
    #expect(attempts.events.count == 12 * StressScale.factor)
    print("long bodies: at most \(attempts.events.max() ?? 0) attempts")
  }

  @Test func `readers of every kind see the constant sum of transfers`() async throws {
    let accounts = (0..<Self.nodeCount).map { _ in Stored(100) }
    let sum = Computed { _ in accounts.reduce(0) { $0 + $1.wrappedValue } }
    let total = 100 * Self.nodeCount
    let isOver = Stored(false)
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await withThrowingTaskGroup { writers in
          for task in 0..<4 {
            writers.addTask {
              var random = SeededGenerator(seed: StressScale.seed &+ UInt64(100 + task))
              for round in 0..<(100 * StressScale.factor) {
                let from = accounts[Int.random(in: 0..<Self.nodeCount, using: &random)]
                let to = accounts[Int.random(in: 0..<Self.nodeCount, using: &random)]
                let amount = Int.random(in: 1...10, using: &random)
                if round.isMultiple(of: 2) {
                  await withGraphTransaction {
                    from.wrappedValue -= amount
                    to.wrappedValue += amount
                  }
                } else {
                  try await withGraphTransaction {
                    from.wrappedValue -= amount
                    await Task.yield()
                    #expect(sum.wrappedValue == total - amount)
                    to.wrappedValue += amount
                    #expect(sum.wrappedValue == total)
                  }
                }
              }
            }
          }
          try await writers.waitForAll()
        }
        await isOver.set(true)
      }
      group.addTask {
        while !(await isOver.value) {
          #expect(await sum.value == total)
          let seen = try await withGraphTransaction(maximumAttempts: 1_000) {
            var seen = 0
            for account in accounts {
              seen += account.wrappedValue
              await Task.yield()
              // Also in an attempt that will be discarded.
              #expect(sum.wrappedValue == total)
            }
            return seen
          }
          #expect(seen == total)
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
  }
}
