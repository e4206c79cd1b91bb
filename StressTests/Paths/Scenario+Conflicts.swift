import StateGraph
import StateGraphTesting

// Transactions in each other's way, and transactions that wait.

extension Scenario {
  static let conflicts = [
    conflict, lastAttempt, replacedValues, twoVersions, turns, orderOfTurns, waiting,
    changedBeforeWaiting, memosAndCommits,
  ]

  /// Whether the body that asks runs for the first time.
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  private static let conflict = Scenario(
    "a body whose reads have changed runs again, and sees no mix of versions",
    [
      .keepsReplaced, .readsReplaced, .rollsBackOnConflict, .retriesAfterConflict, .takesTurn,
      .letsReplacedGo,
    ]
  ) {
    let log = EventLog<[Int]>()
    let a = Stored(1)
    let b = Stored(1)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    let target = Stored(0)
    require(await sum.value == 2)
    try await withGraphTransaction {
      let before = a.wrappedValue
      if isFirst {
        await outside {
          await withGraphTransaction {
            a.wrappedValue = 10
            b.wrappedValue = 10
          }
        }
      }
      log.record([before, b.wrappedValue, sum.wrappedValue])
      target.wrappedValue = before + b.wrappedValue
    }
    require(log.events == [[1, 1, 2], [10, 10, 20]], "seen: \(log.events)")
    require(await target.value == 20)
    require(await GraphActor.run { Graph.shared.replacedValueCount } == 0)
  }

  private static let lastAttempt = Scenario(
    "after the last attempt there is an error, and no write", [.usesUpAttempts]
  ) {
    let a = Stored(1)
    let target = Stored(0)
    do {
      try await withGraphTransaction(maximumAttempts: 1) {
        target.wrappedValue = a.wrappedValue
        await outside { await a.set(2) }
      }
      Scenario.fail("no error")
    } catch let error as GraphTransactionError {
      require(error.code == .conflict && error.attempts == 1)
    }
    require(await target.value == 0)
  }

  private static let replacedValues = Scenario(
    "only the values are kept that an open transaction can see", [.dropsReplaced]
  ) {
    let a = Stored(0)
    try await withGraphTransaction {
      guard isFirst else { return }
      require(a.wrappedValue == 0)
      await outside { for value in 1...10 { await a.set(value) } }
      require(a.wrappedValue == 0)
      require(Graph.shared.replacedValueCount == 1)
    }
  }

  private static let twoVersions = Scenario(
    "an older transaction inherits what a younger one has kept", [.handsReplacedOn]
  ) {
    let a = Stored(1)
    let b = Stored(1)
    try await withGraphTransaction {
      guard isFirst else { return }
      require(b.wrappedValue == 1)
      await outside {
        _ = try? await withGraphTransaction(maximumAttempts: 1) {
          require(a.wrappedValue == 1)
          await outside { await a.set(2) }
          require(a.wrappedValue == 1)
        }
      }
      require(a.wrappedValue == 1, "a value of another version")
    }
  }

  private static let turns = Scenario(
    "who has met a conflict gets a turn, the others wait",
    [.takesTurn, .waitsForTurn, .handsTurnOn, .waitsToBegin]
  ) {
    let a = Stored(0)
    let b = Stored(0)
    let c = Stored(0)
    let (first, second) = (Gate("first"), Gate("second"))
    let (waited, begun, handed) = (taken(.waitsForTurn), taken(.waitsToBegin), taken(.handsTurnOn))
    async let one: Void = withGraphTransaction {
      a.wrappedValue += 1
      if isFirst { await outside { await a.set(10) } } else { try await first.pass() }
    }
    try await first.arrivals(1)
    async let two: Void = withGraphTransaction {
      b.wrappedValue += 1
      if isFirst { await outside { await b.set(10) } } else { try await second.pass() }
    }
    await untilTaken(.waitsForTurn, since: waited)
    async let three: Void = withGraphTransaction {
      await Task.yield()
      c.wrappedValue += 1
    }
    await untilTaken(.waitsToBegin, since: begun)
    first.open()
    try await one
    await untilTaken(.handsTurnOn, since: handed)
    second.open()
    try await two
    try await three
    require(await [a.value, b.value, c.value] == [11, 11, 1])
  }

  private static let orderOfTurns = Scenario(
    "turns go to those who have met a conflict, in the order in which they came",
    [.takesTurn, .waitsForTurn, .handsTurnOn]
  ) { @GraphActor in
    var turns = Turns()
    let places = (0..<6).map { _ in Turns.Place() }
    for place in places { _ = turns.request(place, afterConflicts: 1) }
    // One who keeps its turn, one who asks again, and two who give up.
    require(turns.request(places[0], afterConflicts: 2))
    require(!turns.request(places[1], afterConflicts: 2))
    for place in [places[2], places[5]] { turns.leave(place) }
    for number in [0, 1, 3, 4] {
      require(!turns.isFree && turns.isTurn(of: places[number]), "not the turn of \(number)")
      turns.leave(places[number])
    }
    require(turns.isFree)
  }

  private static let waiting = Scenario(
    "a body that waits for what is not the case runs again when that has changed",
    [.waitsInside, .wakesFromWait]
  ) {
    let queue = Stored<[Int]>([])
    let before = taken(.waitsInside)
    async let first = withGraphTransaction {
      try await graphWait { !queue.wrappedValue.isEmpty }
      return queue.wrappedValue.removeFirst()
    }
    await untilTaken(.waitsInside, since: before)
    await queue.set([5, 6])
    require(try await first == 5)
    require(await queue.value == [6])
  }

  private static let changedBeforeWaiting = Scenario(
    "a change that came before the wait is not missed", [.missesNoChangeBeforeWait]
  ) {
    let a = Stored(0)
    let isReady = Box(true)
    try await withGraphTransaction {
      require(a.wrappedValue == 0 || !isReady.value)
      if isReady.value {
        isReady.value = false
        await outside { await a.set(1) }
      }
      try await graphWait { a.wrappedValue == 1 }
    }
  }

  private static let memosAndCommits = Scenario(
    "commits of others end what an async transaction knows of computed nodes", [.forgetsMemos]
  ) {
    let a = Stored(1)
    let b = Stored(1)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    require(await sum.value == 2)
    try await withGraphTransaction {
      guard isFirst else { return }
      a.wrappedValue = 10
      require(sum.wrappedValue == 11)
      await outside { await b.set(2) }
      require(sum.wrappedValue == 11)
    }
  }
}
