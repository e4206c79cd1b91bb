import StateGraph
import StateGraphTesting
import Testing

/// What is called at the end of a transaction.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionHandlerTests {
  private struct Refused: Error {}

  @Test func `the handlers of a commit are called once, outside, in order`() async throws {
    let a = Stored(0)
    let log = EventLog<String>()
    try await withGraphTransaction {
      let transaction = GraphTransaction.current
      transaction?.onRollback { log.record("rollback") }
      transaction?.onCommit {
        let isOutside = GraphTransaction.current == nil
        let hasVersion = transaction?.commitVersion != nil
        log.record("first \(a.wrappedValue) \(isOutside) \(hasVersion)")
        // Is committed next.
        a.wrappedValue += 10
      }
      a.wrappedValue = 1
      try await withGraphTransaction {
        await Task.yield()
        GraphTransaction.current?.onCommit { log.record("second \(a.wrappedValue)") }
      }
      #expect(log.events == [])
    }
    #expect(log.events == ["first 1 true true", "second 11"])
    #expect(await a.value == 11)
  }

  @Test @GraphActor func `the handlers of a synchronous body, too`() {
    let a = Stored(0)
    let log = EventLog<String>()
    withGraphTransaction {
      let transaction = GraphTransaction.current
      transaction?.onCommit {
        log.record("\(a.wrappedValue) \(GraphTransaction.current == nil)")
        withGraphTransaction { a.wrappedValue = 2 }
      }
      a.wrappedValue = 1
    }
    try? withGraphTransaction {
      a.wrappedValue = 3
      GraphTransaction.current?.onCommit { log.record("commit") }
      GraphTransaction.current?.onRollback { log.record("rollback \(a.wrappedValue)") }
      throw Refused()
    }
    #expect(log.events == ["1 true", "rollback 2"])
  }

  @Test func `each attempt has its own handlers`() async throws {
    let a = Stored(0)
    let log = EventLog<String>()
    try await withGraphTransaction {
      let attempt = GraphTransaction.current?.attempt ?? 0
      GraphTransaction.current?.onCommit { log.record("commit \(attempt)") }
      GraphTransaction.current?.onRollback {
        log.record("rollback \(attempt) \(a.wrappedValue) \(GraphTransaction.current == nil)")
      }
      let before = a.wrappedValue
      if attempt < 3 { await outside { await a.set(before + 1) } }
      a.wrappedValue = before + 100
    }
    #expect(log.events == ["rollback 1 1 true", "rollback 2 2 true", "commit 3"])
    #expect(await a.value == 102)
  }

  @Test func `an error calls the handlers of a rollback once`() async {
    let a = Stored(0)
    let log = EventLog<String>()
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        GraphTransaction.current?.onCommit { log.record("commit") }
        GraphTransaction.current?.onRollback { log.record("one \(a.wrappedValue)") }
        GraphTransaction.current?.onRollback { log.record("two") }
        await a.set(1)
        throw Refused()
      }
    }
    #expect(log.events == ["one 0", "two"])
  }

  @Test func `a handler that comes too late is called at once, or never`() async throws {
    struct Refused: Error {}
    let called = EventLog<String>()
    let committed = try await withGraphTransaction {
      await Task.yield()
      return GraphTransaction.current
    }
    await committed?.onCommit { called.record("commit") }
    await committed?.onRollback { called.record("no rollback") }
    let discarded = EventLog<GraphTransaction?>()
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        await Task.yield()
        discarded.record(GraphTransaction.current)
        throw Refused()
      }
    }
    await discarded.events[0]?.onCommit { called.record("no commit") }
    await discarded.events[0]?.onRollback { called.record("rollback") }
    #expect(called.events == ["commit", "rollback"])
  }

  @Test func `a task that races the end of its transaction has its handler called`() async throws {
    let count = Stored(0)
    let called = EventLog<Int>()
    for round in 1...500 {
      let late = EventLog<Task<Void, Never>>()
      try await withGraphTransaction { () async throws in
        count.wrappedValue = round
        late.record(
          Task { @concurrent in
            await GraphTransaction.current?.onCommit { called.record(count.wrappedValue) }
          })
        for _ in 0..<round % 7 { await Task.yield() }
      }
      await late.events[0].value
    }
    #expect(called.events.allSatisfy { 1...500 ~= $0 })
  }

  @Test func `the handlers are let go of`() async throws {
    let alive = LiveCount()
    try await withGraphTransaction {
      let token = alive.token()
      GraphTransaction.current?.onCommit { withExtendedLifetime(token) {} }
      GraphTransaction.current?.onRollback { withExtendedLifetime(token) {} }
      await Task.yield()
    }
    try await alive.wait(for: 0)
  }

  @Test func `what a handler reads is nobody's dependency`() async {
    await #expect(processExitsWith: .success) {
      let trigger = Stored(0)
      let target = Stored(0)
      let read = Stored(0)
      var values = GraphTrackings {
        let value = trigger.wrappedValue
        withGraphTransaction {
          target.wrappedValue = value
          GraphTransaction.current?.onCommit { _ = read.wrappedValue }
        }
        return value
      }.makeAsyncIterator()
      #expect(await values.next(isolation: nil) == 0)
      await GraphActor.run { #expect(Graph.shared.edgeCount == 1) }
      withExtendedLifetime((trigger, target, read, values)) {}
    }
  }
}
