import StateGraph
import StateGraphTesting
import Testing

/// Async nodes that await each other.
@Suite struct AsyncNestingTests {
  @Test func `a chain of async nodes follows its source`() async throws {  // 321
    let count = Stored(1)
    let first = AsyncComputed { await count.value }
    let second = AsyncComputed { try await first.value }
    let third = AsyncComputed { try await second.value }
    for value in 1...3 {
      await count.set(value)
      #expect(try await third.value == value)
    }
  }

  @Test func `a long chain of async nodes is settled and followed`() async throws {
    let count = Stored(0)
    var chain = [AsyncComputed { await count.value }]
    for _ in 0..<300 {
      let last = chain[chain.count - 1]
      chain.append(AsyncComputed { try await last.value + 1 })
    }
    #expect(try await chain[300].value == 300)
    await count.set(5)
    #expect(try await chain[300].value == 305)
  }

  @Test func `a node is pending while what it has awaited is`() async throws {
    let gate = Gate("source", isOpen: true)
    let log = EventLog<String>()
    let count = Stored(1)
    let source = AsyncComputed {
      let value = await count.value
      try await gate.pass()
      return value % 2
    }
    let node = AsyncComputed {
      log.record("run")
      return try await source.value * 10
    }
    #expect(try await node.value == 10)
    gate.shut()
    await count.set(3)
    #expect(await node.state.summary == "pending after 10")
    gate.open()
    #expect(try await node.value == 10)
    #expect(await node.state.summary == "success 10")
    #expect(log.events == ["run"])
  }

  @Test func `a settlement with another result runs the rule of who awaited it`() async throws {
    let log = EventLog<Int>()
    let count = Stored(1)
    let source = AsyncComputed { await count.value }
    let node = AsyncComputed {
      let value = try await source.value
      log.record(value)
      return value
    }
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.settled() == "success 1")
    await count.set(2)
    #expect(await consumer.settled() == "success 2")
    #expect(log.events == [1, 2])
  }

  @Test func `two sources of a diamond run at the same time`() async throws {  // 324
    let gates = [Gate("left"), Gate("right")]
    let log = EventLog<String>()
    let count = Stored(1)
    let sources = gates.map { gate in
      AsyncComputed {
        let value = await count.value
        try await gate.pass()
        return value
      }
    }
    let node = AsyncComputed {
      log.record("run")
      async let left = sources[0].value
      async let right = sources[1].value
      return try await [left, right]
    }
    async let first = node.value
    for gate in gates { try await gate.arrivals(1) }
    for gate in gates { gate.admit() }
    #expect(try await first == [1, 1])
    await count.set(2)
    async let second = node.value
    // Nothing has passed: both have begun by themselves.
    for gate in gates { try await gate.arrivals(2) }
    for gate in gates { gate.admit() }
    #expect(try await second == [2, 2])
    #expect(log.events.count == 2)
    #expect(gates.map(\.arrivalCount) == [2, 2])
  }

  @Test func `a node that awaits one after the other runs them one after the other`() async throws {
    let log = EventLog<String>()  // 325
    let count = Stored(1)
    let first = AsyncComputed {
      log.record("first")
      return await count.value
    }
    let second = AsyncComputed {
      let value = try await first.value
      log.record("second")
      return value * 2
    }
    #expect(try await second.value == 2)
    await count.set(2)
    #expect(try await second.value == 4)
    #expect(log.events == ["first", "second", "first", "second"])
  }

  @Test func `a node with two sources is pending until both have settled`() async throws {  // 326
    let gates = [Gate("left", isOpen: true), Gate("right", isOpen: true)]
    let counts = [Stored(1), Stored(3)]
    let sources = zip(gates, counts).map { gate, count in
      AsyncComputed {
        let value = await count.value
        try await gate.pass()
        return value
      }
    }
    let sum = AsyncComputed { try await sources[0].value + sources[1].value }
    let consumer = await StateConsumer(of: sum)
    #expect(await consumer.settled() == "success 4")
    for gate in gates { gate.shut() }
    await withGraphTransaction {
      counts[0].wrappedValue = 3
      counts[1].wrappedValue = 5
    }
    #expect(await consumer.next() == "pending after 4")
    gates[0].open()
    _ = try await sources[0].value
    #expect(await sum.state.summary == "pending after 4")
    gates[1].open()
    #expect(await consumer.next() == "success 8")
  }

  @Test func `an error passes through the nodes that await it, and goes with it`() async throws {
    let count = Stored(1)
    let source = AsyncComputed { () throws -> Int in
      let value = await count.value
      if value == 2 { throw Refused(number: value) }
      return value
    }
    let node = AsyncComputed { try await source.value }
    #expect(try await node.value == 1)
    await count.set(2)
    await #expect(throws: Refused(number: 2)) { try await node.value }
    await count.set(3)
    #expect(try await node.value == 3)
  }

  @Test func `a rule can catch what another throws`() async throws {
    let isBroken = Stored(true)
    let source = AsyncComputed { () throws -> Int in
      if await isBroken.value { throw Refused() }
      return 1
    }
    let node = AsyncComputed { (try? await source.value) ?? -1 }
    #expect(try await node.value == -1)
    await isBroken.set(false)
    #expect(try await node.value == 1)
  }

  @Test func `a dependent that is superseded lets go of what it awaited`() async throws {
    let log = EventLog<String>()
    let gate = Gate("slow")
    let useSlow = Stored(true)
    let slow = AsyncComputed {
      do { try await gate.pass() } catch {
        log.record("slow is cancelled")
        throw error
      }
      return 1
    }
    let node = AsyncComputed { await useSlow.value ? try await slow.value : 0 }
    async let value = node.value
    try await gate.arrivals(1)
    await useSlow.set(false)
    #expect(try await value == 0)
    try await log.wait(for: "slow is cancelled")
    withExtendedLifetime(slow) {}
  }

  @Test func `a computed node over the state of an async node is never older than its source`()
    async throws
  {
    let count = Stored(1)
    let node = AsyncComputed { await count.value }
    let pair = Computed { _ in "\(count.wrappedValue) \(node.state.summary)" }
    _ = try await node.value
    #expect(await pair.value == "1 success 1")
    var changes = pair.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next()?.value == "1 success 1")
    await count.set(2)
    #expect(await changes.next()?.value == "2 pending after 1")
    #expect(await changes.next()?.value == "2 success 2")
  }
}
