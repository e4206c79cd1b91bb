import StateGraph
import StateGraphTesting

// Transactions in each other's way, and transactions that wait.

extension Scenario {
  static let conflicts = [
    conflict, lastAttempt, replacedValues, twoVersions, claims, orderOfClaims, patience, waiting,
    changedBeforeWaiting, memosAndCommits, atCommit,
  ]

  /// Whether the body that asks runs for the first time.
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  private static let conflict = Scenario(
    "a body whose reads have changed runs again, and sees no mix of versions",
    [
      .keepsReplaced, .readsReplaced, .rollsBackOnConflict, .retriesAfterConflict, .claimsNodes,
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

  private static let claims = Scenario(
    "who has met a conflict goes first on the nodes that it lost on, and nowhere else",
    [.claimsNodes, .waitsForClaim, .waitsToCommit, .endsClaim]
  ) {
    let (hot, other) = (Stored(0), Stored(0))
    let (first, second) = (Gate("first"), Gate("second"))
    let (queued, held) = (taken(.waitsForClaim), taken(.waitsToCommit))
    async let one: Void = withGraphTransaction {
      hot.wrappedValue += 1
      if isFirst { await outside { await hot.set(10) } } else { try await first.pass() }
    }
    try await first.arrivals(1)
    // It meets a conflict, and waits for its next attempt.
    async let two: Void = withGraphTransaction {
      hot.wrappedValue += 1
      if isFirst { await outside { await hot.set(20) } } else { try await second.pass() }
    }
    // It has met none, and waits before its commit; those that write elsewhere do not.
    async let three: Void = withGraphTransaction { () async in hot.wrappedValue = 30 }
    await untilTaken(.waitsForClaim, since: queued)
    await untilTaken(.waitsToCommit, since: held)
    try await withGraphTransaction {
      await Task.yield()
      other.wrappedValue += 1 + hot.wrappedValue * 0
    }
    first.open()
    second.open()
    _ = try await (one, two, three)
    require(await [hot.value, other.value].contains(1))
  }

  private static let orderOfClaims = Scenario(
    "claims go by the first conflict, on each node apart", []
  ) { @GraphActor in
    let nodes = (0..<3).map { Stored($0) }
    var claims = Claims<Stored<Int>>()
    let (old, middle, young) = (claims.begin(), claims.begin(), claims.begin())
    claims.extend(young, to: [nodes[0], nodes[1]], afterConflicts: 1)
    claims.extend(old, to: [nodes[1]], afterConflicts: 1)
    claims.extend(middle, to: [nodes[0]], afterConflicts: 1)
    require(claims.first(before: young, on: nodes) === old)
    require(claims.first(before: young, on: nodes, except: [old]) === middle)
    require(claims.first(before: middle, on: [nodes[0]]) == nil)
    require(claims.first(before: nil, on: [nodes[0]]) === middle)
    require(claims.first(before: nil, on: [nodes[2]]) == nil)
    claims.end(old)
    require(claims.first(before: young, on: [nodes[1]]) == nil)
    claims.end(middle)
    claims.end(young)
    require(claims.isEmpty)
  }

  private static let patience = Scenario(
    "nobody waits for ever for one attempt of another", [.losesPatience, .waitsToCommit]
  ) {
    let node = Stored(0)
    let written = Gate("written")
    try await withGraphTransaction {
      node.wrappedValue += 1
      if isFirst { return await outside { await node.set(10) } }
      guard GraphTransaction.current?.attempt == 2 else { return }
      // It waits for one that lets it go first.
      await outside {
        try? await withGraphTransaction { () async in node.wrappedValue = 20 }
        written.open()
      }
      try await written.pass()
    }
    require(await node.value == 21)
  }

  private static let atCommit = Scenario(
    "a closure of the committing step reads the newest value", [.callsAtCommit]
  ) {
    let (a, b) = (Stored(0), Stored(0))
    try await withGraphTransaction {
      b.wrappedValue = 1
      try GraphTransaction.current?.atCommit { a.wrappedValue += 1 }
      await outside { await a.set(10) }
    }
    require(await [a.value, b.value] == [11, 1])
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
    "after a commit of others, an async transaction checks again which cached values hold",
    [.forgetsVerified]
  ) {
    let a = Stored(1)
    let b = Stored(1)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    require(await sum.value == 2)
    try await withGraphTransaction {
      guard isFirst else { return }
      require(sum.wrappedValue == 2)
      await outside { await b.set(2) }
      require(sum.wrappedValue == 2)
    }
  }
}
