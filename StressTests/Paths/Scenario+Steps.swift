import StateGraph
import StateGraphTesting

// What belongs to one step, and in which order commits and what they cause follow each other.

extension Scenario {
  static let steps = [
    unchangedWrites, announcedInOrder, handlerFirst, followsStep, snapshotBody, snapshotVisit,
    lastValueFirst, endsItself,
  ]

  private static let unchangedWrites = Scenario(
    "a commit concerns only what it changes", [.commitsOneWrite]
  ) { @GraphActor in
    let log = EventLog<String>()
    let (same, changed) = (Stored(1), Stored(1))
    let aside = log.computed("aside") { same.wrappedValue }
    require(aside.wrappedValue == 1)
    _ = log.take()
    var commits = GraphActor.commits().makeAsyncIterator()
    withGraphTransaction {
      same.wrappedValue = 2
      changed.wrappedValue = 2
      same.wrappedValue = 1
    }
    require(aside.wrappedValue == 1)
    require(log.take() == [])
    let commit = await commits.next(isolation: GraphActor.shared)
    require(commit?.changedNodes == [changed.id])
  }

  private static let announcedInOrder = Scenario(
    "a commit is announced before those that it causes", [.commitsFromDelivery, .buffersCommit]
  ) { @GraphActor in
    let (a, b, c) = (Stored(0), Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { b.wrappedValue = a.wrappedValue }
      withGraphTrackingGroup(delivery: .immediate) { c.wrappedValue = b.wrappedValue }
    }
    let before = await latestVersion()
    var commits = GraphActor.commits().makeAsyncIterator()
    a.wrappedValue = 1
    withGraphTransaction { a.wrappedValue = 2 }
    for (number, node) in [a, b, c, a, b, c].enumerated() {
      let commit = await commits.next(isolation: GraphActor.shared)
      require(commit?.version == before + UInt64(number) + 1 && commit?.changedNodes == [node.id])
    }
    tracking.cancel()
  }

  private static let handlerFirst = Scenario(
    "what a handler causes follows the handler", [.reactsImmediately]
  ) { @GraphActor in
    let log = EventLog<String>()
    let (a, b) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { log.record("seen \(b.wrappedValue)") }
      withGraphTrackingGroup(delivery: .immediate) {
        let value = a.wrappedValue
        b.wrappedValue = value
        log.record("written \(value)")
      }
    }
    a.wrappedValue = 1
    require(log.events == ["seen 0", "written 0", "written 1", "seen 1"], "seen: \(log.events)")
    // The expression of a sequence is no handler, and yet nobody writes in its middle.
    var seen = GraphTrackings {
      let first = b.wrappedValue
      a.wrappedValue += 1
      return [first, b.wrappedValue]
    }.makeAsyncIterator()
    require(await seen.next(isolation: GraphActor.shared) == [1, 1])
    require(b.wrappedValue == 2)
    tracking.cancel()
  }

  /// A node whose removal makes a group write.
  private struct Removal: Sendable {
    let node = Box<Stored<Int>?>(Stored(1))
    let written = Stored(0)
    let tracking: GraphCancellable

    @GraphActor
    init() {
      tracking = withGraphTracking { [node, written] in
        withGraphTrackingGroup(delivery: .immediate) {
          written.wrappedValue = node.value?.wrappedValue ?? -1
        }
      }
    }
  }

  private static let followsStep = Scenario(
    "what a removal in a step causes comes after the step, and is not forgotten", [.unlinksInStep]
  ) {
    for _ in 0..<100 {
      let removal = await Removal()
      let double = removal.written.map { $0 * 2 }
      await GraphActor.run {
        removal.node.value = nil
        require(double.wrappedValue == 2)
      }
      await GraphActor.settle()
      require(removal.written.committedValue == -1, "a removal has been forgotten")
      removal.tracking.cancel()
    }
  }

  private static let snapshotBody = Scenario(
    "no node is removed in between the reads of a snapshot", [.postponesRemoval]
  ) {
    let removal = await Removal()
    let double = removal.written.map { $0 * 2 }
    let reader = Computed { [node = removal.node] _ in node.value?.wrappedValue ?? -1 }
    let seen = await withGraphSnapshot { snapshot in
      let first = snapshot[reader]
      removal.node.value = nil
      return [first, snapshot[double], snapshot[reader]]
    }
    require(seen == [1, 2, 1], "values that do not fit together: \(seen)")
    await untilTasksAreFinished()
    require(await double.value == -2)
    removal.tracking.cancel()
  }

  private static let snapshotVisit = Scenario(
    "what a rule releases is not removed in between the values of a snapshot",
    [.visitsForSnapshot, .postponesRemoval]
  ) {
    for isPair in [true, false] {
      let removal = await Removal()
      let releasing = Computed { _ in
        let seen = removal.written.wrappedValue
        removal.node.value = nil
        return seen
      }
      let double = removal.written.map { $0 * 2 }
      if isPair {
        let values = await GraphSnapshot.values(of: releasing, double)
        require(values == (1, 2), "values of two versions: \(values)")
      } else {
        let values = await GraphSnapshot.values(of: removal.written, releasing, double, double)
        require(values == (1, 1, 2, 2), "values of two versions: \(values)")
      }
      await untilTasksAreFinished()
      require(await double.value == -2)
      removal.tracking.cancel()
    }
  }

  private static let lastValueFirst = Scenario(
    "a stream takes the last value of its node before anything that its rule causes",
    [.takesLastValue, .cleansUpAtEnd]
  ) { @GraphActor in
    let a = Stored(0)
    let tracking = Box<GraphCancellable?>(
      withGraphTracking {
        withGraphTrackingGroup { withGraphTrackingCleanup { a.wrappedValue = 100 } }
      })
    var node: Computed<Int>? = Computed { _ in
      if a.wrappedValue == 1 { tracking.value = nil }
      return a.wrappedValue
    }
    var streams = (0..<2).map { _ in node?.values.makeAsyncIterator() }
    for place in 0..<2 {
      require(await streams[place]?.next(isolation: GraphActor.shared) == 0)
    }
    a.wrappedValue = 1
    node = nil
    Graph.shared.arrive()
    require(a.wrappedValue == 100)
    for place in 0..<2 {
      require(await streams[place]?.next(isolation: GraphActor.shared) == 1)
      require(await streams[place]?.next(isolation: GraphActor.shared) == nil)
    }
  }

  private static let endsItself = Scenario(
    "a map that ends itself stays until its handler has returned", [.postponesRemoval]
  ) { @GraphActor in
    let alive = LiveCount()
    let (a, b) = (Stored(0), Stored(0))
    let tracking = Box<GraphCancellable?>(nil)
    let before = Graph.shared.nodeCount
    tracking.value = withGraphTracking { [token = alive.token()] in
      withGraphTrackingMap(delivery: .immediate) {
        a.wrappedValue
      } onChange: { [token] (value: Int) in
        guard value > 0 else { return }
        let count = Graph.shared.nodeCount
        tracking.value = nil
        b.wrappedValue = value
        require(Graph.shared.nodeCount == count, "a map was removed in the middle of its handler")
        extendLifetime(token)
      }
    }
    a.wrappedValue = 1
    Graph.shared.arrive()
    require(alive.current == 0)
    // The node that the map has read.
    require(Graph.shared.nodeCount == before + 1)
    require(b.wrappedValue == 1)
  }
}
