import StateGraph
import StateGraphTesting
import Testing

/// An async node has the result of its rule, and runs it only for those who want it.
@Suite struct AsyncComputedTests {
  @Test func `the value is what the rule returns`() async throws {
    let count = Stored(2)
    let double = AsyncComputed { await count.value * 2 }
    #expect(try await double.value == 4)
  }

  @Test func `making a node runs nothing`() async {  // bug-reports: nothing without a reader
    let log = EventLog<String>()
    let node = AsyncComputed {
      log.record("run")
      return 1
    }
    await GraphActor.settle()
    #expect(log.events.isEmpty)
    withExtendedLifetime(node) {}
  }

  @Test func `a settled value is read without another run`() async throws {
    let log = EventLog<String>()
    let node = AsyncComputed {
      log.record("run")
      return 1
    }
    #expect(try await node.value == 1)
    #expect(try await node.value == 1)
    #expect(await node.state.value == 1)
    #expect(log.events == ["run"])
  }

  @Test func `many who wait share one run`() async throws {
    let gate = Gate("rule")
    let log = EventLog<String>()
    let node = AsyncComputed {
      log.record("run")
      try await gate.pass()
      return 1
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await node.value } }
      try await gate.arrivals(1)
      gate.open()
      for try await value in group { #expect(value == 1) }
    }
    #expect(log.events == ["run"])
  }

  @Test func `a change without a reader runs nothing until the next read`() async throws {
    let log = EventLog<Int>()
    let count = Stored(1)
    let node = AsyncComputed {
      let value = await count.value
      log.record(value)
      return value
    }
    _ = try await node.value
    await count.set(2)
    await count.set(3)
    await GraphActor.settle()
    #expect(log.events == [1])
    #expect(try await node.value == 3)
    #expect(log.events == [1, 3])
  }

  @Test func `a value that is read after a write belongs to the write`() async throws {
    let count = Stored(0)
    let node = AsyncComputed { await count.value }
    for value in 1...200 {
      await count.set(value)
      #expect(try await node.value == value)
    }
  }

  @Test func `the state is pending, then settled`() async throws {
    let gate = Gate("rule")
    let node = AsyncComputed {
      try await gate.pass()
      return 1
    }
    #expect(await node.state.summary == "pending")
    gate.open()
    _ = try await node.value
    #expect(await node.state.summary == "success 1")
  }

  @Test func `to read the state begins a run`() async throws {
    let gate = Gate("rule", isOpen: true)
    let node = AsyncComputed {
      try await gate.pass()
      return 1
    }
    #expect(await node.state.isPending)
    try await gate.arrivals(1)
  }

  @Test func `a pending state has the value before`() async throws {
    let count = Stored(1)
    let node = AsyncComputed { await count.value }
    _ = try await node.value
    await count.set(2)
    #expect(await node.state.summary == "pending after 1")
    #expect(try await node.value == 2)
  }

  @Test func `an error of the rule is the result until something changes`() async throws {  // 332
    let log = EventLog<String>()
    let count = Stored(1)
    let node = AsyncComputed { () throws -> Int in
      log.record("run")
      let value = await count.value
      if value == 2 { throw Refused(number: value) }
      return value
    }
    _ = try await node.value
    await count.set(2)
    await #expect(throws: Refused(number: 2)) { try await node.value }
    await #expect(throws: Refused(number: 2)) { try await node.value }
    let state = await node.state
    #expect(state.summary == "failure after 1")
    #expect(state.error as? Refused == Refused(number: 2))
    #expect(state.value == 1)
    await count.set(3)
    #expect(await node.state.summary == "pending after 1")
    #expect(try await node.value == 3)
    #expect(log.events.count == 3)
  }

  @Test func `a cancellation error of a run that nobody cancelled is a failure`() async {
    let node = AsyncComputed { () throws -> Int in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await node.value }
    let isFailure = await GraphActor.run { node.state.error is CancellationError }
    #expect(isFailure)
  }

  @Test func `a comparison of the user's says which results are changes`() async throws {
    let count = Stored(1)
    let node = AsyncComputed(isEqual: { $0 / 10 == $1 / 10 }) { await count.value }
    #expect(try await node.value == 1)
    await count.set(5)
    #expect(try await node.value == 1)
    await count.set(15)
    #expect(try await node.value == 15)
  }

  @Test func `of a class, another object is a change`() async throws {
    final class Token: Sendable {}
    let log = EventLog<String>()
    let count = Stored(1)
    let first = Token()
    let node = AsyncComputed { await count.value == 3 ? Token() : first }
    let reader = AsyncComputed {
      log.record("reader")
      return ObjectIdentifier(try await node.value)
    }
    _ = try await reader.value
    await count.set(2)
    _ = try await reader.value
    #expect(log.events.count == 1)
    await count.set(3)
    _ = try await reader.value
    #expect(log.events.count == 2)
  }

  @Test func `the actor is free while a rule works`() async throws {
    let gates = NumberedGates()
    let node = AsyncComputed {
      // Blocks its thread in the middle of a run, off the actor.
      try await gates.pass(1)
      var sum = 0
      while gates.lastPassed < 2 { sum &+= 1 }
      return sum >= 0
    }
    async let value = node.value
    let other = Stored(0)
    try await gates.pass(2)
    await other.set(1)
    #expect(await other.value == 1)
    #expect(try await value)
  }

  @Test func `a rule can be isolated to the graph's actor`() async throws {
    let count = Stored(2)
    let node = AsyncComputed { @GraphActor in count.wrappedValue + 1 }
    #expect(try await node.value == 3)
    await count.set(3)
    #expect(try await node.value == 4)
  }

  @Test func `a commit of a result names the node`() async throws {
    var commits = GraphActor.commits().makeAsyncIterator()
    let node = AsyncComputed(name: "node") { 1 }
    _ = try await node.value
    while let commit = await commits.next() {
      if commit.changedNodes == [node.id] { break }
    }
  }
}
