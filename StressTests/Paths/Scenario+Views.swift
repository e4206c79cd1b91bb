import StateGraph
import StateGraphTesting

// What transactions see of computed nodes, of each other's writes, and of older versions.

extension Scenario {
  static let views = [
    severalWrites, equalWrite, newEdges, firstWriteEndsMemos, removalEndsMemos, newEdgesAreReached,
    runEndsMemos,
    sameNodeStaged, oneVersionInGroup, threeVersions, fewestValues, snapshotsInside,
  ]

  /// Whether the body that asks runs for the first time.
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  private static let severalWrites = Scenario(
    "computed nodes follow each of several staged writes", [.runsStaged]
  ) { @GraphActor in
    let (a, b) = (Stored(1), Stored(1))
    let both = Computed { _ in a.wrappedValue + b.wrappedValue }
    let last = Computed { _ in b.wrappedValue * 10 }
    require([both.wrappedValue, last.wrappedValue] == [2, 10])
    withGraphTransaction {
      a.wrappedValue = 2
      b.wrappedValue = 2
      require(last.wrappedValue == 20, "a staged write is not seen")
      require(both.wrappedValue == 4)
    }
  }

  private static let equalWrite = Scenario(
    "a staged write of the committed value makes nothing run", [.verifiesStaged]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let double = log.computed("double") { a.wrappedValue * 2 }
    require(double.wrappedValue == 2)
    _ = log.take()
    withGraphTransaction {
      a.wrappedValue = 1
      require(double.wrappedValue == 2)
    }
    require(log.take() == [])
  }

  private static let newEdges = Scenario(
    "a staged write reaches a node that is evaluated later", [.runsStaged]
  ) { @GraphActor in
    let log = EventLog<[Int]>()
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    let late = a.map { $0 * 10 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        withGraphTransaction {
          a.wrappedValue = 5
          log.record([double.wrappedValue, late.wrappedValue])
        }
      }
    }
    require(log.events.first == [10, 50], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let firstWriteEndsMemos = Scenario(
    "what was known before the first staged write does not outlast it", [.forgetsMemos]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    require(await double.value == 2)
    try await withGraphTransaction {
      await Task.yield()
      require(double.wrappedValue == 2)
      a.wrappedValue = 5
      require(double.wrappedValue == 10)
    }
    require(await double.value == 10)
  }

  private static let removalEndsMemos = Scenario(
    "what was known of a node that has gone says nothing of the next", [.forgetsMemos]
  ) {
    let a = Stored(1)
    try await withGraphTransaction {
      for factor in 1...4 {
        a.wrappedValue = factor
        do {
          let node = a.map { $0 * factor }
          require(node.wrappedValue == factor * factor)
        }
        await outside { await GraphActor.run {} }
        // Takes the place of the one that has gone.
        let other = a.map { $0 * 100 }
        require(other.wrappedValue == factor * 100)
      }
    }
  }

  private static let runEndsMemos = Scenario(
    "a value that others replace is not the one that a transaction has found current",
    [.forgetsVerified, .readsReplaced]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    require(await double.value == 2)
    try await withGraphTransaction {
      guard isFirst else { return }
      require(double.wrappedValue == 2)
      await outside { await a.set(2) }
      require(double.wrappedValue == 2)
      await outside { require(await double.value == 4) }
      require(double.wrappedValue == 2, "a value of another version")
    }
  }

  private static let newEdgesAreReached = Scenario(
    "what is evaluated for others gives a transaction new ways to its writes", [.forgetsReach]
  ) { @GraphActor in
    let (flag, source) = (Stored(false), Stored(0))
    let node = Computed { _ in flag.wrappedValue ? source.wrappedValue : -1 }
    let loader = AsyncComputed { await node.value }
    require(try await loader.value == -1)
    flag.wrappedValue = true
    withGraphTransaction {
      source.wrappedValue = 5
      require(node.wrappedValue == 5)
      // Its run begins, and reads the node for the committed graph.
      require(loader.state.isPending)
      require(node.wrappedValue == 5, "a committed value is seen beside a staged one")
    }
    require(node.wrappedValue == 5)
  }

  private static let sameNodeStaged = Scenario(
    "two transactions stage the same node, each for itself", [.readsOwnWrite, .stagesAgain]
  ) {
    let (a, b) = (Stored(0), Stored(0))
    let before = await latestVersion()
    try await withGraphTransaction {
      a.wrappedValue = 5
      await outside {
        try? await withGraphTransaction {
          b.wrappedValue = 1
          a.wrappedValue = 7
          await Task.yield()
          require(a.wrappedValue == 7)
        }
      }
      require(a.wrappedValue == 5 && a.committedValue == 7)
      a.wrappedValue += 1
      require(a.wrappedValue == 6)
    }
    require(await a.value == 6)
    require(await latestVersion() == before + 2)
  }

  private static let oneVersionInGroup = Scenario(
    "a transaction in a group is one version, whatever it reads before it writes",
    [.commitsManyWrites]
  ) { @GraphActor in
    let (source, a, b) = (Stored(1), Stored(0), Stored(0))
    let double = source.map { $0 * 2 }
    let before = Graph.shared.version
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        withGraphTransaction {
          a.wrappedValue = double.wrappedValue
          b.wrappedValue = double.wrappedValue + a.wrappedValue
          require(a.committedValue == 0 && b.committedValue == 0, "half a commit")
        }
      }
    }
    require(Graph.shared.version == before + 1)
    require(a.wrappedValue == 2 && b.wrappedValue == 4)
    tracking.cancel()
  }

  private static let threeVersions = Scenario(
    "transactions that began right after a write see it, and none that came later",
    [.keepsReplaced, .readsReplaced, .handsReplacedOn]
  ) {
    let (a, other) = (Stored(0), Stored(0))
    /// Sees one value of `a`, whatever the steps do meanwhile.
    @Sendable func seeing(_ value: Int, _ steps: @escaping @Sendable () async -> Void) async {
      _ = try? await withGraphTransaction(maximumAttempts: 1) {
        require(a.wrappedValue == value, "\(a.wrappedValue) at the version of \(value)")
        await outside { await steps() }
        require(a.wrappedValue == value, "\(a.wrappedValue) at the version of \(value)")
      }
    }
    await seeing(0) {
      await a.set(1)
      await seeing(1) {
        await other.set(1)
        await seeing(1) { await a.set(2) }
        await seeing(2) { await a.set(3) }
      }
      await seeing(3) {}
    }
    require(await GraphActor.run { Graph.shared.replacedValueCount } == 0)
  }

  private static let fewestValues = Scenario(
    "of a node that is written on, each open transaction has one value kept", [.dropsReplaced]
  ) {
    let a = Stored(0)
    try await withGraphTransaction {
      guard isFirst else { return }
      require(a.wrappedValue == 0)
      await outside {
        await a.set(1)
        _ = try? await withGraphTransaction(maximumAttempts: 1) {
          require(a.wrappedValue == 1)
          await outside { for value in 2...10 { await a.set(value) } }
          require(Graph.shared.replacedValueCount(of: a.id) == 2)
          require(a.wrappedValue == 1)
        }
        require(await GraphActor.run { Graph.shared.replacedValueCount(of: a.id) } == 1)
      }
      require(a.wrappedValue == 0)
    }
  }

  private static let snapshotsInside = Scenario(
    "snapshots in a transaction see what it has staged", [.visitsForSnapshot]
  ) {
    let (a, b) = (Stored(1), Stored(10))
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    require(await sum.value == 11)
    try await withGraphTransaction {
      a.wrappedValue = 2
      require(await GraphSnapshot.values(of: a, b) == (2, 10))
      require(await GraphSnapshot.values(of: a, b, b) == (2, 10, 10))
      require(await GraphSnapshot.values(of: a, b, a, b) == (2, 10, 2, 10))
      require(await GraphSnapshot.values(of: a, sum) == (2, 12))
      require(await a.value == 2)
      require(await sum.value == 12)
    }
  }
}
