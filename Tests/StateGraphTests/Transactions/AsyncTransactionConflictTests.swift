import StateGraph
import StateGraphTesting
import Testing

/// What a transaction meets when others commit under it.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionConflictTests {
  /// Whether this is the first attempt of the body that asks.
  private static var isFirst: Bool { GraphTransaction.current?.attempt == 1 }

  @Test func `a body whose reads others change is run again`() async throws {
    let a = Stored(0)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      let before = a.wrappedValue
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      if Self.isFirst { await outside { await a.set(10) } }
      a.wrappedValue = before + 1
    }
    #expect(attempts.events == [1, 2])
    #expect(await a.value == 11)
  }

  @Test func `a change of what a computed node read is a conflict`() async throws {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    let target = Stored(0)
    #expect(await double.value == 2)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      target.wrappedValue = double.wrappedValue
      if Self.isFirst { await outside { await a.set(5) } }
    }
    #expect(attempts.events == [1, 2])
    #expect(await target.value == 10)
  }

  @Test func `a body that only reads is validated`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let seen = EventLog<[Int]>()
    let pair = try await withGraphTransaction {
      let first = a.wrappedValue
      if Self.isFirst {
        await outside {
          await withGraphTransaction {
            a.wrappedValue = 1
            b.wrappedValue = 1
          }
        }
      }
      let pair = [first, b.wrappedValue]
      seen.record(pair)
      return pair
    }
    #expect(pair == [1, 1])
    #expect(seen.events == [[0, 0], [1, 1]])
  }

  @Test func `a write without a read meets no conflict`() async throws {
    let a = Stored(0)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      a.wrappedValue = 1
      await outside { await a.set(2) }
      #expect(a.wrappedValue == 1)
    }
    #expect(attempts.events == [1])
    #expect(await a.value == 1)
  }

  @Test func `a commit of what the body has not read is no conflict`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      a.wrappedValue += 1
      await outside { await b.set(1) }
    }
    #expect(attempts.events == [1])
    #expect(await [a.value, b.value] == [1, 1])
  }

  @Test func `what a branch that is no longer taken would read is no conflict`() async throws {
    let flag = Stored(true)
    let a = Stored(1)
    let b = Stored(2)
    let chosen = Computed { _ in flag.wrappedValue ? a.wrappedValue : b.wrappedValue }
    #expect(await chosen.value == 1)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      flag.wrappedValue = false
      #expect(chosen.wrappedValue == 2)
      await outside { await a.set(5) }
      #expect(chosen.wrappedValue == 2)
    }
    #expect(attempts.events == [1])
    #expect(await chosen.value == 2)
  }

  @Test func `what a comparison at the end reads is validated`() async throws {
    let tolerance = Stored(0)
    let a = Stored(0) { old, new in abs(old - new) <= tolerance.wrappedValue }
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      a.wrappedValue = 5
      if Self.isFirst { await outside { await tolerance.set(10) } }
    }
    #expect(attempts.events == [1, 2])
    #expect(await a.value == 0)
  }

  @Test func `after the last attempt, the error has their number and the nodes`() async throws {
    let a = Stored(0, name: "a")
    let b = Stored(0, name: "b")
    let c = Stored(0, name: "c")
    let error = await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction(maximumAttempts: 3) {
        _ = a.wrappedValue + b.wrappedValue + c.wrappedValue
        await outside {
          await b.update { $0 += 1 }
          await a.update { $0 += 1 }
        }
      }
    }
    #expect(error?.code == .conflict)
    #expect(error?.attempts == 3)
    #expect(error.map { Set($0.changedNodes) } == [a.id, b.id])
    #expect(
      error?.description
        == "StateGraph: the transaction was given up after 3 attempts; "
        + "others changed what it had read: a, b")
    #expect(await a.value == 3)
    withExtendedLifetime(c) {}
  }

  @Test func `with one attempt at most, the first conflict is the last`() async {
    let a = Stored(0)
    let runs = EventLog<String>()
    do {
      try await withGraphTransaction(maximumAttempts: 1) {
        runs.record("run")
        a.wrappedValue += 1
        await outside { await a.set(5) }
      }
      Issue.record("there was a conflict")
    } catch GraphTransactionError.conflict {
      runs.record("conflict")
    } catch {
      Issue.record(error)
    }
    #expect(runs.events == ["run", "conflict"])
    #expect(await a.value == 5)
  }

  @Test func `a change that is taken back by others is one all the same`() async throws {
    let a = Stored(0)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      _ = a.wrappedValue
      if Self.isFirst {
        await outside {
          await a.set(1)
          await a.set(0)
        }
      }
    }
    #expect(attempts.events == [1, 2])
  }

  // MARK: - Waiting for others

  @Test func `a body that waits for a write of others goes on`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    try await withGraphTransaction {
      a.wrappedValue += 1
      await outside { await b.set(1) }
      await outside { await withGraphTransaction { b.wrappedValue += 1 } }
    }
    #expect(await [a.value, b.value] == [1, 2])
  }

  @Test func `a body that waits for another transaction goes on, after conflicts too`() async throws
  {
    let a = Stored(0)
    let b = Stored(0)
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      a.wrappedValue += 1
      let isEarly = (GraphTransaction.current?.attempt ?? 0) <= 3
      await outside {
        // It has to go past the one that has a turn and waits for it.
        try? await withGraphTransaction {
          b.wrappedValue += 1
          await Task.yield()
        }
        if isEarly { await a.update { $0 += 10 } }
      }
    }
    #expect(attempts.events == [1, 2, 3, 4])
    #expect(await [a.value, b.value] == [31, 4])
  }

  @Test func `a body that waits for another one that meets conflicts goes on`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    try await withGraphTransaction {
      a.wrappedValue += 1
      let isFirst = Self.isFirst
      await outside {
        try? await withGraphTransaction {
          let before = b.wrappedValue
          if GraphTransaction.current?.attempt == 1 { await outside { await b.set(100) } }
          b.wrappedValue = before + 1
        }
        if isFirst { await a.set(10) }
      }
    }
    #expect(await a.value == 11)
    #expect(await b.value == 101)
  }
}
