import StateGraph
import StateGraphTesting
import Testing

/// A run lasts as long as somebody wants its result.
@Suite struct AsyncDemandTests {
  /// A rule that waits at a gate and records when it is cancelled.
  private final class Rule: Sendable {
    let gate = Gate("rule")
    let log = EventLog<String>()
    let count = Stored(1)

    func run() async throws -> Int {
      let value = await count.value
      do {
        try await gate.pass()
      } catch {
        log.record("cancelled")
        throw error
      }
      return value
    }
  }

  @Test func `the last one who waits stops the run when it is cancelled`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let waiter = Task { try await node.value }
    try await rule.gate.arrivals(1)
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    try await rule.log.wait(for: "cancelled")
    #expect(rule.gate.arrivalCount == 1)
    withExtendedLifetime(node) {}
  }

  @Test func `one who still waits keeps the run`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let first = Task { try await node.value }
    try await rule.gate.arrivals(1)
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.next() == "pending")
    first.cancel()
    _ = await first.result
    await GraphActor.settle()
    rule.gate.open()
    #expect(await consumer.next() == "success 1")
    #expect(rule.log.events.isEmpty)
    #expect(rule.gate.arrivalCount == 1)
  }

  @Test func `after a stop, the next read begins a run`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let waiter = Task { try await node.value }
    try await rule.gate.arrivals(1)
    waiter.cancel()
    try await rule.log.wait(for: "cancelled")
    rule.gate.open()
    #expect(try await node.value == 1)
  }

  @Test func `after a stop, a read through a computed node begins a run`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let summary = Computed { _ in node.state.summary }
    let waiter = Task { try await node.value }
    try await rule.gate.arrivals(1)
    #expect(await summary.value == "pending")
    waiter.cancel()
    try await rule.log.wait(for: "cancelled")
    rule.gate.open()
    #expect(try await summary.first { $0 == "success 1" } == "success 1")
  }

  @Test func `a waiter that is cancelled already begins nothing`() async {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let waiter = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await node.value
    }
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(rule.gate.arrivalCount == 0)
  }

  @Test func `the run stops when the last stream of states ends`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let consumer = Task { for await _ in node.states {} }
    try await rule.gate.arrivals(1)
    consumer.cancel()
    try await rule.log.wait(for: "cancelled")
    withExtendedLifetime(node) {}
  }

  @Test func `the run stops when the last tracking ends`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let summary = Computed { _ in node.state.summary }
    let consumer = Task { for await _ in GraphTrackings({ summary.wrappedValue }) {} }
    try await rule.gate.arrivals(1)
    consumer.cancel()
    try await rule.log.wait(for: "cancelled")
    withExtendedLifetime(node) {}
  }

  @Test func `a stop reaches the nodes that the rule awaits`() async throws {
    let rule = Rule()
    let source = AsyncComputed { try await rule.run() }
    let node = AsyncComputed { try await source.value }
    let waiter = Task { try await node.value }
    try await rule.gate.arrivals(1)
    waiter.cancel()
    try await rule.log.wait(for: "cancelled")
    withExtendedLifetime((source, node)) {}
  }

  @Test func `a stream of states makes a change begin a run`() async throws {
    let rule = Rule()
    rule.gate.open()
    let node = AsyncComputed { try await rule.run() }
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.settled() == "success 1")
    async let next = consumer.settled()
    await rule.count.set(2)
    #expect(await next == "success 2")
    #expect(rule.gate.arrivalCount == 2)
  }

  @Test func `a computed node that nobody reads does not make a change begin a run`() async throws {
    let rule = Rule()
    rule.gate.open()
    let node = AsyncComputed { try await rule.run() }
    let summary = Computed { _ in node.state.summary }
    _ = try await node.value
    #expect(await summary.value == "success 1")
    await rule.count.set(2)
    await GraphActor.settle()
    #expect(rule.gate.arrivalCount == 1)
    #expect(await summary.value == "pending after 1")
    #expect(try await node.value == 2)
    #expect(await summary.value == "success 2")
  }

  @Test func `the states come in order`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.next() == "pending")
    rule.gate.admit()
    #expect(await consumer.next() == "success 1")
    await rule.count.set(2)
    #expect(await consumer.next() == "pending after 1")
    rule.gate.admit()
    #expect(await consumer.next() == "success 2")
  }

  @Test func `a tracked expression follows the state`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    var summaries = GraphTrackings { node.state.summary }.makeAsyncIterator()
    #expect(await summaries.next() == "pending")
    rule.gate.admit()
    #expect(await summaries.next() == "success 1")
    await rule.count.set(2)
    #expect(await summaries.next() == "pending after 1")
    rule.gate.admit()
    #expect(await summaries.next() == "success 2")
  }

  @Test func `a condition on the state is told`() async throws {
    let rule = Rule()
    let node = AsyncComputed { try await rule.run() }
    async let isDone: Void = graphWait { node.state.value == 2 }
    try await rule.gate.arrivals(1)
    await rule.count.set(2)
    try await rule.gate.arrivals(2)
    rule.gate.open()
    try await isDone
  }
}
