import StateGraph
import StateGraphTesting

// Groups and maps.

extension Scenario {
  static let tracking = [
    postponed, immediate, spared, clamp, downstream, nested, cancelledByOuter, waitsBehindOuter,
    waitsForOuterAgain, ownCleanup,
    cleanup, lateMember, inUse, maps, weakObject,
  ]

  private static let postponed = Scenario(
    "a group runs once for what it has missed, in a visit of its own",
    [.queuesReaction, .postponesReaction, .runsPostponed, .runsReaction]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let tracking = await withGraphTracking { withGraphTrackingGroup { log.record(a.wrappedValue) } }
    await GraphActor.run {
      for value in 1...3 { a.wrappedValue = value }
      require(log.events == [0])
    }
    await GraphActor.settle()
    require(log.events == [0, 3], "seen: \(log.events)")
    tracking.cancel()
    await a.set(4)
    await GraphActor.settle()
    require(log.events == [0, 3])
  }

  private static let immediate = Scenario(
    "an immediate group runs in each commit", [.reactsImmediately]
  ) { @GraphActor in
    let log = EventLog<Int>()
    let a = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { log.record(a.wrappedValue) }
    }
    for value in 1...3 { a.wrappedValue = value }
    require(log.events == [0, 1, 2, 3])
    tracking.cancel()
  }

  private static let spared = Scenario(
    "a group does not run if what it has read comes out equal", [.sparesReaction]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let parity = a.map { $0 % 2 }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup { log.record(parity.wrappedValue) }
    }
    await a.set(2)
    await GraphActor.settle()
    require(log.events == [0])
    tracking.cancel()
  }

  private static let clamp = Scenario(
    "a group that corrects what it has read comes to rest",
    [.marksRunningWatcher, .absorbsOwnWrites, .commitsFromDelivery]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record(a.wrappedValue)
        if a.wrappedValue > 10 { a.wrappedValue = 10 }
      }
    }
    await a.set(50)
    await GraphActor.settle()
    require(log.events == [0, 50])
    require(await a.value == 10)
    await a.set(5)
    await GraphActor.settle()
    require(log.events == [0, 50, 5])
    tracking.cancel()
  }

  private static let downstream = Scenario(
    "a group hears of what its own writes have changed downstream",
    [.findsOwnWritesDownstream, .noticesOwnWrites]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record(double.wrappedValue)
        if double.wrappedValue < 6 { a.wrappedValue += 1 }
      }
    }
    await GraphActor.settle()
    require(log.events == [0, 2, 4, 6], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let nested = Scenario(
    "a new run ends the groups that the run before has made", [.endsNested]
  ) {
    let log = EventLog<String>()
    let a = Stored(0)
    let b = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record("outer \(a.wrappedValue)")
        withGraphTrackingGroup { log.record("inner \(b.wrappedValue)") }
      }
    }
    await a.set(1)
    await GraphActor.settle()
    _ = log.take()
    await b.set(1)
    await GraphActor.settle()
    require(log.events == ["inner 1"], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let cancelledByOuter = Scenario(
    "an outer group comes before those that it has made, and ends them",
    [.runsOuterFirst, .isPostponedAlready, .meetsCancelled, .noticesOwnWrites]
  ) {
    let log = EventLog<String>()
    let (inner, outer, level) = (Stored(0), Stored(0), Stored(0))
    let double = level.map { $0 * 2 }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record("outer \(outer.wrappedValue) \(double.wrappedValue)")
        if outer.wrappedValue > 0, double.wrappedValue < 2 { level.wrappedValue = 1 }
        withGraphTrackingGroup { log.record("inner \(inner.wrappedValue)") }
      }
    }
    _ = log.take()
    await withGraphTransaction {
      inner.wrappedValue = 1
      outer.wrappedValue = 1
    }
    await GraphActor.settle()
    require(
      log.events == ["outer 1 0", "inner 1", "outer 1 2", "inner 1"], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let waitsBehindOuter = Scenario(
    "an immediate group waits for the postponed one that it is nested in", [.waitsForOuter]
  ) {
    let log = EventLog<String>()
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = a.wrappedValue
        log.record("outer \(value)")
        withGraphTrackingGroup(delivery: .immediate) { log.record("inner \(a.wrappedValue)") }
      }
    }
    await a.set(1)
    await GraphActor.settle()
    require(
      log.events == ["outer 0", "inner 0", "outer 1", "inner 1"], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let waitsForOuterAgain = Scenario(
    "a group whose cleanup concerns the outer one waits for it", [.waitsForOuterAgain]
  ) {
    let log = EventLog<String>()
    let (x, y) = (Stored(0), Stored(0))
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        log.record("outer \(x.wrappedValue)")
        withGraphTrackingGroup {
          log.record("inner \(y.wrappedValue)")
          withGraphTrackingCleanup { x.wrappedValue = 1 }
        }
      }
    }
    await y.set(1)
    await GraphActor.settle()
    require(
      log.events == ["outer 0", "inner 0", "outer 1", "inner 1"], "seen: \(log.events)")
    tracking.cancel()
  }

  private static let ownCleanup = Scenario(
    "a group does not run on top of its own cleanup", [.isAboutToRun]
  ) {
    let log = EventLog<String>()
    let (x, y) = (Stored(0), Stored(0))
    let parity = x.map { $0 % 2 }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        _ = parity.wrappedValue
        // It waits for the outer one, and so runs in a visit.
        withGraphTrackingGroup(delivery: .immediate) {
          log.record("\(x.wrappedValue), \(y.wrappedValue)")
          withGraphTrackingCleanup { y.wrappedValue = 1 }
        }
      }
    }
    await x.set(2)
    await GraphActor.settle()
    require(log.events == ["0, 0", "2, 1"], "seen: \(log.events)")
    tracking.cancel()
    await GraphActor.settle()
  }

  private static let cleanup = Scenario(
    "a cleanup is called before the next run, and at the end", [.cleansUp, .cleansUpAtEnd]
  ) {
    let log = EventLog<String>()
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = a.wrappedValue
        log.record("run \(value)")
        withGraphTrackingCleanup { log.record("end \(value)") }
      }
    }
    await a.set(1)
    await GraphActor.settle()
    tracking.cancel()
    await GraphActor.settle()
    require(log.events == ["run 0", "end 0", "run 1", "end 1"], "seen: \(log.events)")
  }

  private static let lateMember = Scenario(
    "what is stored in something that has been cancelled ends at once", [.endsLateMember]
  ) {
    let parent = GraphCancellable {}
    parent.cancel()
    let child = GraphCancellable {}
    child.store(in: parent)
    require(child.isCancelled)
  }

  private static let inUse = Scenario(
    "a group that ends itself is released when it returns", [.releasesInUse]
  ) { @GraphActor in
    let alive = LiveCount()
    let a = Stored(0)
    let box = Box<GraphCancellable?>(nil)
    box.value = withGraphTracking { [token = alive.token()] in
      withGraphTrackingGroup(delivery: .immediate) { [token] in
        if a.wrappedValue == 1 {
          box.value?.cancel()
          require(alive.current == 1)
        }
        withExtendedLifetime(token) {}
      }
    }
    a.wrappedValue = 1
    require(alive.current == 0)
  }

  private static let maps = Scenario(
    "a map gives its values to a handler on the actor or elsewhere, filtered",
    [.deliversHere, .deliversElsewhere, .filtersValue]
  ) {
    let (here, elsewhere) = (EventLog<Int>(), EventLog<Int>())
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        a.wrappedValue / 2
      } onChange: { @GraphActor value in
        here.record(value)
      }
      withGraphTrackingMap {
        a.wrappedValue / 2
      } onChange: { @MainActor value in
        elsewhere.record(value)
      }
    }
    for value in 1...4 {
      await a.set(value)
      await GraphActor.settle()
    }
    require(here.events == [0, 1, 2])
    require(elsewhere.events == [0, 1, 2])
    tracking.cancel()
  }

  private static let weakObject = Scenario(
    "a map ends with its object", [.endsWithObject]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let alive = LiveCount()
    let object = Box<Payload?>(Payload(alive, 10))
    let tracking = await GraphActor.run {
      withGraphTracking {
        guard let object = object.value else { return }
        withGraphTrackingMap(from: object) {
          $0.number + a.wrappedValue
        } onChange: { @GraphActor value in
          log.record(value)
        }
      }
    }
    object.value = nil
    require(alive.current == 0)
    await a.set(1)
    await GraphActor.settle()
    require(log.events == [10])
    require(await GraphActor.run { a.watcherCount } == 0)
    tracking.cancel()
  }
}
