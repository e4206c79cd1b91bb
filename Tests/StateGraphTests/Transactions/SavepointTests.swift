import StateGraph
import StateGraphTesting
import Testing

/// Parts of transactions that are undone if they throw.
@Suite(.timeLimit(.minutes(5))) struct SavepointTests {
  private struct Refused: Error, Equatable {}

  // MARK: - What is undone

  @Test func `an error undoes what the body has staged, and nothing else`() async throws {
    let (a, b, c) = (Stored(0), Stored(0), Stored(0))
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue + c.wrappedValue }
    await GraphActor.run {
      withGraphTransaction {
        a.wrappedValue = 1
        b.wrappedValue = 1
        #expect(throws: Refused()) {
          try withGraphSavepoint {
            b.wrappedValue = 5
            c.wrappedValue = 5
            #expect(sum.wrappedValue == 11)
            throw Refused()
          }
        }
        #expect([a.wrappedValue, b.wrappedValue, c.wrappedValue] == [1, 1, 0])
        #expect(sum.wrappedValue == 2)
        c.wrappedValue += 3
      }
    }
    #expect(await [a.value, b.value, c.value, sum.value] == [1, 1, 3, 5])
  }

  @Test func `without an error everything stays`() async throws {
    let a = Stored(0)
    let result = try await withGraphTransaction {
      try await withGraphSavepoint {
        await Task.yield()
        a.wrappedValue = 1
        return a.wrappedValue + 1
      }
    }
    #expect(result == 2)
    #expect(await a.value == 1)
  }

  @Test func `outside of transactions it is one`() async throws {
    let (a, b) = (Stored(0), Stored(0))
    await #expect(throws: Refused()) {
      try await GraphActor.run {
        try withGraphSavepoint {
          a.wrappedValue = 1
          throw Refused()
        }
      }
    }
    try await withGraphSavepoint {
      a.wrappedValue = 2
      await Task.yield()
      b.wrappedValue = 2
    }
    #expect(await [a.value, b.value] == [2, 2])
  }

  @Test func `what an inner savepoint keeps, the outer one undoes`() async throws {
    let (a, b) = (Stored(0), Stored(0))
    try await withGraphTransaction {
      a.wrappedValue = 1
      try? await withGraphSavepoint {
        await Task.yield()
        withGraphSavepoint {
          a.wrappedValue = 2
          b.wrappedValue = 2
        }
        #expect(a.wrappedValue == 2)
        throw Refused()
      }
      #expect([a.wrappedValue, b.wrappedValue] == [1, 0])
    }
    #expect(await [a.value, b.value] == [1, 0])
  }

  @Test func `changes in place are undone`() async throws {
    let list = Stored([1, 2])
    let inPlace = StoredInPlace([1])
    try await withGraphTransaction {
      await list.update { $0.append(3) }
      await inPlace.update { $0.append(2) }
      try? await withGraphSavepoint {
        await list.update { $0.append(4) }
        await list.update { $0.append(5) }
        await inPlace.update { $0.append(3) }
        throw Refused()
      }
      #expect(list.wrappedValue == [1, 2, 3])
      #expect(inPlace.wrappedValue == [1, 2])
      await list.update { $0.append(6) }
    }
    #expect(await list.value == [1, 2, 3, 6])
    #expect(await inPlace.value == [1, 2])
  }

  @Test func `what was read in an undone savepoint still counts as read`() async throws {
    let (read, target) = (Stored(0), Stored(0))
    let attempts = try await withGraphTransaction {
      let attempt = GraphTransaction.current?.attempt ?? 0
      try? withGraphSavepoint {
        if read.wrappedValue == 0 { throw Refused() }
      }
      target.wrappedValue = 1
      if attempt == 1 { await outside { await read.set(1) } }
      return attempt
    }
    #expect(attempts == 2)
  }

  @Test func `a group that has seen what is undone looks again`() async throws {
    let a = Stored(0)
    let seen = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTransaction {
        try? withGraphSavepoint {
          a.wrappedValue = 5
          withGraphTrackingGroup { seen.record(a.wrappedValue) }
          throw Refused()
        }
      }
    }
    await GraphActor.settle()
    #expect(seen.events == [5, 0])
    tracking.cancel()
    await GraphActor.settle()
  }

  @Test func `handlers that were asked for in an undone savepoint hear of it`() async throws {
    let log = EventLog<String>()
    try await withGraphTransaction {
      await Task.yield()
      GraphTransaction.current?.onCommit { log.record("committed") }
      GraphTransaction.current?.onRollback { _ in log.record("discarded") }
      try? withGraphSavepoint {
        GraphTransaction.current?.onCommit { log.record("never") }
        try GraphTransaction.current?.atCommit { log.record("never") }
        GraphTransaction.current?.onRollback { reason in
          if case .error(is Refused) = reason { log.record("refused") }
        }
        throw Refused()
      }
      log.record("goes on")
    }
    #expect(log.events == ["refused", "goes on", "committed"])
  }

  @Test func `what a late task does is not undone`() async throws {
    let a = Stored(0)
    let late = Gate("late")
    let task = EventLog<Task<Void, any Error>>()
    try await withGraphTransaction {
      try? withGraphSavepoint {
        task.record(
          Task {
            try await late.pass()
            await a.set(3)
          })
        throw Refused()
      }
      late.open()
      try await task.events[0].value
      #expect(a.wrappedValue == 3)
    }
    #expect(await a.value == 3)
  }

  // MARK: - Alternatives

  @Test func `an alternative is taken when the first one would have to wait`() async throws {
    let (express, regular) = (Stored<[Int]>([]), Stored([7]))
    let taken = try await withGraphTransaction { () async throws -> Int in
      do {
        return try await withGraphSavepoint {
          try await graphWait { !express.wrappedValue.isEmpty }
          return express.wrappedValue.removeFirst()
        }
      } catch GraphTransactionError.waitInside {
        try await graphWait { !regular.wrappedValue.isEmpty }
        return regular.wrappedValue.removeFirst()
      }
    }
    #expect(taken == 7)
    #expect(await regular.value == [])
  }

  @Test(arguments: [true, false])
  func `if the alternative waits, too, a change of either is waited for`(first: Bool) async throws {
    let (one, other) = (Stored(0), Stored(0))
    let runs = EventLog<Int>()
    async let taken = withGraphTransaction { () async throws -> String in
      runs.record(1)
      do {
        return try await withGraphSavepoint {
          try await graphWait { one.wrappedValue > 0 }
          return "one"
        }
      } catch GraphTransactionError.waitInside {
        try await graphWait { other.wrappedValue > 0 }
        return "other"
      }
    }
    try await runs.wait { $0 == [1] }
    await (first ? one : other).set(1)
    #expect(try await taken == (first ? "one" : "other"))
    #expect(runs.events == [1, 1])
  }

  // MARK: - Several tasks

  @Test func `child tasks may each have a savepoint at the same time`() async throws {
    let nodes = (0..<4).map { _ in Stored(0) }
    let entered = Gate("entered")
    try await withGraphTransaction {
      await withTaskGroup { group in
        for (number, node) in nodes.enumerated() {
          group.addTask {
            try? await withGraphSavepoint {
              node.wrappedValue = 1
              try await entered.pass()
              node.wrappedValue = 2
              if number.isMultiple(of: 2) { throw Refused() }
            }
          }
        }
        try? await entered.arrivals(4)
        entered.open()
      }
    }
    #expect(await nodes.asyncMap { await $0.value } == [0, 2, 0, 2])
  }

  @Test func `what somebody else has assigned since is not undone`() async throws {
    let node = Stored(0)
    let (assigned, replaced) = (Gate("assigned"), Gate("replaced"))
    try await withGraphTransaction {
      async let undone: Void = withGraphSavepoint {
        node.wrappedValue = 1
        try await assigned.pass()
        throw Refused()
      }
      try await assigned.arrivals(1)
      node.wrappedValue = 2
      assigned.open()
      replaced.open()
      try? await undone
      #expect(node.wrappedValue == 2)
    }
    #expect(await node.value == 2)
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ transform: (Element) async -> T) async -> [T] {
    var result: [T] = []
    for element in self { result.append(await transform(element)) }
    return result
  }
}
