import StateGraph
import StateGraphTesting
import Testing

/// Async nodes in transactions, which see results but make none.
@Suite struct AsyncNodeTransactionTests {
  @Test func `a transaction reads a settled value`() async throws {
    let count = Stored(1)
    let node = AsyncComputed { await count.value }
    let other = Stored(0)
    _ = try await node.value
    try await withGraphTransaction { other.wrappedValue = try await node.value }
    #expect(await other.value == 1)
  }

  @Test func `a transaction waits outside for a node that is pending`() async throws {
    let log = EventLog<String>()
    let gate = Gate("rule")
    let node = AsyncComputed {
      try await gate.pass()
      return 1
    }
    let other = Stored(0)
    let waiting = Gate("attempt")
    async let transaction: Void = withGraphTransaction {
      log.record("attempt")
      waiting.admit()
      other.wrappedValue = try await node.value
    }
    try await waiting.pass()
    try await gate.arrivals(1)
    gate.open()
    try await transaction
    #expect(await other.value == 1)
    #expect(log.events.count <= 3)
  }

  @Test func `a transaction that waits sees to it that a changed node runs again`() async throws {
    let gate = Gate("rule")
    let count = Stored(1)
    let node = AsyncComputed {
      let value = await count.value
      try await gate.pass()
      return value
    }
    let other = Stored(0)
    async let transaction: Void = withGraphTransaction {
      other.wrappedValue = try await node.value
    }
    try await gate.arrivals(1)
    await count.set(2)
    try await gate.arrivals(2)
    gate.open()
    try await transaction
    #expect(await other.value == 2)
  }

  @Test func `a change of the result under a transaction is a conflict`() async throws {
    let log = EventLog<Int>()
    let gate = Gate("body")
    let count = Stored(1)
    let node = AsyncComputed { await count.value }
    let other = Stored(0)
    _ = try await node.value
    async let transaction: Void = withGraphTransaction {
      let value = try await node.value
      log.record(value)
      try await gate.pass()
      other.wrappedValue = value
    }
    try await gate.arrivals(1)
    await count.set(2)
    _ = try await node.value
    gate.open()
    try await transaction
    #expect(log.events.first == 1)
    #expect(await other.value == 2)
  }

  @Test func `a write that the node depends on makes it pending in the transaction`() async throws {
    let count = Stored(1)
    let node = AsyncComputed { await count.value }
    _ = try await node.value
    let staged = await withGraphTransaction {
      count.wrappedValue = 2
      return node.state.summary
    }
    #expect(staged == "pending after 1")
    #expect(try await node.value == 2)
  }

  @Test func `to wait for what the transaction itself has changed throws`() async throws {
    let count = Stored(1)
    let node = AsyncComputed(name: "node") { await count.value }
    _ = try await node.value
    do {
      try await withGraphTransaction {
        count.wrappedValue = 2
        _ = try await node.value
      }
      Issue.record("the transaction was committed")
    } catch GraphTransactionError.unsettled {
    }
    #expect(await count.value == 1)
  }

  @Test func `a transaction that is rolled back leaves the result`() async throws {
    let log = EventLog<String>()
    let count = Stored(1)
    let node = AsyncComputed {
      log.record("run")
      return await count.value
    }
    _ = try await node.value
    _ = try? await withGraphTransaction {
      count.wrappedValue = 2
      _ = node.state
      throw Refused()
    }
    #expect(try await node.value == 1)
    #expect(log.events == ["run"])
  }

  @Test func `a wait in a transaction ends with the task`() async throws {
    let gate = Gate("rule")
    let node = AsyncComputed {
      try await gate.pass()
      return 1
    }
    let task = Task { try await withGraphTransaction { _ = try await node.value } }
    try await gate.arrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(node) {}
  }
}
