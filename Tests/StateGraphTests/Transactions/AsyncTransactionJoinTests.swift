import StateGraph
import StateGraphTesting
import Testing

/// Who takes part in a transaction whose body awaits, and who does not.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionJoinTests {
  @Test func `a body that outlives the transaction that it has joined is told so`() async throws {
    let (begun, ended) = (Gate("begun"), Gate("ended"))
    let node = Stored(0)
    let late = try await withGraphTransaction {
      let task = Task {
        try await withGraphTransaction {
          begun.open()
          try await ended.pass()
          node.wrappedValue = 1
        }
      }
      try await begun.pass()
      return task
    }
    ended.open()
    do {
      try await late.value
      Issue.record("the body was not told")
    } catch GraphTransactionError.outlived {
      #expect(await node.value == 1)
    }
  }

  private struct Refused: Error {}

  /// An actor that the body asks for something.
  private actor Clerk {
    func raise(_ node: Stored<Int>) async -> Int {
      await node.update { $0 += 1 }
      return await node.value
    }
  }

  /// Runs a body in a transaction that is discarded, and checks that nothing is left.
  private func discarding(
    _ node: Stored<Int>, _ body: @escaping @GraphActor @Sendable () async throws -> Void
  ) async {
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        try await body()
        throw Refused()
      }
    }
    #expect(await node.value == 0)
  }

  @Test func `another actor that the body awaits`() async {
    let a = Stored(0)
    let clerk = Clerk()
    await discarding(a) {
      a.wrappedValue = 10
      #expect(await clerk.raise(a) == 11)
      #expect(a.wrappedValue == 11)
    }
  }

  @Test func `the main actor`() async {
    let a = Stored(0)
    await discarding(a) {
      await { @MainActor in await a.set(5) }()
      #expect(a.wrappedValue == 5)
    }
  }

  @Test func `an async let`() async {
    let a = Stored(0)
    await discarding(a) {
      async let one: Void = a.set(5)
      await one
      #expect(a.wrappedValue == 5)
    }
  }

  @Test func `a task group`() async {
    let a = Stored(0)
    await discarding(a) {
      await withTaskGroup { group in
        for _ in 0..<10 { group.addTask { await a.update { $0 += 1 } } }
      }
      #expect(a.wrappedValue == 10)
    }
  }

  @Test func `an unstructured task while the transaction is open`() async {
    let a = Stored(0)
    await discarding(a) {
      await Task { await a.set(5) }.value
      #expect(a.wrappedValue == 5)
      #expect(await Task { await a.value }.value == 5)
    }
  }

  @Test func `a detached task does not`() async throws {
    let a = Stored(0)
    try await withGraphTransaction {
      a.wrappedValue = 1
      #expect(await outside { GraphTransaction.current == nil })
      #expect(await outside { await a.value } == 0)
    }
    #expect(await a.value == 1)
  }

  @Test func `a task that outlives the body acts outside`() async throws {
    let a = Stored(0)
    let gate = Gate("after the end")
    let late = try await withGraphTransaction {
      a.wrappedValue = 1
      await Task.yield()
      return Task {
        #expect(await a.value == 1)
        try await gate.pass()
        #expect(GraphTransaction.current == nil)
        await a.update { $0 += 10 }
        #expect(await outside { await a.value } == 11)
        // A transaction of its own, not a part of the one that has ended.
        try await withGraphTransaction {
          await a.set(50)
          #expect(await outside { await a.value } == 11)
        }
      }
    }
    gate.open()
    try await late.value
    #expect(await a.value == 50)
  }

  @Test func `a task that outlives a discarded attempt acts outside`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let gate = Gate("after the end")
    let late = EventLog<Task<Void, any Error>>()
    await discarding(a) {
      a.wrappedValue = 1
      await Task.yield()
      late.record(
        Task {
          try await gate.pass()
          #expect(await a.value == 0)
          await b.set(1)
        })
    }
    gate.open()
    for task in late.events { try await task.value }
    #expect(await b.value == 1)
  }

  @Test func `nested bodies of both kinds join`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    try await withGraphTransaction {
      let outer = GraphTransaction.current
      a.wrappedValue = 1
      try await withGraphTransaction {
        await Task.yield()
        #expect(GraphTransaction.current === outer)
        a.wrappedValue += 1
        withGraphTransaction {
          #expect(GraphTransaction.current === outer)
          b.wrappedValue = a.wrappedValue
        }
      }
      #expect(b.wrappedValue == 2)
      #expect(await outside { await [a.value, b.value] } == [0, 0])
    }
    #expect(await [a.value, b.value] == [2, 2])
    #expect(GraphTransaction.current == nil)
  }

  @Test func `1,000 nested calls join`() async throws {
    @GraphActor @Sendable func nest(_ depth: Int, in node: Stored<Int>) async throws {
      try await withGraphTransaction {
        node.wrappedValue += 1
        if depth > 1 { try await nest(depth - 1, in: node) }
      }
    }
    let a = Stored(0)
    await discarding(a) {
      try await nest(1_000, in: a)
      #expect(a.wrappedValue == 1_000)
    }
    try await nest(1_000, in: a)
    #expect(await a.value == 1_000)
  }

  @Test func `an inner error that the outer body catches leaves the inner writes`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    try await withGraphTransaction {
      a.wrappedValue = 1
      do {
        try await withGraphTransaction {
          await b.set(2)
          throw Refused()
        }
      } catch is Refused {}
      do {
        try withGraphTransaction {
          a.wrappedValue += 10
          throw Refused()
        }
      } catch is Refused {}
    }
    #expect(await [a.value, b.value] == [11, 2])
  }

  @Test func `two transactions at once do not mix`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let first = Gate("the first")
    let second = Gate("the second")
    async let one: Void = withGraphTransaction {
      a.wrappedValue = 1
      try await first.pass()
      #expect([a.wrappedValue, b.wrappedValue] == [1, 0])
    }
    async let other: Void = withGraphTransaction {
      b.wrappedValue = 2
      try await second.pass()
      a.wrappedValue = 3
      #expect([a.wrappedValue, b.wrappedValue] == [3, 2])
    }
    try await first.arrivals(1)
    try await second.arrivals(1)
    first.open()
    try await one
    #expect(await [a.value, b.value] == [1, 0])
    second.open()
    try await other
    #expect(await [a.value, b.value] == [3, 2])
  }
}
