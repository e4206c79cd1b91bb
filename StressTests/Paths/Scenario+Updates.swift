import StateGraph
import StateGraphTesting

// Updates: of a copy, in place, and of what a transaction has staged.

extension Scenario {
  static let updates = [
    copies, inPlace, marksBefore, keepsCommitted, neededByTransaction, withHandler, inTransaction,
    inPlaceInTransaction, throwingInPlace, throwingUpdate, throwingStaged, writesOthers,
    unsafeChanges,
  ]

  private static func large() -> [Int] { Array(0..<1_000) }

  private struct Refused: Error {}

  private static let copies = Scenario(
    "an update of a copy is compared", [.updatesCopy, .cutOffAtSource]
  ) {
    for size in [2, 1_000] {
      let node = Stored(Array((0..<size).reversed()))
      await node.update { $0.sort() }
      let before = await latestVersion()
      await node.update { $0.sort() }
      require(await node.value == Array(0..<size))
      require(await latestVersion() == before)
    }
  }

  private static let inPlace = Scenario(
    "an update in place copies nothing, and is a commit", [.updatesInPlace]
  ) {
    let node = StoredInPlace(large())
    let place = await node.update { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    for value in 1...4 {
      let before = await latestVersion()
      await node.update { $0[0] = value }
      require(await latestVersion() == before + 1)
      require(await node.value[0] == value)
    }
    let placeAfterwards = await node.update {
      $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
    require(place == placeAfterwards, "the array was copied")
  }

  private static let marksBefore = Scenario(
    "what depends on a node is not current while the node is changed in place",
    [.updatesInPlace, .marksDirty]
  ) {
    let node = StoredInPlace(large())
    let first = node.map { $0[0] }
    require(await first.value == 0)
    let marks = taken(.marksDirty)
    await node.update { array in
      require(!PathCounts.areKept || taken(.marksDirty) > marks, "the cache could be read")
      array[0] = 1
    }
    require(await first.value == 1)
  }

  private static let keepsCommitted = Scenario(
    "the committed value can be read while an update is under way", [.updatesCopy, .readsBox]
  ) {
    let node = Stored(large())
    for value in 1...4 {
      await node.update { array in
        array[0] = value
        require(node.committedValue[0] == value - 1)
        require(node.wrappedValue[0] == value - 1)
      }
      require(node.committedValue[0] == value)
    }
  }

  private static let neededByTransaction = Scenario(
    "an update leaves an open transaction the value of its version",
    [.readsReplaced, .updatesInPlace, .keepsReplaced]
  ) {
    let node = StoredInPlace(large())
    let copied = Stored(large())
    try await withGraphTransaction {
      guard GraphTransaction.current?.attempt == 1 else { return }
      await outside {
        await node.update { $0[0] = 1 }
        await copied.update { $0[0] = 1 }
      }
      require(node.wrappedValue[0] == 0, "a value of another version")
      require(copied.wrappedValue[0] == 0, "a value of another version")
    }
    require(await node.value[0] == 1)
  }

  private static let withHandler = Scenario(
    "an update is an assignment to the handler of assignments", [.updatesCopy, .updatesStaged]
  ) {
    let log = EventLog<[Int]>()
    let node = Stored(large())
    await GraphActor.run { node.onDidSet { old, new in log.record([old[0], new[0]]) } }
    await node.update { $0[0] = 1 }
    await withGraphTransaction { node.update { $0[0] = 2 } }
    require(log.events == [[0, 1], [1, 2]])
  }

  private static let inTransaction = Scenario(
    "an update in a transaction is staged", [.updatesStaged, .stagesFirst, .stagesAgain]
  ) {
    let node = Stored(large())
    try await withGraphTransaction {
      let isFirst = GraphTransaction.current?.attempt == 1
      if isFirst { await outside { await node.set(Array(5..<1_005)) } }
      await node.update { $0[1] = -1 }
      await node.update { $0[2] = -2 }
      require(node.wrappedValue[..<3] == (isFirst ? [0, -1, -2] : [5, -1, -2]))
      await outside { require(await node.value[..<2] == [5, 6], "a staged value is to be seen") }
    }
    require(await node.value[..<3] == [5, -1, -2])
  }

  private static let inPlaceInTransaction = Scenario(
    "an update in place in a transaction is staged", [.updatesStaged, .readsOwnWrite]
  ) {
    let node = StoredInPlace(large())
    let first = node.map { $0[0] }
    try await withGraphTransaction {
      let isFirst = GraphTransaction.current?.attempt == 1
      if isFirst { await outside { await node.set(Array(5..<1_005)) } }
      await node.update { $0[1] = -1 }
      await node.update { $0[2] = -2 }
      require(node.wrappedValue[..<3] == (isFirst ? [0, -1, -2] : [5, -1, -2]))
      require(first.wrappedValue == (isFirst ? 0 : 5))
      await outside { require(await node.value[..<2] == [5, 6], "a staged value is to be seen") }
    }
    require(await node.value[..<3] == [5, -1, -2])
    await withGraphTransaction {
      node.wrappedValue = [1]
      node.wrappedValue = [2]
      node.update { $0.append(3) }
      require(node.wrappedValue == [2, 3])
    }
    require(await node.value == [2, 3])
  }

  private static let throwingInPlace = Scenario(
    "an update in place that throws commits what it has changed", [.updatesInPlace]
  ) {
    let node = StoredInPlace(large())
    let first = node.map { $0[0] }
    require(await first.value == 0)
    let before = await latestVersion()
    do {
      try await node.update { array throws(Refused) in
        array[0] = 1
        throw Refused()
      }
      Scenario.fail("no error")
    } catch {}
    require(await latestVersion() == before + 1)
    require(await first.value == 1)
  }

  private static let throwingUpdate = Scenario(
    "an update that throws leaves the value as it was, and others can follow", [.updatesCopy]
  ) {
    let node = Stored(large())
    do {
      try await node.update { array throws(Refused) in
        array[0] = 1
        throw Refused()
      }
      Scenario.fail("no error")
    } catch {}
    require(await node.value[0] == 0)
    await node.set([5])
    require(await node.value == [5])
  }

  private static let throwingStaged = Scenario(
    "an update that throws in a transaction leaves what was staged before",
    [.updatesStaged, .commitsNothing]
  ) {
    // Without a comparison, a staged write counts as a change.
    let node = Stored(large()) { _, _ in false }
    let refuse: @GraphActor @Sendable () -> Void = {
      do {
        try node.update { array throws(Refused) in
          array[0] = -1
          throw Refused()
        }
        Scenario.fail("no error")
      } catch {}
    }
    let before = await latestVersion()
    await withGraphTransaction {
      refuse()
      require(node.wrappedValue[0] == 0)
    }
    require(await latestVersion() == before, "nothing was assigned")
    await withGraphTransaction {
      refuse()
      node.update { $0[0] = 1 }
      refuse()
      require(node.wrappedValue[0] == 1)
    }
    require(await node.value[0] == 1)
  }

  private static let writesOthers = Scenario(
    "what an update writes to other nodes is delivered at once",
    [.updatesCopy, .reactsImmediately, .takesBuffered]
  ) {
    let log = EventLog<String>()
    let node = Stored(large())
    let other = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        log.record("\(node.wrappedValue[0]) \(other.wrappedValue)")
      }
    }
    var changes = other.changes(buffering: .unbounded).makeAsyncIterator()
    require(await changes.next(isolation: nil)?.value == 0)
    _ = log.take()
    await node.update { array in
      array[0] = 1
      other.wrappedValue = 1
      other.wrappedValue = 2
      require(log.take() == ["0 1", "0 2"])
    }
    require(log.take() == ["1 2"])
    for value in 1...2 { require(await changes.next(isolation: nil)?.value == value) }
    tracking.cancel()
  }

  private static let unsafeChanges = Scenario(
    "a modification that tells nobody works in place, or on a copy, and keeps what it did",
    [.modifiesInPlace, .modifiesCopy]
  ) {
    let inPlace = StoredInPlace(large())
    let copied = Stored(large())
    let before = await latestVersion()
    do {
      try await GraphActor.run {
        copied.unsafeModify { $0[0] = -1 }
        try inPlace.unsafeModify { array in
          array[0] = -1
          throw Refused()
        }
      }
      Scenario.fail("no error")
    } catch is Refused {}
    require(await inPlace.value[0] == -1)
    require(await copied.value[0] == -1)
    require(await latestVersion() == before)
  }
}
