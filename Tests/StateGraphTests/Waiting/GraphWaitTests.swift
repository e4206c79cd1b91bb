import StateGraph
import StateGraphTesting
import Testing

@Suite struct GraphWaitTests {
  struct Failure: Error, Equatable {}

  @Test func `a condition that holds does not wait`() async throws {
    let node = Stored(1)
    try await graphWait { node.wrappedValue == 1 }
    #expect(try await node.first { $0 == 1 } == 1)
  }

  /// Waits until some tasks watch a node.
  private func watchers(_ count: Int, of node: Stored<some Sendable>) async {
    while await node.watcherCount != count { await Task.yield() }
  }

  @Test func `the commit that makes the condition true ends the wait`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
    let task = Task {
      try await graphWait { one.wrappedValue > 0 && sum.wrappedValue > 5 }
    }
    await watchers(1, of: one)
    await one.set(1)
    await two.set(10)
    try await task.value
    await watchers(0, of: one)
  }

  @Test func `a state that lasts for one commit is not missed`() async throws {
    let node = Stored("A")
    let task = Task { try await node.first { $0 == "B" } }
    await watchers(1, of: node)
    // One visit of the actor: nobody who asks later could see it.
    await GraphActor.run {
      node.wrappedValue = "B"
      node.wrappedValue = "A"
    }
    #expect(try await task.value == "B")
  }

  @Test func `a state between two commits of transactions is not missed`() async throws {
    let (node, other) = (Stored(0), Stored(0))
    let task = Task { try await graphWait { node.wrappedValue == other.wrappedValue + 1 } }
    await watchers(1, of: node)
    await GraphActor.run {
      withGraphTransaction {
        node.wrappedValue = 5
        other.wrappedValue = 4
      }
      withGraphTransaction {
        node.wrappedValue = 0
        other.wrappedValue = 0
      }
    }
    try await task.value
  }

  @Test func `a thousand tasks wait, and none is forgotten`() async throws {
    let node = Stored(0)
    try await withThrowingTaskGroup { group in
      for index in 1...1_000 {
        group.addTask { try await node.first { $0 >= index } }
      }
      await watchers(1_000, of: node)
      for value in 1...1_000 { await node.set(value) }
      var ended = 0
      for try await _ in group { ended += 1 }
      #expect(ended == 1_000)
    }
    await watchers(0, of: node)
  }

  @Test func `an error of the condition ends the wait, now and later`() async throws {
    let node = Stored(0)
    await #expect(throws: Failure()) { try await graphWait { throw Failure() } }
    let task = Task {
      try await graphWait {
        if node.wrappedValue == 1 { throw Failure() }
        return false
      }
    }
    await watchers(1, of: node)
    await node.set(1)
    await #expect(throws: Failure()) { try await task.value }
  }

  @Test func `cancelling ends the wait at once`() async throws {
    let node = Stored(0)
    let task = Task { try await graphWait { node.wrappedValue == 1 } }
    await watchers(1, of: node)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await watchers(0, of: node)
  }

  @Test func `a cancelled task does not begin to wait`() async {
    let node = Stored(0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await graphWait { node.wrappedValue == 1 }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `the condition is released when the wait has ended`() async throws {
    let alive = LiveCount()
    let node = Stored(0)
    let task = Task {
      let token = alive.token()
      try await graphWait { withExtendedLifetime(token) { node.wrappedValue == 1 } }
    }
    await watchers(1, of: node)
    await node.set(1)
    try await task.value
    await GraphActor.settle()
    #expect(alive.current == 0)
  }

  // MARK: - In a transaction

  @Test func `a wait in a transaction makes the body run again after a change`() async throws {
    let (node, other) = (Stored(0), Stored(0))
    let log = EventLog<String>()
    let task = Task {
      try await withGraphTransaction(maximumAttempts: 1) {
        log.record("run \(node.wrappedValue)")
        other.wrappedValue += 1
        try await graphWait { node.wrappedValue >= 2 }
        log.record("through \(node.wrappedValue)")
      }
    }
    await watchers(1, of: node)
    await node.set(1)
    try await log.wait { $0.last == "run 1" }
    await watchers(1, of: node)
    #expect(await other.value == 0)
    await node.set(2)
    try await task.value
    #expect(log.events == ["run 0", "run 1", "run 2", "through 2"])
    #expect(await other.value == 1)
    await watchers(0, of: node)
  }

  @Test func `a body that swallows the error of the wait is discarded all the same`() async throws {
    let node = Stored(0)
    let runs = EventLog<Int>()
    let task = Task {
      try await withGraphTransaction {
        runs.record(node.wrappedValue)
        try? await graphWait { node.wrappedValue == 1 }
        return node.wrappedValue
      }
    }
    await watchers(1, of: node)
    await node.set(1)
    #expect(try await task.value == 1)
    #expect(runs.events == [0, 1])
  }

  @Test func `a change between the read and the wait is not missed`() async throws {
    let node = Stored(0)
    let result = try await withGraphTransaction {
      let value = node.wrappedValue
      if value == 0 { await Task.detached { await node.set(1) }.value }
      try await graphWait { node.wrappedValue == 1 }
      return value
    }
    #expect(result == 1)
  }

  @Test func `what only the first part of a condition has read wakes it, too`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    let task = Task {
      try await withGraphTransaction {
        try await graphWait { one.wrappedValue == 1 || two.wrappedValue == 1 }
        return [one.wrappedValue, two.wrappedValue]
      }
    }
    await watchers(1, of: one)
    await one.set(1)
    #expect(try await task.value == [1, 0])
  }

  @Test func `cancelling ends the wait of a transaction`() async throws {
    let node = Stored(0)
    let task = Task {
      try await withGraphTransaction { try await graphWait { node.wrappedValue == 1 } }
    }
    await watchers(1, of: node)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await watchers(0, of: node)
  }

  @Test func `many consumers take each element of a queue once`() async throws {
    let queue = Stored<[Int]>([])
    let taken = EventLog<Int>()
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            let element = try await withGraphTransaction(maximumAttempts: 100) {
              try await graphWait { !queue.wrappedValue.isEmpty }
              await Task.yield()
              return queue.wrappedValue.removeFirst()
            }
            taken.record(element)
          }
        }
      }
      for element in 0..<80 {
        await queue.update { $0.append(element) }
        if element.isMultiple(of: 7) { await Task.yield() }
      }
      try await group.waitForAll()
    }
    #expect(taken.events.sorted() == Array(0..<80))
    #expect(await queue.value == [])
  }
}
