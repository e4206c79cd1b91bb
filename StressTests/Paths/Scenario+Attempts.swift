import StateGraph
import StateGraphTesting

// What counts as read, what ends an attempt, and what is called afterwards.

extension Scenario {
  static let attempts = [
    readThroughComputed, readByComparison, caughtWait, alternative, madeAsync, waitsForAsyncNode,
    cancelledBetween,
    handlersInOrder, handlersUntracked, currentAfterEnd, followersOfCommit, streamsFollow,
    staleStream, deliveryElsewhere,
  ]

  private struct Refused: Error {}

  /// Whether the body that asks runs for the first time.
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  private static let readThroughComputed = Scenario(
    "who reads a computed node has read its sources", [.rollsBackOnConflict]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    let target = Stored(0)
    require(await double.value == 2)
    try await withGraphTransaction {
      let seen = double.wrappedValue
      if isFirst { await outside { await a.set(2) } }
      target.wrappedValue = seen
    }
    require(await target.value == 4, "a change of what was read went unnoticed")
  }

  private static let readByComparison = Scenario(
    "what a comparison reads at the end of a transaction, the transaction has read",
    [.rollsBackOnConflict]
  ) {
    let tolerance = Stored(10)
    let node = Stored(0) { old, new in abs(old - new) < tolerance.wrappedValue }
    try await withGraphTransaction {
      node.wrappedValue = 5
      if isFirst { await outside { await tolerance.set(1) } }
    }
    require(await node.value == 5, "dropped as equal by a tolerance that was none any more")
  }

  private static let caughtWait = Scenario(
    "a body that goes on after a wait in vain commits nothing, and throws", [.findsCaughtWait]
  ) {
    let (a, b) = (Stored(0), Stored(0))
    do {
      try await withGraphTransaction {
        try? await graphWait { a.wrappedValue == 1 }
        b.wrappedValue += 1
      }
      Scenario.fail("no error")
    } catch GraphTransactionError.caughtWait {}
    require(await b.value == 0)
  }

  private static let alternative = Scenario(
    "what a savepoint has staged before a wait in vain is undone, and the alternative is committed",
    [.opensSavepoint, .undoesSavepoint]
  ) {
    let (a, b) = (Stored(0), Stored(0))
    try await withGraphTransaction {
      do {
        try await withGraphSavepoint {
          b.wrappedValue = 1
          try await graphWait { a.wrappedValue == 1 }
        }
      } catch GraphTransactionError.waitInside {
        require(b.wrappedValue == 0)
        b.wrappedValue = 2
      }
    }
    require(await b.value == 2)
  }

  private static let madeAsync = Scenario(
    "a transaction waits for an async node that it has made", [.awaitsMadeAsync]
  ) {
    let a = Stored(1)
    let result = try await withGraphTransaction {
      try await AsyncComputed { await a.value * 2 }.value
    }
    require(result == 2)
  }

  private static let waitsForAsyncNode = Scenario(
    "a body that awaits a pending async node wants its result, and runs again with it",
    [.waitsInside, .wakesFromWait, .restartsAsyncRun]
  ) {
    let gate = Gate("rule")
    let a = Stored(1)
    let node = AsyncComputed {
      let value = await a.value
      try await gate.pass()
      return value * 10
    }
    let before = taken(.waitsInside)
    async let result = withGraphTransaction { try await node.value }
    await untilTaken(.waitsInside, since: before)
    try await gate.arrivals(1)
    // Nobody but the transaction makes another run follow.
    await a.set(2)
    try await gate.arrivals(2)
    gate.open()
    require(try await result == 20)
  }

  private static let cancelledBetween = Scenario(
    "a task that was cancelled makes no further attempt", [.rollsBackOnConflict]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let task = Task {
      try await withGraphTransaction {
        log.record(a.wrappedValue)
        await outside { await a.set(1) }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    do {
      try await task.value
      Scenario.fail("no error")
    } catch is CancellationError {}
    require(log.events == [0])
  }

  private static let handlersInOrder = Scenario(
    "the handlers of a transaction are called in their order, outside of it", [.rollsBackOnError]
  ) {
    let log = EventLog<String>()
    let a = Stored(0)
    for fails in [false, true] {
      do {
        try await withGraphTransaction {
          a.wrappedValue += 1
          let current = GraphTransaction.current
          for number in 1...3 {
            current?.onCommit { log.record("commit \(number) \(a.wrappedValue)") }
            current?.onRollback { log.record("rollback \(number) \(a.wrappedValue)") }
          }
          await Task.yield()
          if fails { throw Refused() }
        }
      } catch is Refused {}
    }
    require(
      log.events == [
        "commit 1 1", "commit 2 1", "commit 3 1", "rollback 1 1", "rollback 2 1", "rollback 3 1",
      ], "seen: \(log.events)")
  }

  private static let handlersUntracked = Scenario(
    "what a handler of a transaction reads is no dependency of the group that has opened it",
    [.suspendsTracking]
  ) {
    let log = EventLog<Int>()
    let (a, b, target) = (Stored(0), Stored(0), Stored(0))
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = a.wrappedValue
        log.record(value)
        withGraphTransaction {
          target.wrappedValue = value
          GraphTransaction.current?.onCommit { _ = b.wrappedValue }
        }
      }
    }
    await b.set(1)
    await GraphActor.settle()
    require(log.events == [0], "seen: \(log.events)")
    await a.set(1)
    await GraphActor.settle()
    require(log.events == [0, 1])
    tracking.cancel()
  }

  private static let currentAfterEnd = Scenario(
    "a task that outlives its transaction is in none", [.commitsOneWrite]
  ) {
    let a = Stored(0)
    let isOver = Gate("the transaction is over")
    let late = Box<Task<Bool, any Error>?>(nil)
    try await withGraphTransaction {
      await Task.yield()
      a.wrappedValue = 1
      late.value = Task {
        try await isOver.pass()
        return GraphTransaction.current == nil
      }
    }
    isOver.open()
    require(try await late.value?.value == true)
  }

  private static let followersOfCommit = Scenario(
    "who saw what a transaction has taken back looks again after the commit",
    [.makesFollowersLook]
  ) {
    let log = EventLog<Int>()
    let (a, b) = (Stored(1), Stored(0))
    let tracking = await GraphActor.run {
      withGraphTransaction {
        a.wrappedValue = 5
        let tracking = withGraphTracking { withGraphTrackingGroup { log.record(a.wrappedValue) } }
        a.wrappedValue = 1
        b.wrappedValue = 1
        return tracking
      }
    }
    await GraphActor.settle()
    require(log.events == [5, 1], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let streamsFollow = Scenario(
    "streams that began in a transaction look again after a rollback", [.makesFollowersLook]
  ) {
    let (values, sums) = (EventLog<Int>(), EventLog<Int>())
    let a = Stored(1)
    let consumers = Box<[Task<Void, Never>]>([])
    do {
      try await withGraphTransaction {
        a.wrappedValue = 5
        consumers.value = [
          Task { for await value in a.values { values.record(value) } },
          Task { for await sum in GraphTrackings({ a.wrappedValue + 100 }) { sums.record(sum) } },
        ]
        try await values.wait(for: 5)
        try await sums.wait(for: 105)
        throw Refused()
      }
    } catch is Refused {}
    try await values.wait(for: 1)
    try await sums.wait(for: 101)
    for consumer in consumers.value {
      consumer.cancel()
      await consumer.value
    }
  }

  private static let staleStream = Scenario(
    "a stream that begins in a transaction hears of later commits", [.startsStream]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    require(await double.value == 2)
    await a.set(2)
    let consumer = Box<Task<Void, Never>?>(nil)
    try await withGraphTransaction {
      a.wrappedValue = 3
      consumer.value = Task { for await value in double.values { log.record(value) } }
      try await log.wait(for: 6)
      require(Graph.shared.brokenInvariants() == [])
    }
    await a.set(10)
    try await log.wait(for: 20)
    consumer.value?.cancel()
    await consumer.value?.value
    require(log.events == [6, 20], "seen: \(log.events)")
  }

  private static let deliveryElsewhere = Scenario(
    "a handler elsewhere is in no transaction, although one has made its map",
    [.deliversElsewhere]
  ) {
    let log = EventLog<String>()
    let a = Stored(1)
    let tracking = Box<GraphCancellable?>(nil)
    try await withGraphTransaction {
      await Task.yield()
      a.wrappedValue = 5
      tracking.value = withGraphTracking {
        withGraphTrackingMap {
          a.wrappedValue
        } onChange: { @MainActor value in
          log.record("\(value) \(GraphTransaction.current == nil)")
        }
      }
      try await log.wait { !$0.isEmpty }
    }
    require(log.events == ["5 true"], "seen: \(log.events)")
    tracking.value?.cancel()
  }
}
