import StateGraph
import StateGraphTesting
import Testing

/// Tasks that a transaction has started, against its end.
@Suite struct OutlivingScheduleTests {
  @Test func `a task that outlives its transaction, against the commit or the rollback`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Outliving.outliving(reads: 3) }
    }
  }

  @Test func `a task that outlives its transaction, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 3) {
        try await Outliving.outliving(reads: 1)
      }
    }
  }

  @Test func `children that read and write with their siblings`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Outliving.joining(children: 3) }
    }
  }

  @Test func `children that join, against a cancellation`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore(cancelling: [.task("transaction")]) {
        try await Outliving.joining(children: 2)
      }
    }
  }
}

/// Bodies with transactions that start tasks.
private enum Outliving {
  private struct Refused: Error {}

  /// A late task sees the transaction's writes while it is open, and what came of them afterwards:
  /// after a commit, there is no moment between the two at which it sees neither.
  static func outliving(reads: Int) async throws {
    let (number, text, count) = (Stored(0), Stored("0"), Stored(0))
    // In every third run the transaction throws.
    let isRefused = Schedule.seed.map { $0 % 3 == 2 } ?? false
    let late = EventLog<Task<Int, any Error>>()
    do {
      try await withGraphTransaction {
        number.wrappedValue = 1
        text.wrappedValue = "1"
        let task = Task(executorPreference: Schedule.executor) {
          var lastUpdate = 0
          for _ in 0..<reads {
            let first = await number.value
            let second = await text.value
            let third = await GraphSnapshot.values(of: number, text)
            let seen = "\(first), \(second), \(third)"
            try Schedule.require(third.1 == "\(third.0)" && third.0 <= first, seen)
            try Schedule.require(first == 1 || second == "0", "the text came back: \(seen)")
            try Schedule.require(isRefused || (first == 1 && second == "1"), "undone: \(seen)")
            lastUpdate = await count.update { value in
              value += 1
              return value
            }
          }
          return lastUpdate
        }
        late.record(task)
        await Task.yield()
        if isRefused { throw Refused() }
      }
    } catch is Refused {}
    guard let task = late.events.first else { throw Refused() }
    let updates = try await task.value
    let rest = await GraphSnapshot.values(of: number, text, count)
    try Schedule.require(rest.0 == (isRefused ? 0 : 1), "\(rest)")
    // A rollback takes those updates with it that came before it.
    try Schedule.require(isRefused ? rest.2 <= reads : rest.2 == reads, "\(rest), \(updates)")
  }

  /// Children that take turns by reading each other's writes, and readers outside, who see all of
  /// them or none.
  static func joining(children: Int) async throws {
    let nodes = (0..<children).map { _ in Stored(0) }
    let sum = Computed { _ in nodes.reduce(0) { $0 + $1.wrappedValue } }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        await Schedule.named("transaction") {
          do {
            try await withGraphTransaction {
              try await withThrowingTaskGroup { siblings in
                for node in nodes {
                  siblings.addTask {
                    await node.set(1)
                    let own = await node.value
                    try Schedule.require(own == 1, "a child does not see its own write")
                    try Task.checkCancellation()
                    await node.update { $0 += 1 }
                  }
                }
                try await siblings.waitForAll()
              }
              let staged = await sum.value
              try Schedule.require(staged == 2 * children, "the staged sum is \(staged)")
            }
          } catch {
            // Only a cancellation may end it: what the children wrote is gone then.
            precondition(Task.isCancelled, "\(error)")
          }
        }
      }
      group.addTask {
        for _ in 0..<2 {
          let seen = await sum.value
          try Schedule.require(seen == 0 || seen == 2 * children, "half a commit: \(seen)")
          let (first, total) = await GraphSnapshot.values(of: nodes[0], sum)
          try Schedule.require(total == first * children, "half a commit: \(first), \(total)")
        }
      }
    }
    let rest = await sum.value
    try Schedule.require(rest == 0 || rest == 2 * children, "half a commit: \(rest)")
  }
}
