import StateGraph
import StateGraphTesting
import Testing

/// An async node is a `GraphNode` whose values are its states.
@Suite struct AsyncGraphNodeTests {
  private static func makeNode(_ gate: Gate) -> (input: Stored<Int>, node: AsyncComputed<Int>) {
    let input = Stored(1)
    let node = AsyncComputed { () -> Int in
      let value = await input.value
      try await gate.pass()
      if value < 0 { throw Refused(number: value) }
      return value
    }
    return (input, node)
  }

  @Test func `a node derived by map follows the state`() async throws {
    let (input, node) = Self.makeNode(Gate(isOpen: true))
    let title = node.map { $0.value.map { "\($0)" } ?? "-" }
    var titles = title.values.makeAsyncIterator()
    #expect(await titles.next() == "-")
    #expect(await titles.next() == "1")
    await input.set(2)
    while let title = await titles.next(), title != "2" { #expect(title == "1") }
  }

  @Test func `first waits for a state`() async throws {
    let gate = Gate()
    let (_, node) = Self.makeNode(gate)
    async let state = node.first { !$0.isPending }
    try await gate.arrivals(1)
    gate.open()
    #expect(try await state.value == 1)
  }

  @Test func `changes with a buffer have every state`() async throws {
    let gate = Gate()
    let (input, node) = Self.makeNode(gate)
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next()?.value.summary == "pending")
    gate.open()
    _ = try await node.value
    await input.set(-1)
    _ = try? await node.value
    await input.set(3)
    _ = try await node.value
    var seen: [String] = []
    while seen.last != "success 3", let change = await changes.next() {
      seen.append(change.value.summary)
    }
    #expect(
      seen == [
        "success 1", "pending after 1", "failure after 1", "pending after 1", "success 3",
      ])
  }

  @Test func `code for any node reads the state`() async throws {
    func current<Node: GraphNode>(_ node: Node) async -> Node.Value { await node.value }
    let (_, node) = Self.makeNode(Gate(isOpen: true))
    #expect(await current(node).isPending)
    #expect(try await node.value == 1)
    #expect(await current(node).summary == "success 1")
    #expect(await GraphActor.run { node.wrappedValue.summary } == "success 1")
  }

  @Test func `snapshots have the state of the same version`() async throws {
    let (input, node) = Self.makeNode(Gate(isOpen: true))
    _ = try await node.value
    for number in 2...50 {
      await input.set(number)
      let (value, state) = await GraphSnapshot.values(of: input, node)
      #expect(value == number)
      if case .success(let result) = state { #expect(result == number) }
      let isPaired = await withGraphSnapshot { $0[node].value == $0[input] || $0[node].isPending }
      #expect(isPaired)
    }
  }

  @Test func `a stream that is behind is not told an equal state twice`() async throws {
    let gate = Gate(isOpen: true)
    let (_, node) = Self.makeNode(gate)
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.settled() == "success 1")
    await node.refresh()
    _ = try await node.value
    gate.shut()
    await node.refresh()
    #expect(await consumer.next() == "pending after 1")
  }
}
