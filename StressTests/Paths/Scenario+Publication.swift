import StateGraph
import StateGraphTesting

// Reads that do not enter the actor.

extension Scenario {
  static let publication = [
    storedReads, computedReads, olderVersion, synchronousReads, snapshots, marksBeforeVersion,
    yields,
  ]

  private static let storedReads = Scenario(
    "a stored node is read from anywhere", [.readsFirstValue, .readsBox]
  ) {
    let node = Stored(1)
    require(await node.value == 1)
    await node.set(2)
    require(await node.value == 2)
    require(node.committedValue == 2)
  }

  private static let computedReads = Scenario(
    "a computed node is published by the first who comes for it, until it is marked",
    [.missesUnpublished, .publishesOnVisit, .hitsPublished, .unpublishesMarked]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    for value in 1...10 {
      require(double._publishedValue(at: await latestVersion()) == nil)
      require(await double.value == value * 2)
      require(double._publishedValue(at: await latestVersion()) == value * 2)
      await a.set(value + 1)
    }
  }

  private static let olderVersion = Scenario(
    "a reader of a version finds its values, and no newer ones", [.stepsBack, .missesNewer]
  ) {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    await a.set(1)
    let readers = Graph.shared.readers
    let reader = readers.begin()
    let version = await latestVersion()
    for value in 2...20 {
      await a.set(value)
      require(await double.value == value * 2)
      require(a._publishedValue(at: version) == 1)
      require(double._publishedValue(at: version) == nil)
    }
    readers.end(reader)
  }

  private static let synchronousReads = Scenario(
    "a computed node that is read synchronously publishes each result",
    [.publishesLate, .publishesOnRun]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    require(await GraphActor.run { double.wrappedValue } == 2)
    await until { double.committedValue == 2 }
    await a.set(2)
    require(double.committedValue == nil)
    require(await GraphActor.run { double.wrappedValue } == 4)
    require(double.committedValue == 4)
  }

  private static let snapshots = Scenario(
    "a snapshot needs the actor only if something is not published",
    [.readsSnapshot, .visitsForSnapshot]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    for value in 1...3 {
      await a.set(value)
      require(await GraphSnapshot.values(of: a, double) == (value, value * 2))
      require(await GraphSnapshot.values(of: a, double) == (value, value * 2))
    }
  }

  private static let marksBeforeVersion = Scenario(
    "no reader sees a new value beside a computed one that it has made stale", [.readsSnapshot]
  ) {
    let a = Stored(0)
    let nodes = (0..<400).map { offset in Computed { _ in a.wrappedValue + offset } }
    let isOver = Stored(false)
    await withTaskGroup { group in
      group.addTask {
        while !isOver.committedValue {
          let (value, first) = await GraphSnapshot.values(of: a, nodes[0])
          require(value == first, "\(first) at the version of \(value)")
        }
      }
      // Until the reader has been at work during enough commits; a busy machine may not let it.
      let deadline = ContinuousClock.now + .seconds(8)
      var (value, overlaps) = (0, 0)
      while overlaps < 30, value < 1_000, .now < deadline {
        value += 1
        for node in nodes { _ = await node.value }
        await untilTaken(.readsSnapshot, since: taken(.readsSnapshot))
        let before = taken(.readsSnapshot)
        await a.set(value)
        if taken(.readsSnapshot) > before + 2 { overlaps += 1 }
      }
      await isOver.set(true)
    }
  }

  private static let yields = Scenario(
    "a task that reads on and on lets others have its thread", [.yieldsReader]
  ) {
    let node = Stored(1)
    for _ in 0..<5_000 { require(await node.value == 1) }
  }
}
