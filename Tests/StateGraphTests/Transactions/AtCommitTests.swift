import StateGraph
import StateGraphTesting
import Testing

/// Closures that are called in the committing step.
@Suite(.timeLimit(.minutes(5))) struct AtCommitTests {
  private struct SoldOut: Error, Equatable {}

  @Test func `a counter is incremented without a second attempt`() async throws {
    let counter = Stored(0)
    let bodies = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          for _ in 0..<25 {
            try await withGraphTransaction(maximumAttempts: 1) {
              bodies.record(number)
              try GraphTransaction.current?.atCommit { counter.wrappedValue += 1 }
              await Task.yield()
            }
          }
        }
      }
    }
    #expect(await counter.value == 400)
    #expect(bodies.events.count == 400)
  }

  @Test func `it reads the newest values, and what the body has staged`() async throws {
    let (a, b) = (Stored(1), Stored(1))
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    let seen = EventLog<[Int]>()
    try await withGraphTransaction {
      b.wrappedValue = 10
      try GraphTransaction.current?.atCommit {
        seen.record([a.wrappedValue, b.wrappedValue, sum.wrappedValue])
      }
      await outside { await a.set(5) }
    }
    #expect(seen.events == [[5, 10, 15]])
    #expect(await sum.value == 15)
  }

  @Test func `what it writes is committed with the rest`() async throws {
    let (a, b) = (Stored(0), Stored(0))
    let pair = Computed { _ in [a.wrappedValue, b.wrappedValue] }
    let seen = EventLog<[Int]>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { seen.record(pair.wrappedValue) }
    }
    try await withGraphTransaction {
      await Task.yield()
      a.wrappedValue = 1
      try GraphTransaction.current?.atCommit { b.wrappedValue = a.wrappedValue + 1 }
    }
    #expect(seen.events == [[0, 0], [1, 2]])
    tracking.cancel()
  }

  @Test func `an error discards everything, and the call throws it`() async throws {
    let (stock, order) = (Stored(1), Stored(0))
    let reasons = EventLog<String>()
    await #expect(throws: SoldOut()) {
      try await withGraphTransaction {
        order.wrappedValue = 1
        GraphTransaction.current?.onRollback { reason in
          if case .error(is SoldOut) = reason { reasons.record("sold out") }
        }
        try GraphTransaction.current?.atCommit {
          guard stock.wrappedValue > 0 else { throw SoldOut() }
          stock.wrappedValue -= 1
        }
        await outside { await stock.set(0) }
      }
    }
    #expect(await [stock.value, order.value] == [0, 0])
    #expect(reasons.events == ["sold out"])
  }

  @Test func `an attempt that meets a conflict does not call it`() async throws {
    let (read, target) = (Stored(0), Stored(0))
    let calls = EventLog<Int>()
    try await withGraphTransaction {
      let attempt = GraphTransaction.current?.attempt ?? 0
      _ = read.wrappedValue
      try GraphTransaction.current?.atCommit {
        calls.record(attempt)
        target.wrappedValue += 1
      }
      if attempt == 1 { await outside { await read.set(1) } }
    }
    #expect(calls.events == [2])
    #expect(await target.value == 1)
  }

  @Test func `closures are called in order, and one that one of them asks for at once`()
    async throws
  {
    let log = EventLog<String>()
    try await withGraphTransaction {
      await Task.yield()
      try GraphTransaction.current?.atCommit {
        log.record("first")
        try GraphTransaction.current?.atCommit { log.record("inner") }
        log.record("first again")
      }
      try GraphTransaction.current?.atCommit { log.record("second") }
    }
    #expect(log.events == ["first", "inner", "first again", "second"])
  }

  @Test func `a synchronous body calls it at once`() async throws {
    let (a, log) = (Stored(0), EventLog<Int>())
    await #expect(throws: SoldOut()) {
      try await GraphActor.run {
        try withGraphTransaction {
          a.wrappedValue = 1
          try GraphTransaction.current?.atCommit { log.record(a.wrappedValue) }
          a.wrappedValue = 2
          try GraphTransaction.current?.atCommit { throw SoldOut() }
        }
      }
    }
    #expect(log.events == [1])
    #expect(await a.value == 0)
  }

  @Test func `after the end of the transaction it throws`() async throws {
    let ended = try await withGraphTransaction { () async in GraphTransaction.current }
    let error = await #expect(throws: GraphTransactionError.self) {
      try await ended?.atCommit {}
    }
    #expect(error?.code == .outlived)
  }

  @Test func `what a handler of an assignment is told is no read`() async throws {
    let node = Stored(0)
    let told = EventLog<[Int]>()
    await node.onDidSet { told.record([$0, $1]) }
    let attempts = try await withGraphTransaction {
      node.wrappedValue = 5
      await outside { await node.set(1) }
      node.wrappedValue = 6
      return GraphTransaction.current?.attempt
    }
    #expect(attempts == 1)
    #expect(told.events == [[0, 5], [0, 1], [5, 6]])
    #expect(await node.value == 6)
  }
}
