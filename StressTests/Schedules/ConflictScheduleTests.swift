import StateGraph
import StateGraphTesting
import Testing

/// Transactions that meet conflicts, read through `value`, beside readers outside of the actor.
@Suite struct ConflictScheduleTests {
  @Test func `two that each rely on what the other writes`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Conflicts.skewing(rounds: 2) }
    }
  }

  @Test func `two that each rely on what the other writes, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 2) {
        try await Conflicts.skewing(rounds: 1)
      }
    }
  }

  @Test func `retries against lone writes, with the handlers of every attempt`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Conflicts.retrying(writes: 2) }
    }
  }

  @Test func `an attempt that may not be repeated leaves nothing`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Conflicts.givingUp(3) }
    }
  }
}

/// Bodies with transactions that conflict.
private enum Conflicts {
  /// Write skew: both may not become odd.
  static func skewing(rounds: Int) async throws {
    let nodes = [Stored(0), Stored(0)]
    let areBothOdd = Computed { _ in nodes.allSatisfy { $0.wrappedValue % 2 == 1 } }
    try await withThrowingDiscardingTaskGroup { group in
      for place in 0..<2 {
        group.addTask {
          for _ in 0..<rounds {
            try await withGraphTransaction(maximumAttempts: 100) {
              let other = await nodes[1 - place].value
              guard other % 2 == 0 else { return }
              await Task.yield()
              nodes[place].wrappedValue += 1
            }
          }
        }
      }
      group.addTask {
        for _ in 0...rounds {
          let (one, two) = await GraphSnapshot.values(of: nodes[0], nodes[1])
          try Schedule.require(one % 2 == 0 || two % 2 == 0, "both are odd: \(one), \(two)")
          let seen = await areBothOdd.value
          try Schedule.require(!seen, "both are said to be odd")
          try Schedule.require(areBothOdd.committedValue != true, "both are odd, as committed")
        }
      }
    }
    let (one, two) = await GraphSnapshot.values(of: nodes[0], nodes[1])
    try Schedule.require(one % 2 == 0 || two % 2 == 0, "both are odd: \(one), \(two)")
    try Schedule.require(one + two > 0, "nobody got through")
  }

  /// Every attempt ends in exactly one handler, and what it has read fits together.
  static func retrying(writes: Int) async throws {
    let (source, copy) = (Stored(0), Stored("0"))
    let double = Computed { _ in source.wrappedValue * 2 }
    let outcomes = EventLog<String>()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { for value in 1...writes { await source.set(value) } }
      group.addTask {
        let attempts = try await withGraphTransaction(maximumAttempts: 100) {
          let attempt = GraphTransaction.current?.attempt ?? 0
          GraphTransaction.current?.onCommit { outcomes.record("commit") }
          GraphTransaction.current?.onRollback { outcomes.record("rollback") }
          let value = await source.value
          await Task.yield()
          let (again, twice) = await GraphSnapshot.values(of: source, double)
          try Schedule.require(again == value && twice == 2 * value, "\(value), \(again), \(twice)")
          copy.wrappedValue = "\(value)"
          return attempt
        }
        let expected = Array(repeating: "rollback", count: attempts - 1) + ["commit"]
        try Schedule.require(outcomes.events == expected, "\(outcomes.events), \(attempts)")
      }
      group.addTask {
        let first = Int(copy.committedValue) ?? -1
        await Schedule.yield()
        let second = await source.value
        try Schedule.require(second >= first, "the copy \(first) is newer than \(second)")
      }
    }
  }

  /// Increments of which only those count that did not throw.
  static func givingUp(_ count: Int) async throws {
    let (node, text) = (Stored(0), Stored("0"))
    let committed = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          do {
            try await withGraphTransaction(maximumAttempts: 1) {
              let value = await node.value
              await Task.yield()
              node.wrappedValue = value + 1
              text.wrappedValue = "\(value + 1)"
            }
            committed.record(number)
          } catch let error as GraphTransactionError {
            Schedule.note("\(number): \(error)")
          }
        }
      }
      group.addTask {
        let (one, two) = await GraphSnapshot.values(of: node, text)
        try Schedule.require(two == "\(one)", "half an attempt: \(one), \(two)")
      }
    }
    let total = await node.value
    try Schedule.require(total == committed.events.count, "\(total), \(committed.events)")
    try Schedule.require(total > 0, "nobody got through")
  }
}
