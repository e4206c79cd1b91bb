import StateGraph
import StateGraphTesting

// Nodes that lose their owners, in every situation.

extension Scenario {
  static let removal = [
    releasedOnActor, releasedElsewhere, releasedInTransaction, releasedWhileRead, releasedMarked,
    releasedByCleanup, releasedInOneStep, temporaries, watcherGoesFirst, releasedByFreeing,
    releasedInMasses,
  ]

  private static let releasedOnActor = Scenario(
    "nodes released on the actor are removed by its next visit",
    [.schedulesRemoval, .joinsScheduledRemoval, .removesOnArrival]
  ) {
    await untilTasksAreFinished()
    await GraphActor.run {
      let count = Graph.shared.nodeCount
      do {
        let a = Stored(1)
        let b = a.map { $0 + 1 }
        require(b.wrappedValue == 2)
        require(Graph.shared.nodeCount == count + 2)
      }
      Graph.shared.arrive()
      require(Graph.shared.nodeCount == count)
    }
  }

  private static let releasedElsewhere = Scenario(
    "nodes released elsewhere are removed although nobody enters the actor", [.removesInTask]
  ) {
    let alive = LiveCount()
    do {
      let payload = Stored(Payload(alive, 1))
      let double = Computed { _ in payload.wrappedValue.number * 2 }
      require(await double.value == 2)
    }
    try await alive.wait(for: 0)
  }

  private static let releasedInTransaction = Scenario(
    "nodes released in the middle of something wait for its end", [.postponesRemoval]
  ) { @GraphActor in
    let other = Stored(0)
    let box = Box<Computed<Int>?>(Stored(1).map { $0 + 1 })
    let before = Graph.shared.nodeCount
    require(box.value?.wrappedValue == 2)
    let count = Graph.shared.nodeCount
    withGraphTransaction {
      box.value = nil
      other.wrappedValue = 1
      require(Graph.shared.nodeCount == count)
    }
    Graph.shared.arrive()
    require(Graph.shared.nodeCount == before)
  }

  private static let releasedWhileRead = Scenario(
    "who has read a node that is gone runs again", [.removesUnmarked]
  ) { @GraphActor in
    let box = Box<Stored<Int>?>(Stored(5))
    let reader = Computed { _ in box.value?.wrappedValue ?? -1 }
    require(reader.wrappedValue == 5)
    box.value = nil
    Graph.shared.arrive()
    require(reader.wrappedValue == -1)
  }

  private static let releasedMarked = Scenario(
    "a node may be marked when it is removed", [.removesMarked]
  ) { @GraphActor in
    let a = Stored(1)
    let box = Box<Computed<Int>?>(a.map { $0 + 1 })
    let reader = Computed { _ in box.value?.wrappedValue ?? -1 }
    require(reader.wrappedValue == 2)
    a.wrappedValue = 2
    box.value = nil
    Graph.shared.arrive()
    require(Graph.shared.brokenInvariants() == [])
    require(reader.wrappedValue == -1)
  }

  private static let releasedByCleanup = Scenario(
    "what a removal releases is removed with it", [.removesAgain, .cleansUpAtEnd]
  ) { @GraphActor in
    let count = Graph.shared.nodeCount
    let box = Box<Computed<Int>?>(Stored(5).map { $0 })
    require(box.value?.wrappedValue == 5)
    let tracking = withGraphTracking {
      withGraphTrackingGroup { withGraphTrackingCleanup { box.value = nil } }
    }
    tracking.cancel()
    Graph.shared.arrive()
    require(Graph.shared.nodeCount == count)
  }

  private static let releasedInOneStep = Scenario(
    "what a removal causes does not come in between the reads of one step",
    [.unlinksInStep]
  ) {
    let released = Box<Stored<Int>?>(Stored(1))
    let written = Stored(0)
    let double = written.map { $0 * 2 }
    let tracking = await GraphActor.run {
      withGraphTracking {
        withGraphTrackingGroup(delivery: .immediate) {
          written.wrappedValue = released.value?.wrappedValue ?? -1
        }
      }
    }
    await GraphActor.run {
      require(written.wrappedValue == 1)
      released.value = nil
      require(double.wrappedValue == 2)
      require(written.wrappedValue == 1)
    }
    await GraphActor.settle()
    require(await written.value == -1)
    require(await double.value == -2)
    tracking.cancel()
  }

  private static let releasedInMasses = Scenario(
    "of many nodes that are released at once, each visit removes a part, and settling waits for all",
    [.pausesRemoval]
  ) {
    let count = await GraphActor.run { () -> Int in
      let count = Graph.shared.nodeCount
      let source = Stored(0)
      let nodes = (0..<25_000).map { number in Computed { source.wrappedValue + number } }
      for node in nodes { _ = node.wrappedValue }
      require(Graph.shared.nodeCount >= count + 25_001)
      return count
    }
    let left = await GraphActor.run { Graph.shared.nodeCount }
    require(left > count + 5_000, "one visit has left \(left - count)")
    await GraphActor.settle()
    require(await GraphActor.run { Graph.shared.nodeCount } == count)
  }

  private static let temporaries = Scenario(
    "the end of a temporary is no news to its rule, which depends on what it has read",
    [.removesTemporary, .bequeathsDependency]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let node = log.computed("node") {
      let first = Computed { _ in a.wrappedValue + 1 }
      let second = Computed { _ in first.wrappedValue * 10 }
      return second.wrappedValue
    }
    require(node.wrappedValue == 20)
    Graph.shared.arrive()
    require(node.wrappedValue == 20)
    require(log.take() == ["node"])
    a.wrappedValue = 2
    require(node.wrappedValue == 30)
    Graph.shared.arrive()
    require(node.wrappedValue == 30)
    require(log.take() == ["node"])
  }

  private static let watcherGoesFirst = Scenario(
    "a stream that goes together with its node is not told", [.skipsRemovedWatcher]
  ) { @GraphActor in
    let count = Graph.shared.nodeCount
    var node: Stored<Int>? = Stored(1)
    var values = node?.values.makeAsyncIterator()
    require(await values?.next(isolation: GraphActor.shared) == 1)
    node = nil
    values = nil
    Graph.shared.arrive()
    require(Graph.shared.nodeCount == count)
  }

  /// Holds a node until it is freed itself.
  private final class Holder: Sendable {
    private let node: Stored<Payload>

    init(_ alive: LiveCount) {
      node = Stored(Payload(alive, 0))
    }
  }

  private static let releasedByFreeing = Scenario(
    "what is released at the end of a removal is not forgotten", [.removesInTask]
  ) {
    let alive = LiveCount()
    for _ in 0..<100 {
      let source = Box<Stored<Int>?>(Stored(1))
      let published = Computed { _ in source.value?.wrappedValue ?? 0 }
      require(await published.value == 1)
      let held = Stored<Holder?>(Holder(alive))
      await untilTasksAreFinished()
      await GraphActor.run {
        // A reader, because of whom the holder is freed by the task that removes nodes.
        let reader = Graph.shared.readers.begin()
        withGraphTransaction {
          source.value = nil
          held.wrappedValue = nil
        }
        Graph.shared.readers.end(reader)
      }
      await untilTasksAreFinished()
      require(alive.current == 0, "a released node was not removed")
      withExtendedLifetime((published, held)) {}
    }
  }
}
