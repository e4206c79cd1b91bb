import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Misuse of async nodes ends the process with a message that names them.
@Suite struct AsyncMisuseTests {
  /// Whether a process ended by writing a message.
  private func expect(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(message), "\(output)", sourceLocation: sourceLocation)
  }

  @Test func `an async rule that writes is named with the node it writes`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Stored(0, name: "count")
      let node = AsyncComputed(name: "node") {
        await count.set(1)
        return 0
      }
      _ = try await node.value
    }
    expect("the rule of node writes count", in: result)
  }

  @Test func `limits that make no sense are mistakes`() async {
    let attempts = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = AsyncRetry(maximumAttempts: 0)
    }
    expect("a retry needs at least one attempt", in: attempts)
    let stale = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AsyncComputed(staleAfter: .zero) { 1 }
    }
    expect("the result of an async rule has to hold for some time", in: stale)
    let timeout = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = AsyncComputed(timeout: .seconds(-1)) { 1 }
    }
    expect("an async rule needs some time", in: timeout)
  }

  @Test func `a child task of an async rule that writes is a mistake, too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Stored(0, name: "count")
      let node = AsyncComputed(name: "node") {
        async let write: Void = count.update { $0 += 1 }
        await write
        return 0
      }
      _ = try await node.value
    }
    expect("the rule of node writes count", in: result)
  }

  @Test func `an async rule that opens a transaction is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = AsyncComputed(name: "node") {
        await withGraphTransaction {}
        return 0
      }
      _ = try await node.value
    }
    expect("the rule of node opens a transaction", in: result)
  }

  @Test func `a superseded rule acts for itself`() async throws {
    let gate = Gate("rule")
    let written = Gate("write")
    let count = Stored(0)
    let other = Stored(0)
    let node = AsyncComputed {
      if await count.value == 0 {
        await passHeedlessly(gate)
        await other.set(1)
        written.open()
      }
      return 0
    }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(1)
    _ = try await value
    gate.open()
    try await written.pass()
    #expect(await other.value == 1)
  }

  @Test func `an async rule that awaits its own node prints the cycle`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ring = Ring(["a"])
      _ = try await ring.nodes[0].value
    }
    expect("cycle: a -> a", in: result)
  }

  @Test func `async rules that await each other print the path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ring = Ring(["a", "b", "c"])
      _ = try await ring.nodes[0].value
    }
    expect("cycle: c -> a -> b -> c", in: result)
  }

  @Test func `a cycle of async rules that a write closes prints the path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ring = Ring(["a", "b"])
      let isClosed = Stored(false)
      ring.condition.withLock { $0 = isClosed }
      _ = try await ring.nodes[0].value
      await isClosed.set(true)
      _ = try await ring.nodes[0].value
    }
    expect("cycle: ", in: result)
    expect(" -> a -> b", in: result)
  }

  @Test func `an async rule that reads its own state prints the cycle`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ring = Ring(["a"], readsState: true)
      _ = try await ring.nodes[0].value
      _ = try await ring.nodes[0].value
    }
    expect("cycle: a -> a", in: result)
  }

  @Test func `a comparison of results that writes is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let count = Stored(0, name: "count")
      let node = AsyncComputed(
        name: "node",
        isEqual: { _, _ in
          count.wrappedValue = 1
          return true
        }
      ) { await count.value }
      _ = try await node.value
      await count.set(2)
      _ = try await node.value
    }
    expect("the comparison of values of node writes count", in: result)
  }
}

/// Nodes each of which awaits the next, and the last the first.
private final class Ring: Sendable {
  let condition = Mutex<Stored<Bool>?>(nil)
  private let content = Mutex<[AsyncComputed<Int>]>([])

  var nodes: [AsyncComputed<Int>] { content.withLock { $0 } }

  init(_ names: [String], readsState: Bool = false) {
    let made = names.indices.map { index in
      AsyncComputed(name: names[index]) {
        if readsState { return await self.nodes[index].state.value ?? 0 }
        if index + 1 < names.count { return try await self.nodes[index + 1].value }
        if let condition = self.condition.withLock({ $0 }), await !condition.value { return 0 }
        return try await self.nodes[0].value
      }
    }
    content.withLock { $0 = made }
  }
}
