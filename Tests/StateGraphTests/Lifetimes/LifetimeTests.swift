import StateGraph
import Testing

/// Edges and streams keep nobody alive, and nothing accumulates.
///
/// Tests that count records have a process of their own, where nothing else is in the graph.
@Suite struct LifetimeTests {
  @Test func `records come back to none when everything is dropped on the actor`() async {
    await #expect(processExitsWith: .success) {
      await GraphActor.run {
        let a = Stored(1)
        let b = Computed { _ in a.wrappedValue }
        let c = Computed { _ in a.wrappedValue + b.wrappedValue }
        precondition(c.wrappedValue == 2)
        precondition(Graph.shared.nodeCount == 3)
        precondition(Graph.shared.edgeCount == 3)
      }
      await expectEmptyGraph()
    }
  }

  @Test func `records come back to none when everything is dropped off the actor`() async {
    await #expect(processExitsWith: .success) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for value in 0..<500 {
              let a = Stored(value)
              let b = a.map { $0 + 1 }
              #expect(await b.value == value + 1)
              await a.set(value + 1)
              #expect(await b.value == value + 2)
            }
          }
        }
      }
      await expectEmptyGraph()
    }
  }

  @Test func `a node frees its value once the actor has heard of its release`() async {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let value = Token()
      token = value
      let node = Stored(value)
      #expect(await node.value === value)
    }
    await GraphActor.run {}
    #expect(token == nil)
  }

  @Test func `a rule frees what it captured`() async {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let captured = Token()
      token = captured
      let node = Computed { _ in ObjectIdentifier(captured).hashValue }
      _ = await node.value
    }
    await GraphActor.run {}
    #expect(token == nil)
  }

  @Test func `a computed node does not keep alive what it has stopped reading`() async {
    weak var released: Stored<Int>?
    let flag = Stored(true)
    let registry = Registry()
    do {
      let node = Stored(5)
      released = node
      await registry.set(node)
    }
    let reader = Computed { _ in flag.wrappedValue ? registry.node?.wrappedValue ?? -1 : 0 }
    #expect(await reader.value == 5)
    await registry.set(nil)
    #expect(released == nil)
    #expect(await reader.value == -1)
  }

  @Test func `100,000 changes of a hot node leave nothing in a cold one`() async {
    await #expect(processExitsWith: .success) {
      await GraphActor.run {
        let hot = Stored(0)
        let cold = Stored(1)
        let sum = Computed { _ in hot.wrappedValue + cold.wrappedValue }
        _ = sum.wrappedValue
        let edges = Graph.shared.edgeCount
        for value in 1...100_000 {
          hot.wrappedValue = value
          precondition(sum.wrappedValue == value + 1)
        }
        precondition(Graph.shared.edgeCount == edges)
        precondition(Graph.shared.nodeCount == 3)
        cold.wrappedValue = 2
        precondition(sum.wrappedValue == 100_002)
      }
      await expectEmptyGraph()
    }
  }

  @Test func `100,000 changes of a hot node leave nothing behind in an expression`() async {
    await #expect(processExitsWith: .success) {
      let hot = Stored(0)
      let cold = Stored(1)
      var sums = GraphTrackings { hot.wrappedValue + cold.wrappedValue }.makeAsyncIterator()
      #expect(await sums.next(isolation: nil) == 1)
      for value in 1...100_000 {
        await hot.set(value)
        #expect(await sums.next(isolation: nil) == value + 1)
      }
      await GraphActor.run {
        precondition(Graph.shared.nodeCount == 3)
        precondition(Graph.shared.edgeCount == 2)
      }
    }
  }

  @Test func `nodes that a rule makes in every run are freed and do not make it run again`() async {
    await #expect(processExitsWith: .success) {
      await GraphActor.run {
        let a = Stored(0)
        let c = Computed { _ in
          let inner = Stored(10 * a.wrappedValue)
          Counter.runs += 1
          return inner.wrappedValue
        }
        for value in 0..<1_000 {
          a.wrappedValue = value
          precondition(c.wrappedValue == 10 * value)
          precondition(c.wrappedValue == 10 * value)
        }
        Graph.shared.arrive()
        precondition(Graph.shared.nodeCount == 2, "\(Graph.shared.nodeCount)")
        precondition(Counter.runs == 1_000, "\(Counter.runs)")
      }
    }
  }

  @Test func `what a rule gives up while a released node's last value is taken is freed`() async {
    await #expect(processExitsWith: .success) {
      let source = Stored(0)
      let registry = DerivedRegistry()
      await registry.set(
        Computed { _ in
          let temporary = Stored(source.wrappedValue)
          return temporary.wrappedValue
        })
      var values = await registry.values().makeAsyncIterator()
      #expect(await values.next(isolation: nil) == 0)
      await source.set(1)
      // This rule lets go of the node that the stream follows.
      let dropping = Computed { _ in
        registry.node = nil
        return source.wrappedValue
      }
      #expect(await dropping.value == 1)
      #expect(await values.next(isolation: nil) == 1)
      #expect(await values.next(isolation: nil) == nil)
      await GraphActor.run {
        precondition(Graph.shared.nodeCount == 2, "\(Graph.shared.nodeCount) nodes are left")
        precondition(Graph.shared.brokenInvariants() == [])
      }
    }
  }
}

@GraphActor private final class Registry {
  var node: Stored<Int>?

  nonisolated init() {}

  func set(_ node: Stored<Int>?) { self.node = node }
}

@GraphActor private enum Counter {
  static var runs = 0
}

@GraphActor private final class DerivedRegistry {
  var node: Computed<Int>?

  nonisolated init() {}

  func set(_ node: Computed<Int>) { self.node = node }

  func values() -> GraphValues<Int> { node?.values ?? Computed(constant: 0).values }
}
