import StateGraph
import StateGraphTesting
import Testing

/// Waiting for a condition outside of transactions.
@Suite(.timeLimit(.minutes(5))) struct GraphWaitTests {
  private struct Refused: Error {}

  /// Starts a task that waits, and returns when its condition has been evaluated once.
  private func waiting(
    _ condition: @escaping @GraphActor @Sendable () throws -> Bool
  ) async throws -> Task<Void, any Error> {
    let log = EventLog<Void>()
    let task = Task.detached {
      try await graphWait {
        log.record(())
        return try condition()
      }
    }
    try await log.wait { !$0.isEmpty }
    return task
  }

  @Test func `a condition that holds returns at once`() async throws {
    let a = Stored(1)
    try await graphWait { a.wrappedValue == 1 }
    #expect(try await a.first { $0 == 1 } == 1)
  }

  @Test func `the call returns with the commit that makes the condition true`() async throws {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    let task = try await waiting { double.wrappedValue > 5 }
    for value in 1...3 { await a.set(value) }
    try await task.value
  }

  @Test func `the condition is evaluated at the commits that concern it only`() async throws {
    let a = Stored(0)
    let other = Stored(0)
    let parity = a.map { $0 % 2 }
    let log = EventLog<Int>()
    let task = Task.detached {
      try await graphWait {
        log.record(parity.wrappedValue)
        return parity.wrappedValue == 1
      }
    }
    try await log.wait { !$0.isEmpty }
    await other.set(1)
    await a.set(2)
    await a.set(4)
    await withGraphTransaction {
      a.wrappedValue = 5
      a.wrappedValue = 6
    }
    await a.set(7)
    try await task.value
    #expect(log.events == [0, 1])
    withExtendedLifetime(other) {}
  }

  @Test func `dependencies are found anew in each evaluation`() async throws {
    let flag = Stored(true)
    let a = Stored(false)
    let b = Stored(false)
    let task = try await waiting { flag.wrappedValue ? a.wrappedValue : b.wrappedValue }
    await flag.set(false)
    await a.set(true)
    await b.set(true)
    try await task.value
    await GraphActor.run { #expect(Graph.shared.brokenInvariants() == []) }
  }

  @Test func `a state that lasts for one commit is not missed`() async throws {
    let a = Stored(0)
    for _ in 0..<100 {
      let inOneStep = try await waiting { a.wrappedValue == 1 }
      await GraphActor.run {
        a.wrappedValue = 1
        a.wrappedValue = 0
      }
      try await inOneStep.value
      let apart = try await waiting { a.wrappedValue == 1 }
      await a.set(1)
      await a.set(0)
      try await apart.value
    }
  }

  @Test func `a state that a transaction takes back is none`() async throws {
    let a = Stored(0)
    let task = try await waiting { a.wrappedValue == 1 }
    await withGraphTransaction {
      a.wrappedValue = 1
      a.wrappedValue = 0
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a value is returned with the commit that had it`() async throws {
    let a = Stored(0)
    let log = EventLog<Int>()
    async let first = a.first {
      log.record($0)
      return $0 > 2
    }
    try await log.wait { !$0.isEmpty }
    await GraphActor.run { for value in 1...9 { a.wrappedValue = value } }
    #expect(try await first == 3)
    #expect(log.events == [0, 1, 2, 3])
  }

  @Test func `1,000 tasks wait, for one commit and for one each`() async throws {
    let a = Stored(0)
    let begun = EventLog<Int>()
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<1_000 {
        group.addTask {
          let target = task.isMultiple(of: 2) ? 1 : task
          let log = task
          return try await a.first {
            if $0 == 0 { begun.record(log) }
            return $0 == target
          }
        }
      }
      try await begun.wait { $0.count == 1_000 }
      await GraphActor.run { for value in 1...1_000 { a.wrappedValue = value } }
      return try await group.reduce(0) { count, _ in count + 1 }
    }
    #expect(count == 1_000)
  }

  @Test func `20,000 conditions are told of one commit without recursion`() async {
    await #expect(processExitsWith: .success) {
      let a = Stored(0)
      try? await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<20_000 { group.addTask { try await graphWait { a.wrappedValue == 1 } } }
        while await GraphActor.run({ Graph.shared.edgeCount }) < 20_000 { await Task.yield() }
        await a.set(1)
      }
    }
  }

  @Test func `a condition that throws ends the wait`() async throws {
    let a = Stored(0)
    await #expect(throws: Refused.self) { try await graphWait { throw Refused() } }
    let task = try await waiting {
      if a.wrappedValue == 2 { throw Refused() }
      return false
    }
    await a.set(1)
    await a.set(2)
    await #expect(throws: Refused.self) { try await task.value }
    await #expect(throws: Refused.self) { try await a.first { _ in throw Refused() } }
  }

  @Test func `a wait in a cancelled task ends at once`() async throws {
    let gate = Gate("cancelled")
    let log = EventLog<String>()
    let task = Task.detached {
      try? await gate.pass()
      try await graphWait {
        log.record("evaluated")
        return true
      }
    }
    try await gate.arrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.events == [])
  }

  @Test func `a cancellation ends the wait`() async throws {
    let a = Stored(0)
    let task = try await waiting { a.wrappedValue == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await a.set(1)
  }

  @Test func `a cancellation after the commit comes too late or in time`() async throws {
    let a = Stored(0)
    for _ in 0..<200 {
      let task = try await waiting { a.wrappedValue == 1 }
      await a.set(1)
      task.cancel()
      do {
        try await task.value
      } catch is CancellationError {}
      await a.set(0)
    }
  }

  @Test func `waits leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let a = Stored(0)
      let alive = LiveCount()
      await withTaskGroup { group in
        for task in 0..<100 {
          group.addTask {
            let token = alive.token()
            let wait = Task {
              try await graphWait { withExtendedLifetime(token) { a.wrappedValue > task } }
            }
            if task.isMultiple(of: 3) { wait.cancel() }
            await a.update { $0 += 1 }
            await a.set(100 + task)
            try? await wait.value
          }
        }
      }
      await GraphActor.settle()
      try? await alive.wait(for: 0)
      await GraphActor.run {
        #expect(Graph.shared.nodeCount == 1)
        #expect(Graph.shared.edgeCount == 0)
        a.wrappedValue = 0
      }
    }
  }
}
