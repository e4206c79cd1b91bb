import StateGraph
import StateGraphTesting
import Testing

/// A change cancels the run that is under way, and what that would have said is never heard.
@Suite struct AsyncRestartTests {
  @Test func `a change while the rule runs restarts it`() async throws {  // 315, H92
    let gate = Gate("rule")
    let count = Stored(0)
    let node = AsyncComputed {
      let value = await count.value
      try await gate.pass()
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(1)
    try await gate.arrivals(2)
    gate.open()
    #expect(try await value == 1)
  }

  @Test func `a superseded run is cancelled`() async throws {  // 319
    let log = EventLog<String>()
    let gate = Gate("rule")
    let count = Stored(0)
    let node = AsyncComputed {
      let value = await count.value
      do {
        try await gate.pass()
      } catch {
        log.record("cancelled \(value)")
        throw error
      }
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(1)
    try await log.wait(for: "cancelled 0")
    try await gate.arrivals(2)
    gate.open()
    #expect(try await value == 1)
    #expect(log.events == ["cancelled 0"])
  }

  @Test func `a run that nobody waits for is cancelled by a change, too`() async throws {
    let log = EventLog<String>()
    let gate = Gate("rule")
    let count = Stored(0)
    let node = AsyncComputed {
      _ = await count.value
      do { try await gate.pass() } catch { log.record("cancelled") }
      return 0
    }
    _ = await node.state
    try await gate.arrivals(1)
    await count.set(1)
    try await log.wait(for: "cancelled")
    await GraphActor.settle()
    #expect(gate.arrivalCount == 1)
    withExtendedLifetime(node) {}
  }

  @Test func `a superseded run that ends before the next one says nothing`() async throws {  // 317
    let first = Gate("first")
    let second = Gate("second")
    let count = Stored(0)
    let node = AsyncComputed {
      let value = await count.value
      await passHeedlessly(value == 0 ? first : second)
      return value
    }
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.next() == "pending")
    try await first.arrivals(1)
    await count.set(1)
    try await second.arrivals(1)
    first.open()
    await GraphActor.settle()
    second.open()
    #expect(await consumer.next() == "success 1")
  }

  @Test func `a superseded run that ends after the next one says nothing`() async throws {  // 317
    let first = Gate("first")
    let ended = Gate("ended")
    let count = Stored(0)
    let node = AsyncComputed {
      let value = await count.value
      if value == 0 {
        await passHeedlessly(first)
        ended.open()
      }
      return value
    }
    async let early = node.value
    try await first.arrivals(1)
    await count.set(1)
    #expect(try await early == 1)
    first.open()
    try await ended.pass()
    for _ in 0..<20 { await GraphActor.settle() }
    #expect(await node.state.summary == "success 1")
    #expect(try await node.value == 1)
  }

  @Test func `two changes in one commit restart once`() async throws {
    let log = EventLog<Int>()
    let gate = Gate("rule")
    let a = Stored(0)
    let b = Stored(0)
    let node = AsyncComputed {
      let sum = await a.value + b.value
      log.record(sum)
      try await gate.pass()
      return sum
    }
    async let value = node.value
    try await gate.arrivals(1)
    await withGraphTransaction {
      a.wrappedValue = 1
      b.wrappedValue = 2
    }
    try await gate.arrivals(2)
    gate.open()
    #expect(try await value == 3)
    #expect(log.events == [0, 3])
  }

  @Test func `writes while a run is pending end in the last value`() async throws {  // H94
    let gate = Gate("rule")
    let count = Stored(2)
    let source = AsyncComputed {
      let value = await count.value
      try await gate.pass()
      return value
    }
    let node = AsyncComputed { try await source.value }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(3)
    await count.set(4)
    gate.open()
    #expect(try await value == 4)
  }

  @Test func `a change that a computed node absorbs restarts nothing`() async throws {
    let log = EventLog<String>()
    let gate = Gate("rule")
    let count = Stored(1)
    let parity = Computed { _ in count.wrappedValue % 2 }
    let node = AsyncComputed {
      log.record("run")
      let value = await parity.value
      try await gate.pass()
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(3)
    gate.open()
    #expect(try await value == 1)
    #expect(log.events == ["run"])
  }

  @Test func `a result equal to the one before is no change, but no longer pending`() async throws {
    let log = EventLog<String>()  // 322, 327
    let count = Stored(1)
    let parity = AsyncComputed { await count.value % 2 }
    let reader = AsyncComputed {
      log.record("reader")
      return try await parity.value
    }
    #expect(try await reader.value == 1)
    await count.set(3)
    #expect(await parity.state.summary == "pending after 1")
    #expect(try await parity.value == 1)
    #expect(await parity.state.summary == "success 1")
    #expect(try await reader.value == 1)
    #expect(log.events == ["reader"])
  }

  @Test func `a condition that waits for a later write is told of it`() async throws {  // H91
    let missing = Stored<Int?>(nil)
    let gate = Gate("waits")
    let node = AsyncComputed {
      gate.admit()
      try await graphWait { missing.wrappedValue != nil }
      return await missing.value ?? 0
    }
    async let value = node.value
    try await gate.pass()
    await missing.set(4)
    #expect(try await value == 4)
    await missing.set(5)
    #expect(try await node.value == 5)
  }
}
