import StateGraph
import Testing

/// Stored and computed nodes: what counts as a change, and the ways to reach them.
@Suite struct NodeTests {
  private final class Box: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
  }

  private struct Plain: Sendable { var value: Int }

  /// How many of three writes count: two the same as before, one different.
  @GraphActor
  private func changes<Value>(_ node: Stored<Value>, _ same: Value, _ other: Value) -> UInt64 {
    let before = Graph.shared.version
    node.wrappedValue = same
    node.wrappedValue = same
    node.wrappedValue = other
    return Graph.shared.version - before
  }

  @Test @GraphActor func `an equal value of an Equatable type is no change`() {
    #expect(changes(Stored(1), 1, 2) == 1)
    #expect(changes(Stored(wrappedValue: [1]), [1], [2]) == 1)
  }

  @Test @GraphActor func `the same object is no change, another one is`() {
    let box = Box(1)
    #expect(changes(Stored(box), box, Box(1)) == 1)
  }

  @Test @GraphActor func `the same object in an optional is no change, another one is`() {
    let box = Box(1)
    #expect(changes(Stored<Box?>(box), box, nil) == 1)
    #expect(changes(Stored<Box?>(nil), nil, box) == 1)
  }

  @Test @GraphActor func `every write of any other type is a change`() {
    #expect(changes(Stored(Plain(value: 1)), Plain(value: 1), Plain(value: 1)) == 3)
  }

  @Test @GraphActor func `generic code finds an Equatable type`() {
    func make<Value: Sendable>(_ value: Value) -> Stored<Value> { Stored(value) }
    #expect(changes(make(1), 1, 2) == 1)
    #expect(changes(make(Plain(value: 1)), Plain(value: 1), Plain(value: 2)) == 3)
  }

  @Test @GraphActor func `generic code finds an Equatable type of a computed node`() {
    func derive<Value: Sendable>(_ node: Stored<Int>, _ value: Value) -> Computed<Value> {
      Computed { _ in
        _ = node.wrappedValue
        return value
      }
    }
    let log = Recorder()
    let source = Stored(0)
    let constant = derive(source, 5)
    let reader = Computed { _ in
      log.record("run")
      return constant.wrappedValue
    }
    _ = reader.wrappedValue
    source.wrappedValue = 1
    _ = reader.wrappedValue
    #expect(log.take() == ["run"])
  }

  @Test @GraphActor func `a comparison of one's own decides`() {
    let node = Stored(0) { old, new in abs(old - new) < 10 }
    node.wrappedValue = 9
    #expect(node.wrappedValue == 0)
    node.wrappedValue = 10
    #expect(node.wrappedValue == 10)
  }

  @Test @GraphActor func `a constant is current for ever`() {
    let constant = Computed(constant: 5)
    let sum = Computed { _ in constant.wrappedValue + 1 }
    #expect(sum.wrappedValue == 6)
    #expect(withGraphTransaction { sum.wrappedValue } == 6)
    #expect(constant.wrappedValue == 5)
  }

  @Test func `values are read, set and updated from any isolation`() async {
    let node = Stored(1)
    let double = node.map { $0 * 2 }
    await node.set(5)
    #expect(await node.value == 5)
    #expect(await node.wrappedValue == 5)
    #expect(await double.value == 10)
    let old = await node.update { value -> Int in
      defer { value += 1 }
      return value
    }
    #expect(old == 5)
    #expect(await node.value == 6)
    await node.update { $0 += 1 }
    #expect(await GraphActor.run { double.wrappedValue } == 14)
  }

  @Test func `an update whose body throws leaves the value`() async {
    struct Refused: Error {}
    let node = Stored(1)
    await #expect(throws: Refused.self) {
      try await node.update { value in
        value = 5
        throw Refused()
      }
    }
    #expect(await node.value == 1)
    await node.update { $0 += 1 }
    #expect(await node.value == 2)
  }

  @Test func `concurrent updates lose none`() async {
    let node = Stored(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { for _ in 0..<100 { await node.update { $0 += 1 } } }
      }
    }
    #expect(await node.value == 2_000)
  }

  @Test @GraphActor func `an in-place modification tells nobody`() {
    let node = Stored([1])
    let count = node.map(\.count)
    #expect(count.wrappedValue == 1)
    let before = Graph.shared.version
    node.unsafeModify { $0.append(2) }
    #expect(node.wrappedValue == [1, 2])
    #expect(count.wrappedValue == 1)
    #expect(Graph.shared.version == before)
  }

  @Test @GraphActor func `an untracked read makes no dependency`() {
    let a = Stored(1)
    let b = Stored(10)
    let sum = Computed { context in
      a.wrappedValue + context.withoutTracking { b.wrappedValue }
    }
    #expect(sum.wrappedValue == 11)
    b.wrappedValue = 20
    #expect(sum.wrappedValue == 11)
    a.wrappedValue = 2
    #expect(sum.wrappedValue == 22)
  }

  @Test func `ids tell nodes apart and carry their names`() {
    let a = Stored(1, name: "a")
    let b = Stored(1)
    let c = Computed(name: "c") { _ in 1 }
    #expect(a.id == a.id)
    #expect(a.id != b.id)
    #expect(a.id.description == "a")
    #expect(b.id.description.hasPrefix("StateGraphTests/NodeTests.swift:"))
    #expect(c.id.description == "c")
    #expect(Set([a.id, a.id, b.id, c.id]).count == 3)
  }

  @Test func `code can take any kind of node`() async {
    func latest<Value>(of node: some GraphNode<Value>) async -> Value { await node.value }
    let stored = Stored(1)
    let computed = stored.map { $0 + 1 }
    #expect(await latest(of: stored) == 1)
    #expect(await latest(of: computed) == 2)
    let nodes: [any GraphNode<Int>] = [stored, computed]
    #expect(await nodes[1].value == 2)
  }
}

/// Values that rules reach by key.
@Suite struct EnvironmentTests {
  private enum Rate: GraphEnvironmentKey {
    static var defaultValue: Int { 2 }
  }

  private enum Scale: GraphEnvironmentKey {
    static var defaultValue: Int { 10 }
  }

  private enum Staged: GraphEnvironmentKey {
    static var defaultValue: Int { 0 }
  }

  @Test @GraphActor func `a change runs the rules that have read the value, and no other`() {
    let log = Recorder()
    let price = Stored(100)
    let rated = Computed { context in
      log.record("rated")
      return price.wrappedValue * context.environment[Rate.self]
    }
    let scaled = Computed { context in
      log.record("scaled")
      return price.wrappedValue * context.environment[Scale.self]
    }
    #expect([rated.wrappedValue, scaled.wrappedValue] == [200, 1_000])
    _ = log.take()
    GraphActor.environment[Rate.self] = 3
    #expect([rated.wrappedValue, scaled.wrappedValue] == [300, 1_000])
    #expect(log.take() == ["rated"])
    GraphActor.environment[Rate.self] = 3
    _ = rated.wrappedValue
    #expect(log.take() == [])
  }

  @Test @GraphActor func `an assignment takes part in a transaction`() {
    struct Refused: Error {}
    let value = Computed { context in context.environment[Staged.self] }
    #expect(throws: Refused.self) {
      try withGraphTransaction {
        GraphActor.environment[Staged.self] = 1
        #expect(value.wrappedValue == 1)
        throw Refused()
      }
    }
    #expect(value.wrappedValue == 0)
  }
}
