import StateGraph
import Testing

/// Watchers, removal and walks that others make.
@Suite struct EngineMembershipTests {
  @Test func `watchers are taken in the order in which they were marked`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let second = graph.watcher(of: b)
    let first = graph.watcher(of: a)
    graph.write(2, to: a)
    #expect(graph.takeNotified().sorted { $0.index < $1.index } == [second, first])
    #expect(graph.bringUpToDate(second))
    #expect(graph.bringUpToDate(first))
  }

  @Test func `a watcher behind an unchanged node hears nothing`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let parity = graph.derived { $0.read(a) % 2 }
    let watcher = graph.watcher(of: parity)
    graph.write(3, to: a)
    #expect(graph.takeNotified() == [watcher])
    #expect(!graph.bringUpToDate(watcher))
    graph.write(4, to: a)
    #expect(graph.takeNotified() == [watcher])
    #expect(graph.bringUpToDate(watcher))
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a removed node makes its dependents dirty`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let c = graph.derived { $0.read(b) }
    _ = graph.read(c)
    graph.remove(a)
    #expect(graph.isDirty(b))
    #expect(!graph.isClean(c))
    #expect(graph.edgeCount == 1)
    #expect(graph.nodeCount == 2)
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a removed node in the middle passes on that it may have changed`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let c = graph.derived { $0.read(b) }
    _ = graph.read(c)
    graph.write(2, to: a)
    graph.remove(b)
    #expect(graph.isDirty(c))
    #expect(graph.brokenInvariants == [])
  }

  @Test func `a removed watcher leaves the queue`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let first = graph.watcher(of: a)
    let second = graph.watcher(of: a)
    graph.write(2, to: a)
    graph.remove(first)
    #expect(graph.takeNotified() == [second])
  }

  @Test func `what a rule made for itself does not invalidate it when it goes`() {
    let graph = IntegerGraph()
    var made: NodeID?
    let outer = graph.derived { graph in
      let temporary = graph.source(5)
      let value = graph.read(temporary)
      made = temporary
      return value
    }
    #expect(graph.read(outer) == 5)
    if let made { graph.remove(made) }
    #expect(graph.isClean(outer))
    #expect(graph.brokenInvariants == [])
  }

  @Test func `ids are used again and the slabs do not grow`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    var places: Set<UInt32> = []
    for _ in 0..<1_000 {
      let b = graph.derived { $0.read(a) }
      _ = graph.read(b)
      places.insert(b.index)
      graph.remove(b)
    }
    #expect(places.count == 1)
    #expect(graph.nodeCount == 1)
    #expect(graph.edgeCount == 0)
  }

  @Test func `a cycle that a check meets is reported with its path`() {
    let graph = IntegerGraph()
    let flag = graph.source(0)
    var y = NodeID.none
    let gate = graph.derived { $0.read(flag) }
    let x = graph.derived { $0.read(gate) == 0 ? $0.read(y) : 0 }
    y = graph.derived { $0.read(flag) }
    _ = graph.read(x)
    graph.write(1, to: flag)
    // Somebody is at work on `y` when the check of `x` needs it.
    graph.write(0, to: flag)
    graph.beginRun(y)
    let walk = graph.beginWalk(to: x)
    #expect(graph.advance(walk) == .run(gate))
    graph.beginRun(gate)
    graph.recordRead(of: flag)
    graph.endRun(changed: false)
    #expect(graph.advance(walk) == .cycle(met: y, checked: x))
    #expect(graph.cyclePath(to: y, from: x) == [y, x, y])
  }

  @Test func `what is downstream is collected once`() {
    let graph = IntegerGraph()
    let a = graph.source(1)
    let b = graph.derived { $0.read(a) }
    let c = graph.derived { $0.read(a) }
    let d = graph.derived { $0.read(b) + $0.read(c) }
    let apart = graph.derived { _ in 1 }
    _ = graph.read(d)
    _ = graph.read(apart)
    #expect(graph.downstream(of: a) == [b, c, d])
  }
}
