import StateGraph
import StateGraphTesting
import Testing

/// What a handler of a rollback is told, and limits of time.
@Suite(.timeLimit(.minutes(5))) struct RollbackReasonTests {
  private struct Refused: Error, Equatable {}

  /// Asks the transaction to note why it is discarded.
  @GraphActor
  private static func note(in log: EventLog<String>) {
    GraphTransaction.current?.onRollback { reason in
      switch reason {
      case .conflict: log.record("conflict")
      case .lastConflict: log.record("last conflict")
      case .error(let error): log.record("error \(error)")
      case .cancelled: log.record("cancelled")
      case .waiting: log.record("waiting")
      }
    }
  }

  @Test func `a conflict, and the last one`() async throws {
    let a = Stored(0)
    let log = EventLog<String>()
    await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction(maximumAttempts: 3) {
        Self.note(in: log)
        a.wrappedValue += 1
        await outside { await a.update { $0 += 1 } }
      }
    }
    #expect(log.events == ["conflict", "conflict", "last conflict"])
  }

  @Test func `an error, of an asynchronous and of a synchronous body`() async throws {
    let log = EventLog<String>()
    await #expect(throws: Refused()) {
      try await withGraphTransaction {
        Self.note(in: log)
        await Task.yield()
        throw Refused()
      }
    }
    await #expect(throws: Refused()) {
      try await GraphActor.run {
        try withGraphTransaction {
          Self.note(in: log)
          throw Refused()
        }
      }
    }
    #expect(log.events == ["error Refused()", "error Refused()"])
  }

  @Test func `a cancellation`() async throws {
    let log = EventLog<String>()
    let gate = Gate("body")
    let task = Task {
      try await withGraphTransaction {
        Self.note(in: log)
        try await gate.pass()
      }
    }
    try await gate.arrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.events == ["cancelled"])
  }

  @Test func `a wait`() async throws {
    let a = Stored(0)
    let log = EventLog<String>()
    async let done: Void = withGraphTransaction {
      Self.note(in: log)
      try await graphWait { a.wrappedValue == 1 }
    }
    try await log.wait { $0 == ["waiting"] }
    await a.set(1)
    try await done
    #expect(log.events == ["waiting"])
  }

  @Test func `one that comes late is told the reason at once`() async throws {
    let log = EventLog<String>()
    let discarded = EventLog<GraphTransaction?>()
    try? await withGraphTransaction {
      discarded.record(GraphTransaction.current)
      await Task.yield()
      throw Refused()
    }
    await discarded.events[0]?.onRollback { reason in
      if case .error(is Refused) = reason { log.record("refused") }
    }
    #expect(log.events == ["refused"])
  }

  // MARK: - Time

  @Test func `a body that takes too long is cancelled, and nothing is committed`() async throws {
    let a = Stored(0)
    let log = EventLog<String>()
    let error = await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction(timeout: .milliseconds(20)) {
        Self.note(in: log)
        a.wrappedValue = 1
        try await Task.sleep(for: .seconds(60))
      }
    }
    #expect(error?.code == .timedOut)
    #expect(error?.attempts == 1)
    #expect(
      error?.description
        == "StateGraph: the transaction was not committed in time, after 1 attempts")
    #expect(log.events == ["cancelled"])
    #expect(await a.value == 0)
  }

  @Test func `a wait inside ends when the time is up`() async throws {
    let a = Stored(0)
    let error = await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction(timeout: .milliseconds(20)) {
        try await graphWait { a.wrappedValue == 1 }
      }
    }
    #expect(error?.code == .timedOut)
  }

  @Test func `a body that returns all the same is committed`() async throws {
    let a = Stored(0)
    let result = try await withGraphTransaction(timeout: .milliseconds(20)) {
      try? await Task.sleep(for: .seconds(60))
      a.wrappedValue = 1
      return "done"
    }
    #expect(result == "done")
    #expect(await a.value == 1)
  }

  @Test func `in time, the limit changes nothing`() async throws {
    let a = Stored(0)
    try await withGraphTransaction(timeout: .seconds(60)) {
      await Task.yield()
      a.wrappedValue = 1
    }
    await #expect(throws: Refused()) {
      try await withGraphTransaction(timeout: .seconds(60)) { () async throws in throw Refused() }
    }
    #expect(await a.value == 1)
  }

  @Test func `a task that is cancelled from outside has not run out of time`() async throws {
    let gate = Gate("body")
    let task = Task {
      try await withGraphTransaction(timeout: .seconds(60)) { try await gate.pass() }
    }
    try await gate.arrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
