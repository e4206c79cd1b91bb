import StateGraph
import StateGraphTesting

// Edges that come and go while rules run, and nodes that rules make for themselves.

extension Scenario {
  static let edges = [
    runsInBetween, changesOver, keepsStamps, inheritsInOrder, inheritsOnce, lentTemporary,
    markedTemporary, givesUpTwice, seenByDependentAndStream,
  ]

  private static let runsInBetween = Scenario(
    "a result is news to every dependent, also behind one that is running",
    [.promotesDependent, .runsNested]
  ) { @GraphActor in
    let (x, a) = (Stored(0), Stored(1))
    let middle = Computed { _ in a.wrappedValue + 1 }
    let running = Computed { _ in x.wrappedValue + middle.wrappedValue }
    let waiting = Computed { _ in middle.wrappedValue * 10 }
    require([running.wrappedValue, waiting.wrappedValue] == [2, 20])
    a.wrappedValue = 2
    x.wrappedValue = 1
    require(running.wrappedValue == 4)
    require(waiting.wrappedValue == 30, "a result has reached one dependent only")
  }

  private static let changesOver = Scenario(
    "a run drops everything that it does not read any more", [.dropsDependency]
  ) { @GraphActor in
    let log = EventLog<String>()
    let isLong = Stored(true)
    let sources = (0..<5).map { Stored($0) }
    let sum = log.computed("sum") {
      isLong.wrappedValue ? sources.reduce(0) { $0 + $1.wrappedValue } : -1
    }
    let edges = Graph.shared.edgeCount
    require(sum.wrappedValue == 10)
    require(Graph.shared.edgeCount == edges + 6)
    isLong.wrappedValue = false
    require(sum.wrappedValue == -1)
    require(Graph.shared.edgeCount == edges + 1)
    _ = log.take()
    for source in sources { source.wrappedValue += 1 }
    require(sum.wrappedValue == -1)
    require(log.take() == [])
  }

  private static let keepsStamps = Scenario(
    "an outer run that reads what an inner one has read again has one edge to it",
    [.restoresStamp, .keepsDependency]
  ) { @GraphActor in
    let x = Stored(1)
    let inner = Computed { _ in x.wrappedValue * 10 }
    let outer = Computed { _ in x.wrappedValue + inner.wrappedValue + x.wrappedValue }
    let edges = Graph.shared.edgeCount
    for value in 1...4 {
      x.wrappedValue = value
      require(outer.wrappedValue == value * 12)
      require(Graph.shared.edgeCount == edges + 3)
      require(Graph.shared.brokenInvariants() == [])
    }
  }

  private static let inheritsInOrder = Scenario(
    "what a temporary has read is inherited in reading order",
    [.removesTemporary, .bequeathsDependency]
  ) { @GraphActor in
    let log = EventLog<String>()
    let list = Stored([1, 2])
    let count = log.computed("count") { list.wrappedValue.count }
    let last = log.computed("last") { list.wrappedValue[1] }
    let top = log.computed("top") {
      Computed { _ in count.wrappedValue > 1 ? last.wrappedValue : -1 }.wrappedValue
    }
    require(top.wrappedValue == 2)
    Graph.shared.arrive()
    _ = log.take()
    list.wrappedValue = [1]
    // To run `last` now would be out of bounds.
    require(top.wrappedValue == -1)
    require(log.take() == ["count", "top"])
  }

  private static let inheritsOnce = Scenario(
    "a rule does not inherit what it has read itself", [.removesTemporary]
  ) { @GraphActor in
    let a = Stored(1)
    let edges = Graph.shared.edgeCount
    let node = Computed { _ in
      a.wrappedValue + Computed { _ in a.wrappedValue * 10 }.wrappedValue
    }
    require(node.wrappedValue == 11)
    Graph.shared.arrive()
    require(Graph.shared.edgeCount == edges + 1)
    require(Graph.shared.brokenInvariants() == [])
    a.wrappedValue = 2
    require(node.wrappedValue == 22)
  }

  private static let lentTemporary = Scenario(
    "who has reached a temporary of another rule has to do without it", [.removesUnmarked]
  ) { @GraphActor in
    let a = Stored(1)
    let lent = Box<Computed<Int>?>(nil)
    let borrower = Computed { _ in lent.value?.wrappedValue ?? -1 }
    let lender = Computed { _ in
      lent.value = Computed { _ in a.wrappedValue + 1 }
      let seen = borrower.wrappedValue
      lent.value = nil
      return seen
    }
    require(lender.wrappedValue == 2)
    Graph.shared.arrive()
    require(borrower.wrappedValue == -1, "a node that is gone is still read")
  }

  private static let markedTemporary = Scenario(
    "a temporary that is marked when it goes makes its rule run again", [.removesMarked]
  ) { @GraphActor in
    let a = Stored(1)
    let node = Computed { _ in Computed { _ in a.wrappedValue * 10 }.wrappedValue }
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        // The handler keeps the temporary from being removed before the write.
        require(GraphActor.withoutTracking { node.wrappedValue } == 10)
        a.wrappedValue = 2
      }
    }
    Graph.shared.arrive()
    require(node.wrappedValue == 20, "a write is lost with the node that has read it")
    tracking.cancel()
  }

  private static let givesUpTwice = Scenario(
    "what several rules give up in one visit is removed by the next",
    [.removesTemporary, .removesOnArrival]
  ) { @GraphActor in
    let a = Stored(1)
    let count = Graph.shared.nodeCount
    let parts = (1...3).map { factor in
      Computed { _ in Computed { _ in a.wrappedValue * factor }.wrappedValue }
    }
    let sum = Computed { _ in parts.reduce(0) { $0 + $1.wrappedValue } }
    require(sum.wrappedValue == 6)
    Graph.shared.arrive()
    // The source, the parts and the sum.
    require(Graph.shared.nodeCount == count + 5)
    a.wrappedValue = 2
    require(sum.wrappedValue == 12)
  }

  private static let seenByDependentAndStream = Scenario(
    "a stream takes the last value of a node that others have read before it", [.takesLastValue]
  ) { @GraphActor in
    let node = Box<Stored<Int>?>(Stored(0))
    let reader = Computed { _ in node.value?.wrappedValue ?? -1 }
    require(reader.wrappedValue == 0)
    var values = node.value?.values.makeAsyncIterator()
    require(await values?.next(isolation: GraphActor.shared) == 0)
    node.value?.wrappedValue = 7
    node.value = nil
    Graph.shared.arrive()
    require(await values?.next(isolation: GraphActor.shared) == 7, "the last value is lost")
    require(await values?.next(isolation: GraphActor.shared) == nil)
    require(reader.wrappedValue == -1)
  }
}
