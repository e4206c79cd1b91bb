import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Runs, dependents and streams keep no async node alive, and nothing is left of one.
@Suite struct AsyncLifetimeTests {
  @Test func `nothing is left of async nodes that are dropped`() async {
    await #expect(processExitsWith: .success) {
      try await leavingNothing {
        let count = Stored(1)
        let node = AsyncComputed { await count.value }
        let reader = AsyncComputed { try await node.value }
        let value1 = try await reader.value
        #expect(value1 == 1)
        await count.set(2)
        let value2 = try await reader.value
        #expect(value2 == 2)
      }
    }
  }

  @Test func `nothing accumulates over many runs`() async {
    await #expect(processExitsWith: .success) {
      try await leavingNothing {
        let count = Stored(0)
        let node = AsyncComputed { await count.map { $0 + 1 }.value }
        for value in 1...500 {
          await count.set(value)
          let value3 = try await node.value
          #expect(value3 == value + 1)
        }
        await GraphActor.run {}
        let value4 = await Graph.shared.nodeCount
        #expect(value4 < 12)
        let value5 = await Graph.shared.edgeCount
        #expect(value5 < 12)
      }
    }
  }

  @Test func `a node that is released while its rule runs is gone`() async {  // 330
    await #expect(processExitsWith: .success) {
      let log = EventLog<String>()
      let gate = Gate("rule")
      let alive = LiveCount()
      try await leavingNothing {
        let node = AsyncComputed { [token = alive.token()] in
          do { try await gate.pass() } catch { log.record("cancelled") }
          return withExtendedLifetime(token) { 1 }
        }
        _ = await node.state
        try await gate.arrivals(1)
      }
      try await log.wait(for: "cancelled")
      try await alive.wait(for: 0)
    }
  }

  @Test func `a rule that pays no heed publishes nothing after the release`() async {  // 330
    await #expect(processExitsWith: .success) {
      let gate = Gate("rule")
      let ended = Gate("end")
      try await leavingNothing {
        let node = AsyncComputed {
          await passHeedlessly(gate)
          ended.open()
          return 1
        }
        _ = await node.state
        try await gate.arrivals(1)
      }
      let version = await Graph.shared.version
      gate.open()
      try await ended.pass()
      for _ in 0..<20 { await GraphActor.run {} }
      let last = await Graph.shared.version
      #expect(last == version)
    }
  }

  @Test func `who waits for the value keeps the node`() async throws {
    let gate = Gate("rule")
    let waiter = {
      let node = AsyncComputed {
        try await gate.pass()
        return 1
      }
      return Task { try await node.value }
    }()
    try await gate.arrivals(1)
    await GraphActor.run {}
    gate.open()
    #expect(try await waiter.value == 1)
  }

  @Test func `the states end when the node is released`() async throws {
    let gate = Gate("rule")
    let (states, arrived) = {
      let node = AsyncComputed {
        try await gate.pass()
        return 1
      }
      return (node.states, node)
    }()
    let consumer = Task {
      var count = 0
      for await _ in states { count += 1 }
      return count
    }
    try await gate.arrivals(1)
    _ = consume arrived
    #expect(await consumer.value <= 2)
  }

  @Test func `the states end when the task is cancelled`() async throws {
    let gate = Gate("rule")
    let node = AsyncComputed {
      try await gate.pass()
      return 1
    }
    let consumer = Task { for await _ in node.states {} }
    try await gate.arrivals(1)
    consumer.cancel()
    await consumer.value
    withExtendedLifetime(node) {}
  }

  @Test func `a node that has awaited another does not keep it`() async throws {
    let alive = LiveCount()
    let registry = Box<AsyncComputed<Int>>()
    registry.content = AsyncComputed { [token = alive.token()] in
      withExtendedLifetime(token) { 1 }
    }
    let node = AsyncComputed { [registry] in try await registry.take()?.value ?? -1 }
    let held = registry.take()
    #expect(try await node.value == 1)
    withExtendedLifetime(held) {}
    registry.content = nil
    _ = consume held
    try await alive.wait(for: 0)
    #expect(try await node.value == -1)
  }

  @Test func `a released node is no longer waited for by who has awaited it`() async throws {
    let gate = Gate("source", isOpen: true)
    let count = Stored(1)
    let registry = Box<AsyncComputed<Int>>()
    registry.content = AsyncComputed {
      let value = await count.value
      try await gate.pass()
      return value
    }
    let node = AsyncComputed { try await registry.take()?.value ?? -1 }
    #expect(try await node.value == 1)
    gate.shut()
    await count.set(2)
    #expect(await node.state.summary == "pending after 1")
    registry.content = nil
    #expect(try await node.value == -1)
  }

  @Test func `a node that an async rule makes for itself causes no run, whoever is on the actor`()
    async throws
  {
    for _ in 0..<200 {
      let runs = EventLog<Int>()
      let source = Stored(1)
      let node = AsyncComputed {
        runs.record(1)
        return await source.map { $0 * 10 }.value
      }
      // The read begins the rule, which may make its node while the actor is still in that step.
      #expect(try await node.value == 10)
      await GraphActor.run {}
      #expect(try await node.value == 10)
      #expect(runs.events == [1])
    }
  }
}

/// Holds an object that several tasks reach.
private final class Box<Content: AnyObject & Sendable>: Sendable {
  private let storage = Mutex<Content?>(nil)

  var content: Content? {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  func take() -> Content? { content }
}

/// Runs a body and checks that nothing of it is left in the graph.
private func leavingNothing(_ body: () async throws -> Void) async throws {
  try await body()
  for _ in 0..<10 { await GraphActor.run {} }
  await GraphActor.run {
    #expect(Graph.shared.nodeCount == 0)
    #expect(Graph.shared.edgeCount == 0)
    #expect(Graph.shared.participantCount == 0)
    #expect(Graph.shared.brokenInvariants().isEmpty)
  }
}
