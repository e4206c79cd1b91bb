import StateGraph
import Testing

/// The dependency structure alone, with integers for values.
@Suite struct EngineTests {
  @Test func `a derived node runs when it is read first and not before`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) + 1 }
    #expect(graph.takeRuns() == [])
    #expect(graph.read(b) == 2)
    #expect(graph.read(b) == 2)
    #expect(graph.takeRuns() == [b])
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a write marks direct dependents dirty and the rest pending`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let c = graph.derived { $0.read(b) }
    _ = graph.read(c)
    graph.write(2, to: a)
    #expect(graph.isDirty(b))
    #expect(!graph.isDirty(c))
    #expect(!graph.isClean(c))
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a second write enters no node that is marked already`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let c = graph.derived { $0.read(b) }
    let watcher = graph.watcher(of: c)
    graph.write(2, to: a)
    #expect(graph.takeNotified() == [watcher])
    graph.write(3, to: a)
    #expect(graph.takeNotified() == [])
  }

  @Test func `a diamond runs each node once, dependencies first`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) + 1 }
    let c = graph.derived { $0.read(a) + 2 }
    let d = graph.derived { $0.read(b) + $0.read(c) }
    #expect(graph.read(d) == 5)
    _ = graph.takeRuns()
    graph.write(2, to: a)
    #expect(graph.read(d) == 7)
    #expect(graph.takeRuns() == [b, d, c])
    #expect(graph.brokenInvariants == [])
  }

  @Test func `an unchanged intermediate node ends the check without a run`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let parity = graph.derived { $0.read(a) % 2 }
    let b = graph.derived { $0.read(parity) }
    _ = graph.read(b)
    _ = graph.takeRuns()
    graph.write(3, to: a)
    #expect(graph.read(b) == 1)
    #expect(graph.takeRuns() == [parity])
    #expect(graph.isClean(b))
  }

  @Test func `the check stops at the first dependency that changed`() {
    let graph = IntegerGraph()
    let count = graph.source(6)
    let isLong = graph.derived { $0.read(count) > 5 ? 1 : 0 }
    let item = graph.derived { $0.read(count) * 10 }
    let shown = graph.derived { $0.read(isLong) == 1 ? $0.read(item) : -1 }
    #expect(graph.read(shown) == 60)
    _ = graph.takeRuns()
    graph.write(2, to: count)
    #expect(graph.read(shown) == -1)
    #expect(graph.takeRuns() == [isLong, shown])
    #expect(graph.dependencies(of: shown) == [isLong])
    #expect(graph.brokenInvariants == [])
  }

  @Test func `edges follow the order of the first reads, without duplicates`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.source(2)
    let c = graph.derived { graph in
      graph.read(a) + graph.read(b) + graph.read(a) + graph.read(b) + graph.read(a)
    }
    _ = graph.read(c)
    #expect(graph.dependencies(of: c) == [a, b])
    #expect(graph.dependents(of: a) == [c])
    #expect(graph.edgeCount == 2)
  }

  @Test func `a read before and after a nested run that reads the same makes one edge`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let inner = graph.derived { $0.read(a) }
    let outer = graph.derived { $0.read(a) + $0.read(inner) + $0.read(a) }
    #expect(graph.read(outer) == 3)
    #expect(graph.dependencies(of: outer) == [a, inner])
    #expect(graph.dependencies(of: inner) == [a])
    #expect(graph.edgeCount == 3)
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a stable rule uses its edges again`() {
    let graph = IntegerGraph()
    let sources = (0..<10).map { graph.source($0) }
    let sum = graph.derived { graph in sources.reduce(0) { $0 + graph.read($1) } }
    _ = graph.read(sum)
    for value in 1...100 {
      graph.write(value, to: sources[3])
      _ = graph.read(sum)
      #expect(graph.edgeCount == 10)
    }
    #expect(graph.dependencies(of: sum) == sources)
    #expect(graph.dependents(of: sources[9]) == [sum])
  }

  @Test(arguments: [
    [0, 1, 2, 3], [3, 2, 1, 0], [1, 2], [2, 1, 3], [0], [], [3, 0, 1], [4, 0, 1, 2, 3], [0, 2, 4],
  ])
  func `edges follow any change of what is read`(order: [Int]) {
    let graph = IntegerGraph()
    let sources = (0..<5).map { graph.source($0) }
    let selection = graph.source(0)
    let orders = [[0, 1, 2, 3], order]
    let reader = graph.derived { graph in
      orders[graph.read(selection)].reduce(0) { $0 + graph.read(sources[$1]) }
    }
    _ = graph.read(reader)
    graph.write(1, to: selection)
    #expect(graph.read(reader) == order.reduce(0, +))
    #expect(graph.dependencies(of: reader) == [selection] + order.map { sources[$0] })
    #expect(graph.edgeCount == order.count + 1)
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a dropped dependency marks nobody any more`() {
    let graph = IntegerGraph()
    let flag = graph.source(1)
    let a = graph.source(10)
    let b = graph.derived { $0.read(flag) == 1 ? $0.read(a) : 0 }
    _ = graph.read(b)
    graph.write(0, to: flag)
    _ = graph.read(b)
    graph.write(11, to: a)
    #expect(graph.isClean(b))
    #expect(graph.dependents(of: a) == [])
  }

  @Test func `reads while tracking is suspended make no edge`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.source(2)
    let sum = graph.derived { graph in
      let first = graph.read(a)
      let reader = graph.suspendTracking()
      let second = graph.read(b)
      graph.resumeTracking(reader)
      return first + second
    }
    #expect(graph.read(sum) == 3)
    #expect(graph.dependencies(of: sum) == [a])
  }
}
