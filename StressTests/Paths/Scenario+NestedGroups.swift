import StateGraph
import StateGraphTesting

// Groups and maps in each other, and what belongs to whom.

extension Scenario {
  static let nestedGroups = [
    cleanupOrder, threeLevels, manyCommits, ownTracking, untrackedParts, storedConcurrently,
    tolerance,
  ]

  private static let cleanupOrder = Scenario(
    "cleanups come the latest first, and what is nested before what it is in",
    [.cleansUp, .cleansUpAtEnd, .endsNested]
  ) {
    let log = EventLog<String>()
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        _ = a.wrappedValue
        withGraphTrackingCleanup { log.record("outer 1") }
        for inner in 1...2 {
          withGraphTrackingGroup {
            withGraphTrackingCleanup { log.record("inner \(inner) 1") }
            withGraphTrackingCleanup { log.record("inner \(inner) 2") }
          }
        }
        withGraphTrackingCleanup { log.record("outer 2") }
      }
    }
    let expected = ["inner 2 2", "inner 2 1", "inner 1 2", "inner 1 1", "outer 2", "outer 1"]
    await a.set(1)
    await GraphActor.settle()
    require(log.take() == expected)
    tracking.cancel()
    await GraphActor.settle()
    require(log.take() == expected)
  }

  private static let threeLevels = Scenario(
    "the outermost of several groups comes first, whatever was written first",
    [.runsOuterFirst, .endsNested]
  ) {
    let log = EventLog<String>()
    let sources = (1...3).map { _ in Stored(0) }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record("1: \(sources[0].wrappedValue)")
        withGraphTrackingGroup {
          log.record("2: \(sources[1].wrappedValue)")
          withGraphTrackingGroup { log.record("3: \(sources[2].wrappedValue)") }
        }
      }
    }
    _ = log.take()
    await withGraphTransaction { for source in sources.reversed() { source.wrappedValue = 1 } }
    await GraphActor.settle()
    require(log.take() == ["1: 1", "2: 1", "3: 1"])
    // With nothing new for the group in the middle.
    await withGraphTransaction { for place in [2, 0] { sources[place].wrappedValue = 2 } }
    await GraphActor.settle()
    require(log.take() == ["1: 2", "2: 1", "3: 2"])
    tracking.cancel()
  }

  private static let manyCommits = Scenario(
    "a group answers any number of commits, one after the other", [.runsPostponed]
  ) {
    for delivery in [GraphDelivery.immediate, .coalesced] {
      let log = EventLog<Int>()
      let (a, copy) = (Stored(0), Stored(0))
      let tracking = await withGraphTracking {
        withGraphTrackingGroup(delivery: delivery) { copy.wrappedValue = a.wrappedValue }
        withGraphTrackingGroup(delivery: delivery) { log.record(copy.wrappedValue) }
      }
      for value in 1...250 {
        await a.set(value)
        if delivery == .coalesced { await GraphActor.settle() }
        require(log.events.last == value)
      }
      require(log.events == Array(0...250))
      tracking.cancel()
    }
  }

  private static let ownTracking = Scenario(
    "a tracking that a group begins is its own, and what follows belongs to the group",
    [.endsNested]
  ) {
    let log = EventLog<String>()
    let (a, b) = (Stored(0), Stored(0))
    let own = Box<[GraphCancellable]>([])
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = a.wrappedValue
        own.value += [
          withGraphTracking {
            withGraphTrackingGroup { log.record("own \(value) \(b.wrappedValue)") }
          }
        ]
        withGraphTrackingGroup { log.record("nested \(value) \(b.wrappedValue)") }
      }
    }
    await a.set(1)
    await GraphActor.settle()
    _ = log.take()
    await b.set(1)
    await GraphActor.settle()
    require(log.take().sorted() == ["nested 1 1", "own 0 1", "own 1 1"])
    tracking.cancel()
    await b.set(2)
    await GraphActor.settle()
    require(log.take().sorted() == ["own 0 2", "own 1 2"])
    own.value = []
    await b.set(3)
    await GraphActor.settle()
    require(log.take() == [])
  }

  /// Lets everything through, and reads a node.
  private struct ReadingFilter: GraphFilter {
    let node: Stored<Int>

    func send(_ value: Int) -> Int? {
      _ = node.wrappedValue
      return value
    }
  }

  private static let untrackedParts = Scenario(
    "a group does not depend on what its maps and trackings read", [.suspendsTracking]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let others = (0..<4).map { _ in Stored(0) }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record(a.wrappedValue)
        withGraphTrackingMap(filter: ReadingFilter(node: others[0])) {
          others[1].wrappedValue
        } onChange: { @GraphActor _ in
          _ = others[2].wrappedValue
        }
        _ = withGraphTracking { _ = others[3].wrappedValue }
      }
    }
    for other in others {
      await other.set(1)
      await GraphActor.settle()
      require(log.events == [0], "seen: \(log.events)")
    }
    await a.set(1)
    await GraphActor.settle()
    require(log.events == [0, 1])
    tracking.cancel()
  }

  private static let storedConcurrently = Scenario(
    "what is stored in something that is being cancelled ends", [.endsLateMember]
  ) {
    let deadline = ContinuousClock.now + .seconds(1)
    let arrived = [Box(0), Box(0)]
    var round = 0
    while .now < deadline {
      round += 1
      let number = round
      let (parent, child) = (GraphCancellable {}, GraphCancellable {})
      await withTaskGroup { group in
        for side in 0...1 {
          group.addTask {
            // Each waits for the other, so that they come at the same time.
            arrived[side].value = number
            await until { arrived[1 - side].value == number }
            if side == 0 { child.store(in: parent) } else { parent.cancel() }
          }
        }
      }
      require(child.isCancelled, "what came in between goes on")
    }
  }

  private static let tolerance = Scenario(
    "a map compares with the value that its handler has seen", [.filtersValue]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingMap(
        delivery: .immediate, filter: GraphDistinctFilter { abs($0 - $1) < 10 }
      ) {
        a.wrappedValue
      } onChange: { @GraphActor value in
        log.record(value)
      }
    }
    for value in stride(from: 1, through: 30, by: 1) { await a.set(value) }
    require(log.events == [0, 10, 20, 30], "seen: \(log.events)")
    tracking.cancel()
  }
}
