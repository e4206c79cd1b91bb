import StateGraph
import StateGraphTesting
import Testing

/// Waiting for a condition inside a transaction: the body runs again when it may hold.
@Suite(.timeLimit(.minutes(5))) struct WaitInTransactionTests {
  @Test func `a condition that holds for the transaction goes on`() async throws {
    let a = Stored(0)
    let runs = EventLog<String>()
    try await withGraphTransaction {
      runs.record("run")
      a.wrappedValue = 1
      try await graphWait { a.wrappedValue == 1 }
      #expect(try await a.first { $0 == 1 } == 1)
    }
    #expect(runs.events == ["run"])
  }

  @Test func `the body is discarded, and runs again when what it has read changes`() async throws {
    let a = Stored(0)
    let other = Stored(0)
    let target = Stored(0)
    let runs = EventLog<Int>()
    async let done: Void = withGraphTransaction(maximumAttempts: 1) {
      runs.record(a.wrappedValue)
      #expect(GraphTransaction.current?.attempt == 1)
      target.wrappedValue += 1
      try await graphWait { a.wrappedValue >= 3 }
    }
    for value in 0..<3 {
      try await runs.wait { $0.last == value }
      await other.set(value)
      #expect(await target.value == 0)
      await a.set(value + 1)
    }
    try await done
    #expect(runs.events == [0, 1, 2, 3])
    #expect(await target.value == 1)
    withExtendedLifetime(other) {}
  }

  @Test func `a change of what was read before the wait counts, too`() async throws {
    let isOpen = Stored(false)
    let a = Stored(0)
    let runs = EventLog<Bool>()
    async let done: Void = withGraphTransaction {
      let wasOpen = isOpen.wrappedValue
      runs.record(wasOpen)
      if !wasOpen { try await graphWait { a.wrappedValue > 0 } }
    }
    try await runs.wait { $0 == [false] }
    await isOpen.set(true)
    try await done
    #expect(runs.events == [false, true])
    withExtendedLifetime(a) {}
  }

  @Test func `a change under the body, before it waits, is not missed`() async throws {
    let a = Stored(0)
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      let value = a.wrappedValue
      runs.record(value)
      if value == 0 { await outside { await a.set(1) } }
      try await graphWait { a.wrappedValue == 1 }
    }
    #expect(runs.events == [0, 1])
  }

  @Test func `a change between the wait and the end of the body is not missed`() async throws {
    let a = Stored(0)
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      runs.record(a.wrappedValue)
      do {
        try await graphWait { a.wrappedValue == 1 }
      } catch let error as GraphTransactionError {
        #expect(error.code == .waitInside)
        await outside { await a.set(1) }
        throw error
      }
    }
    #expect(runs.events == [0, 1])
  }

  @Test func `a change by a handler of the rollback is not missed`() async throws {
    let a = Stored(0)
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      runs.record(a.wrappedValue)
      GraphTransaction.current?.onRollback { a.wrappedValue = 1 }
      try await graphWait { a.wrappedValue == 1 }
    }
    #expect(runs.events == [0, 1])
  }

  @Test func `a body that catches the error of a wait, and returns, throws and commits nothing`()
    async throws
  {
    let a = Stored(0)
    let target = Stored(0)
    let runs = EventLog<Int>()
    let error = await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction {
        runs.record(a.wrappedValue)
        try? await graphWait { a.wrappedValue == 1 }
        target.wrappedValue += 1
      }
    }
    #expect(error?.code == .caughtWait)
    #expect(
      error?.description
        == "StateGraph: the body has caught the error of a wait that was not fulfilled; "
        + "wait in withGraphSavepoint { } to do something else instead")
    #expect(await target.value == 0)
    #expect(runs.events == [0])
  }

  @Test func `the end of a node that the attempt has made is no change`() async throws {
    let gate = Stored(false)
    let attempts = EventLog<Int>()
    async let done = withGraphTransaction {
      attempts.record(1)
      let draft = Stored(3)
      let double = draft.map { $0 * 2 }
      let value = draft.wrappedValue + double.wrappedValue
      try await graphWait { gate.wrappedValue }
      return value
    }
    try await attempts.wait { $0 == [1] }
    // Each of these steps lets removals in, and would start another attempt.
    for _ in 0..<100 { await GraphActor.settle() }
    #expect(attempts.events == [1])
    await gate.set(true)
    #expect(try await done == 9)
    #expect(attempts.events == [1, 1])
  }

  @Test func `a node that the attempt has made and that others change is waited for`() async throws
  {
    let made = EventLog<Stored<Int>>()
    async let done = withGraphTransaction {
      let node = made.events.first ?? Stored(0)
      if made.events.isEmpty { made.record(node) }
      try await graphWait { node.wrappedValue > 0 }
      return node.wrappedValue
    }
    try await made.wait { $0.count == 1 }
    await made.events[0].set(5)
    #expect(try await done == 5)
  }

  @Test func `what a nested body or a child task waits for, the whole body waits for`()
    async throws
  {
    let a = Stored(0)
    let runs = EventLog<Int>()
    async let done: Void = withGraphTransaction {
      runs.record(a.wrappedValue)
      try await withGraphTransaction {
        async let one: Void = graphWait { a.wrappedValue > 0 }
        async let two = a.first { $0 > 1 }
        try await one
        #expect(try await two == 2)
      }
    }
    try await runs.wait { $0 == [0] }
    await a.set(1)
    try await runs.wait { $0 == [0, 1] }
    await a.set(2)
    try await done
    #expect(runs.events == [0, 1, 2])
  }

  @Test func `conditions over computed nodes`() async throws {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    let runs = EventLog<Int>()
    async let done = withGraphTransaction {
      runs.record(a.wrappedValue)
      return try await double.first { $0 > 3 }
    }
    for value in 1...2 {
      try await runs.wait { $0.last == value - 1 }
      await a.set(value)
    }
    #expect(try await done == 4)
  }

  @Test func `a cancellation ends the wait`() async throws {
    let a = Stored(0)
    let runs = EventLog<Int>()
    let task = Task.detached {
      try await withGraphTransaction {
        runs.record(a.wrappedValue)
        try await graphWait { a.wrappedValue == 1 }
      }
    }
    try await runs.wait { $0 == [0] }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await a.set(1)
    #expect(runs.events == [0])
  }

  @Test func `consumers take each element of a queue exactly once`() async throws {
    let queue = Stored<[Int]>([])
    let taken = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          while true {
            let element = try await withGraphTransaction(maximumAttempts: .max) {
              try await graphWait { !queue.wrappedValue.isEmpty }
              return queue.wrappedValue.removeFirst()
            }
            if element < 0 { break }
            taken.record(element)
          }
        }
      }
      for producer in 0..<4 {
        group.addTask {
          for element in 0..<50 { await queue.update { $0.append(producer * 50 + element) } }
        }
      }
      try await taken.wait { $0.count == 200 }
      await queue.update { $0 += Array(repeating: -1, count: 16) }
    }
    #expect(taken.events.sorted() == Array(0..<200))
    #expect(await queue.value == [])
  }

  @Test func `a bounded queue lets nobody through that has to wait`() async throws {
    let queue = Stored<[Int]>([])
    let taken = EventLog<Int>()
    let count = 100
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for element in 0..<count {
          try await withGraphTransaction(maximumAttempts: .max) {
            try await graphWait { queue.wrappedValue.count < 3 }
            queue.wrappedValue.append(element)
          }
        }
      }
      group.addTask {
        for _ in 0..<count {
          let (element, length) = try await withGraphTransaction(maximumAttempts: .max) {
            let element = try await queue.first { !$0.isEmpty }[0]
            defer { queue.wrappedValue.removeFirst() }
            return (element, queue.wrappedValue.count)
          }
          #expect(length <= 3)
          taken.record(element)
        }
      }
    }
    #expect(taken.events == Array(0..<count))
  }
}
