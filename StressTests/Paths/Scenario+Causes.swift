import StateGraph
import StateGraphTesting

// What is news to a running watcher, and what it has seen already.

extension Scenario {
  static let causes = [
    writtenByNested, writtenBeforeRead, madeByRun, madeAndChangedByOthers, seenWhenStaged,
    equalAssignments,
  ]

  private static let writtenByNested = Scenario(
    "what a nested group writes is news to the outer one", [.hearsNews, .marksRunningWatcher]
  ) { @GraphActor in
    let (source, copy) = (Stored(1), Stored(0))
    let log = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        log.record(copy.wrappedValue)
        withGraphTrackingGroup { copy.wrappedValue = source.wrappedValue }
      }
    }
    require(log.take() == [0, 1], "the first run of a nested group is not heard of")
    tracking.cancel()
  }

  private static let writtenBeforeRead = Scenario(
    "what is written before it is read is no news", [.marksUnread]
  ) { @GraphActor in
    let (source, copy) = (Stored(1), Stored(0))
    let log = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        let value = source.wrappedValue
        withGraphTrackingGroup { copy.wrappedValue = value }
        log.record(copy.wrappedValue)
      }
    }
    source.wrappedValue = 2
    require(log.take() == [1, 2])
    tracking.cancel()
  }

  private static let madeByRun = Scenario(
    "what a run does to the nodes that it makes is no news to it", [.writesMadeNode]
  ) { @GraphActor in
    let source = Stored(1)
    let log = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        let draft = Stored(source.wrappedValue)
        let total = draft.map { $0 * 10 }
        log.record(total.wrappedValue)
        draft.wrappedValue += 1
      }
    }
    source.wrappedValue = 2
    require(log.take() == [10, 20], "runs: \(log.events)")
    tracking.cancel()
  }

  private static let madeAndChangedByOthers = Scenario(
    "what others change of what depends on a node of the run is news all the same",
    [.absorbsOwnChanges, .findsOwnWritesDownstream]
  ) { @GraphActor in
    let factor = Stored(10)
    let log = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        let draft = Stored(1)
        let total = Computed { _ in draft.wrappedValue * factor.wrappedValue }
        log.record(total.wrappedValue)
        draft.wrappedValue += 1
        withGraphTrackingGroup { factor.wrappedValue = 20 }
      }
    }
    require(log.take() == [10, 20])
    tracking.cancel()
  }

  private static let seenWhenStaged = Scenario(
    "a group that reads what it has staged has seen what the commit makes of it", [.absorbsSeen]
  ) { @GraphActor in
    let (source, copy) = (Stored(1), Stored(0))
    let double = copy.map { $0 * 2 }
    let log = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        withGraphTransaction {
          copy.wrappedValue = source.wrappedValue
          log.record(double.wrappedValue)
        }
      }
    }
    source.wrappedValue = 2
    require(log.take() == [2, 4], "runs: \(log.events)")
    tracking.cancel()
  }

  private static let equalAssignments = Scenario(
    "nodes whose handlers copy each other come to rest", [.sparesHandler]
  ) { @GraphActor in
    let (one, two) = (Stored(0), Stored(0))
    let log = EventLog<Int>()
    one.onDidSet { _, new in
      log.record(new)
      two.wrappedValue = new
    }
    two.onDidSet { _, new in one.wrappedValue = new }
    one.wrappedValue = 5
    require(log.take() == [5])
  }
}
