import StateGraph
import StateGraphTesting

// Writes, marks, checks and runs.

extension Scenario {
  static let marks = [
    equalWrite, chain, forks, diamond, marksMeet, cutoff, readingOrder, movedRead, sharedRead,
    promotion, swapToStale, untracked,
  ]

  private static let equalWrite = Scenario(
    "an equal write makes no commit", [.cutOffAtSource]
  ) {
    let a = Stored(1)
    let before = await latestVersion()
    await a.set(1)
    require(await latestVersion() == before)
    await a.set(2)
    require(await latestVersion() == before + 1)
    require(await a.value == 2)
  }

  private static let chain = Scenario(
    "a write marks what is downstream, and a read runs it from the source on",
    [
      .commitsAssignment, .registersNode, .addsDependency, .marksDirty, .marksPending, .readsDirty,
      .readsPending, .checksUpstream, .stopsAtChange, .keepsDependency, .changesComputed,
    ]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let b = log.computed("b") { a.wrappedValue + 1 }
    let c = log.computed("c") { b.wrappedValue + 1 }
    let d = log.computed("d") { c.wrappedValue + 1 }
    require(d.wrappedValue == 4)
    require(log.take() == ["d", "c", "b"])
    a.wrappedValue = 2
    require(d.wrappedValue == 5)
    require(log.take() == ["b", "c", "d"])
    require(d.wrappedValue == 5)
    require(log.take() == [])
  }

  private static let forks = Scenario(
    "a write reaches every dependent, and theirs", [.marksFork]
  ) { @GraphActor in
    let a = Stored(1)
    let direct = (0..<4).map { offset in Computed { _ in a.wrappedValue + offset } }
    let further = direct.map { node in node.map { $0 * 10 } }
    for _ in 0..<3 {
      require(direct.map(\.wrappedValue) == (0..<4).map { a.wrappedValue + $0 })
      require(further.map(\.wrappedValue) == (0..<4).map { (a.wrappedValue + $0) * 10 })
      a.wrappedValue += 1
    }
  }

  private static let diamond = Scenario(
    "a node where two paths join runs once", [.meetsPending, .runsNested, .readsCurrent]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let left = log.computed("left") { a.wrappedValue + 1 }
    let right = log.computed("right") { a.wrappedValue * 10 }
    let join = log.computed("join") { left.wrappedValue + right.wrappedValue }
    require(join.wrappedValue == 12)
    _ = log.take()
    a.wrappedValue = 2
    require(join.wrappedValue == 23)
    require(log.take() == ["left", "join", "right"])
  }

  private static let marksMeet = Scenario(
    "a node that is marked already is not entered again",
    [.meetsSpread, .meetsDirty, .pendingBecomesDirty]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let x = Stored(1)
    let y = Stored(1)
    let b = log.computed("b") { a.wrappedValue / 10 }
    let c = log.computed("c") { b.wrappedValue + x.wrappedValue + y.wrappedValue }
    require(c.wrappedValue == 2)
    _ = log.take()
    a.wrappedValue = 2
    a.wrappedValue = 3
    x.wrappedValue = 5
    y.wrappedValue = 5
    require(c.wrappedValue == 10)
    require(log.take() == ["c", "b"])
  }

  private static let cutoff = Scenario(
    "a result that is equal to the one before stops the wave", [.cutsOffAtComputed, .verifiesClean]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let parity = log.computed("parity") { a.wrappedValue % 2 }
    let top = log.computed("top") { parity.wrappedValue * 100 }
    require(top.wrappedValue == 100)
    _ = log.take()
    a.wrappedValue = 3
    require(top.wrappedValue == 100)
    require(log.take() == ["parity"])
  }

  private static let readingOrder = Scenario(
    "a check stops at the first dependency that has changed, and a run drops what it does not read",
    [.dropsDependency, .stopsAtChange]
  ) { @GraphActor in
    let log = EventLog<String>()
    let list = Stored([1, 2])
    let factor = Stored(1)
    let count = log.computed("count") { list.wrappedValue.count }
    let last = log.computed("last") { list.wrappedValue[1] * factor.wrappedValue }
    let top = log.computed("top") { count.wrappedValue > 1 ? last.wrappedValue : -1 }
    require(top.wrappedValue == 2)
    _ = log.take()
    list.wrappedValue = [1]
    // To run `last` now would be out of bounds.
    require(top.wrappedValue == -1)
    require(log.take() == ["count", "top"])
    factor.wrappedValue = 5
    list.wrappedValue = [3]
    require(top.wrappedValue == -1)
    require(log.take() == ["count"])
  }

  private static let movedRead = Scenario(
    "a run may read the same nodes in another order, or twice", [.movesDependency, .readsTwice]
  ) { @GraphActor in
    let swapped = Stored(false)
    let a = Stored(1)
    let b = Stored(2)
    let c = Computed { _ in
      let pair =
        swapped.wrappedValue
        ? (b.wrappedValue, a.wrappedValue) : (a.wrappedValue, b.wrappedValue)
      return pair.0 * 10 + pair.1 + a.wrappedValue - a.wrappedValue
    }
    let edges = Graph.shared.edgeCount
    require(c.wrappedValue == 12)
    swapped.wrappedValue = true
    require(c.wrappedValue == 21)
    require(Graph.shared.edgeCount == edges + 3)
    a.wrappedValue = 5
    require(c.wrappedValue == 25)
  }

  private static let sharedRead = Scenario(
    "an outer run still knows what it has read after an inner one has read it, too",
    [.restoresStamp]
  ) { @GraphActor in
    let x = Stored(1)
    let inner = Computed { _ in x.wrappedValue * 10 }
    let outer = Computed { _ in x.wrappedValue + inner.wrappedValue + x.wrappedValue }
    let edges = Graph.shared.edgeCount
    require(outer.wrappedValue == 12)
    require(Graph.shared.edgeCount == edges + 3)
    require(Graph.shared.brokenInvariants() == [])
    x.wrappedValue = 2
    require(outer.wrappedValue == 24)
  }

  private static let promotion = Scenario(
    "a new value is news to every pending dependent", [.promotesDependent]
  ) { @GraphActor in
    let a = Stored(1)
    let b = Computed { _ in a.wrappedValue + 1 }
    let tops = (0..<3).map { offset in Computed { _ in b.wrappedValue + offset } }
    require(tops.map(\.wrappedValue) == [2, 3, 4])
    a.wrappedValue = 2
    require(tops.map(\.wrappedValue) == [3, 4, 5])
  }

  private static let swapToStale = Scenario(
    "a rule that changes over to a stale node gets its current value", [.runsNested, .readsPending]
  ) { @GraphActor in
    let log = EventLog<String>()
    let flag = Stored(false)
    let a = Stored(1)
    let deep = log.computed("deep") { a.wrappedValue + 1 }
    let deeper = log.computed("deeper") { deep.wrappedValue + 1 }
    let top = log.computed("top") { flag.wrappedValue ? deeper.wrappedValue : 0 }
    require([deeper.wrappedValue, top.wrappedValue] == [3, 0])
    _ = log.take()
    a.wrappedValue = 10
    flag.wrappedValue = true
    require(top.wrappedValue == 12)
    require(log.take() == ["top", "deep", "deeper"])
  }

  private static let untracked = Scenario(
    "a read without tracking is no dependency", [.suspendsTracking]
  ) { @GraphActor in
    let a = Stored(1)
    let b = Stored(1)
    let sum = Computed { context in
      context.withoutTracking { a.wrappedValue } + b.wrappedValue
    }
    require(sum.wrappedValue == 2)
    a.wrappedValue = 10
    require(sum.wrappedValue == 2)
    b.wrappedValue = 2
    require(sum.wrappedValue == 12)
  }
}
