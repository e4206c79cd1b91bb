import StateGraph
import StateGraphTesting

// Changes of large collections in place, and when a copy has to be made after all.

extension Scenario {
  static let changesInPlace = [
    olderReaders, bothParities, readSynchronously, neededByTransaction, withHandler, inTransaction,
    throwingChange, throwingUpdate, writesOthers,
  ]

  private static func large() -> Stored<[Int]> { Stored(Array(0..<1_000)) }

  private static let olderReaders = Scenario(
    "a value that was changed in place is not to be had at an older version", [.updatesInPlace]
  ) {
    let node = large()
    for value in 2...4 {
      // The box has one before it, which has been freed.
      await node.set(Array(repeating: -value, count: 1_000))
      let version = await latestVersion()
      require(node._publishedValue(at: version)?[0] == -value)
      await node.update { $0[0] = value }
      require(node._publishedValue(at: version) == nil, "a new value at an old version")
      require(await node.value[0] == value)
    }
  }

  private static let bothParities = Scenario(
    "an update finds readers of even and of odd epochs", [.findsReaderReading]
  ) {
    let node = large()
    let readers = Graph.shared.readers
    for round in 1...4 {
      await GraphActor.run { _ = readers.advance() }
      let reader = readers.begin()
      let version = await latestVersion()
      let before = node._publishedValue(at: version)?[0]
      await node.update { array in
        require(node._publishedValue(at: version)?[0] == before, "taken away from a reader")
        array[0] = -round
      }
      readers.end(reader)
      require(await node.value[0] == -round)
    }
  }

  private static let readSynchronously = Scenario(
    "a value that is read synchronously stays where it is during an update", [.updatesCopy]
  ) {
    let node = large()
    require(node.committedValue[0] == 0)
    await node.update { array in
      array[0] = 1
      require(node._publishedValue(at: .max)?[0] == 0)
    }
    require(node.committedValue[0] == 1)
  }

  private static let neededByTransaction = Scenario(
    "an update leaves an open transaction the value of its version", [.readsReplaced, .updatesCopy]
  ) {
    let node = large()
    try await withGraphTransaction {
      guard GraphTransaction.current?.attempt == 1 else { return }
      await outside { await node.update { $0[0] = 1 } }
      require(node.wrappedValue[0] == 0, "a value of another version")
    }
    require(await node.value[0] == 1)
  }

  private static let withHandler = Scenario(
    "an update is an assignment to the handler of assignments", [.updatesCopy]
  ) {
    let log = EventLog<[Int]>()
    let node = large()
    await GraphActor.run { node.onDidSet { old, new in log.record([old[0], new[0]]) } }
    await node.update { $0[0] = 1 }
    require(log.events == [[0, 1]])
  }

  private static let inTransaction = Scenario(
    "an update in a transaction is staged", [.updatesCopy, .stagesFirst]
  ) {
    let node = large()
    try await withGraphTransaction {
      let isFirst = GraphTransaction.current?.attempt == 1
      // Nobody needs the value that another task has put there meanwhile.
      if isFirst { await outside { await node.set(Array(5..<1_005)) } }
      await node.update { $0[1] = -1 }
      require(node.wrappedValue[..<2] == (isFirst ? [0, -1] : [5, -1]))
      await outside { require(await node.value[..<2] == [5, 6], "a staged value is to be seen") }
    }
    require(await node.value[..<2] == [5, -1])
  }

  private struct Refused: Error {}

  private static let throwingChange = Scenario(
    "a modification that throws gives the value back", [.modifiesInPlace]
  ) {
    let node = large()
    do {
      try await GraphActor.run {
        try node.unsafeModify { array in
          array[0] = 1
          throw Refused()
        }
      }
      Scenario.fail("no error")
    } catch is Refused {}
    require(node._publishedValue(at: .max)?[0] == 1, "the value is gone")
    await node.update { $0[0] = 2 }
    require(await node.value[0] == 2)
  }

  private static let throwingUpdate = Scenario(
    "an update that throws leaves the value as it was, and others can follow", [.updatesCopy]
  ) {
    let node = large()
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

  private static let writesOthers = Scenario(
    "an update that writes other nodes holds back whoever might read what it changes",
    [.updatesInPlace, .reactsImmediately, .takesBuffered]
  ) {
    let log = EventLog<String>()
    let node = large()
    let other = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { log.record("other \(other.wrappedValue)") }
      withGraphTrackingGroup(delivery: .immediate) {
        if other.wrappedValue > 0 {
          log.record("both \(node.wrappedValue[0]) \(other.wrappedValue)")
        }
      }
    }
    // A stream of a stored node reads nothing else, and misses nothing.
    var changes = other.changes(buffering: .unbounded).makeAsyncIterator()
    require(await changes.next(isolation: nil)?.value == 0)
    _ = log.take()
    await node.update { array in
      array[0] = 1
      other.wrappedValue = 1
      other.wrappedValue = 2
      require(log.take() == [])
    }
    require(log.take() == ["other 2", "both 1 2"])
    for value in 1...2 { require(await changes.next(isolation: nil)?.value == value) }
    tracking.cancel()
  }
}
