import StateGraph
import StateGraphTesting
import Testing

/// A conflict concerns those who touch the same nodes.
@Suite(.timeLimit(.minutes(5))) struct ClaimTests {
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  /// Runs a body while a transaction that has lost on a node is in its second attempt.
  private static func beside<R: Sendable>(
    oneThatLostOn hot: Stored<Int>, _ body: @Sendable () async throws -> R
  ) async throws -> R {
    let gate = Gate("second attempt")
    async let lost: Void = withGraphTransaction {
      hot.wrappedValue += 1
      if Self.isFirst { await outside { await hot.set(10) } } else { try await gate.pass() }
    }
    try await gate.arrivals(1)
    let result = try await body()
    gate.open()
    try await lost
    return result
  }

  @Test func `unrelated transactions do not notice one that has lost and takes long`() async {
    // The paths that are counted are those of a whole process.
    await #expect(processExitsWith: .success) {
      let (hot, other) = (Stored(0), Stored(0))
      let attempts = try await Self.beside(oneThatLostOn: hot) {
        var attempts = 0
        for _ in 0..<1_000 {
          attempts += try await withGraphTransaction {
            await Task.yield()
            other.wrappedValue += 1
            return GraphTransaction.current?.attempt ?? 0
          }
        }
        return attempts
      }
      #expect(attempts == 1_000)
      #expect(await other.value == 1_000)
      #expect(await hot.value == 11)
      #expect(PathCounts.count(of: .waitsToCommit) == 0)
      #expect(PathCounts.count(of: .waitsForClaim) == 0)
    }
  }

  @Test func `one that only reads the node does not wait, either`() async throws {
    let (hot, other) = (Stored(0), Stored(0))
    let seen = try await Self.beside(oneThatLostOn: hot) {
      try await withGraphTransaction {
        await Task.yield()
        other.wrappedValue = hot.wrappedValue
        return (hot.wrappedValue, GraphTransaction.current?.attempt)
      }
    }
    #expect(seen == (10, 1))
  }

  @Test func `lone writes and synchronous transactions do not wait`() async throws {
    let hot = Stored(0)
    try await Self.beside(oneThatLostOn: hot) {
      await hot.set(20)
      await withGraphTransaction { hot.wrappedValue += 1 }
      #expect(await hot.value == 21)
    }
    #expect(await hot.value == 22)
  }

  @Test func `one that writes the node lets the other go first`() async throws {
    let hot = Stored(0)
    let gate = Gate("second attempt")
    let order = EventLog<String>()
    async let lost: Void = withGraphTransaction {
      hot.wrappedValue += 1
      GraphTransaction.current?.onCommit { order.record("lost") }
      if Self.isFirst { await outside { await hot.set(10) } } else { try await gate.pass() }
    }
    try await gate.arrivals(1)
    let waits = PathCounts.count(of: .waitsToCommit)
    async let blind: Void = withGraphTransaction { () async in
      hot.wrappedValue = 30
      GraphTransaction.current?.onCommit { order.record("blind") }
    }
    while PathCounts.count(of: .waitsToCommit) == waits { await Task.yield() }
    gate.open()
    _ = try await (lost, blind)
    #expect(order.events == ["lost", "blind"])
    #expect(await hot.value == 30)
  }

  @Test func `after two conflicts, it goes first on all that it has read`() async throws {
    let nodes = (0..<20).map { Stored($0) }
    let attempts = try await withGraphTransaction {
      let sum = nodes.reduce(0) { $0 + $1.wrappedValue }
      let attempt = GraphTransaction.current?.attempt ?? 0
      if attempt < 3 { await outside { await nodes[attempt].set(sum) } }
      if attempt == 3 {
        // The other one waits, and so cannot be waited for.
        for node in nodes {
          Task.detached { try await withGraphTransaction { () async in node.wrappedValue = 0 } }
        }
        let waits = PathCounts.count(of: .waitsToCommit)
        while PathCounts.count(of: .waitsToCommit) < waits + nodes.count { await Task.yield() }
      }
      return attempt
    }
    #expect(attempts == 3)
  }

  @Test func `one whose task is cancelled while it waits for its commit commits`() async throws {
    let hot = Stored(0)
    try await Self.beside(oneThatLostOn: hot) {
      let waits = PathCounts.count(of: .waitsToCommit)
      let blind = Task {
        try await withGraphTransaction { () async in hot.wrappedValue = 30 }
      }
      while PathCounts.count(of: .waitsToCommit) == waits { await Task.yield() }
      blind.cancel()
      try await blind.value
      #expect(await hot.value == 30)
    }
    #expect(await hot.value == 31)
  }
}
