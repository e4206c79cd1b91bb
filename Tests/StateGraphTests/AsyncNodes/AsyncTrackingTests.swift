import StateGraph
import StateGraphTesting
import Testing

/// What a rule reads is tracked across `await`, in child tasks, and in every run anew.
@Suite struct AsyncTrackingTests {
  @Test func `what is read after an await is tracked`() async throws {  // 316, H89
    let count = Stored(1)
    let node = AsyncComputed {
      await Task.yield()
      return await count.value
    }
    for value in 1...3 {
      await count.set(value)
      #expect(try await node.value == value)
    }
  }

  @Test func `what child tasks read is tracked`() async throws {
    let counts = (0..<4).map { Stored($0) }
    let node = AsyncComputed {
      await withTaskGroup { group in
        for count in counts { group.addTask { await count.value } }
        return await group.reduce(0, +)
      }
    }
    #expect(try await node.value == 6)
    await counts[3].set(10)
    #expect(try await node.value == 13)
  }

  @Test func `what async let reads is tracked`() async throws {
    let a = Stored(1)
    let b = Stored(2)
    let node = AsyncComputed {
      async let left = a.value
      async let right = GraphActor.run { b.wrappedValue }
      return await left + right
    }
    #expect(try await node.value == 3)
    await b.set(5)
    #expect(try await node.value == 6)
    await a.set(2)
    #expect(try await node.value == 7)
  }

  @Test func `what is read on another actor is tracked`() async throws {
    let count = Stored(1)
    let node = AsyncComputed { await onMainActor(count) }
    #expect(try await node.value == 1)
    await count.set(2)
    #expect(try await node.value == 2)
  }

  @Test func `dependencies are collected anew in each run`() async throws {  // 320
    let log = EventLog<Int>()
    let count = Stored(0)
    let other = Stored(0)
    let node = AsyncComputed {
      let value = await count.value
      if value == 0 { _ = await other.value }
      log.record(value)
      return value
    }
    _ = try await node.value
    await count.set(1)
    _ = try await node.value
    await other.set(1)
    _ = try await node.value
    #expect(log.events == [0, 1])
  }

  @Test func `a dependency discovered late restarts the run`() async throws {  // 329
    let log = EventLog<Int>()
    let gate = Gate("rule")
    let count = Stored(1)
    let node = AsyncComputed {
      await Task.yield()
      let value = await count.value
      log.record(value)
      try await gate.pass()
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await count.set(2)
    gate.open()
    #expect(try await value == 2)
    #expect(log.events == [1, 2])
  }

  @Test func `dependencies are checked in the order of the reads`() async throws {
    let log = EventLog<String>()
    let list = Stored([1, 2])
    let item = Computed { _ in
      log.record("item")
      return list.wrappedValue[1]
    }
    let hasItem = Computed { _ in list.wrappedValue.count > 1 }
    let node = AsyncComputed {
      guard await hasItem.value else { return 0 }
      return await item.value
    }
    #expect(try await node.value == 2)
    await list.set([1])
    #expect(try await node.value == 0)
    #expect(log.events == ["item"])
  }

  @Test func `an untracked read is no dependency`() async throws {
    let log = EventLog<String>()
    let a = Stored(1)
    let b = Stored(10)
    let node = AsyncComputed {
      log.record("run")
      let hidden = await GraphActor.run { GraphActor.withoutTracking { b.wrappedValue } }
      return await a.value + hidden
    }
    #expect(try await node.value == 11)
    await b.set(20)
    #expect(try await node.value == 11)
    await a.set(2)
    #expect(try await node.value == 22)
    #expect(log.events == ["run", "run"])
  }

  @Test func `what is read before and after an untracked read is tracked`() async throws {
    let a = Stored(1)
    let b = Stored(1)
    let node = AsyncComputed {
      await GraphActor.run {
        let first = a.wrappedValue
        GraphActor.withoutTracking {}
        return first + b.wrappedValue
      }
    }
    #expect(try await node.value == 2)
    await b.set(2)
    #expect(try await node.value == 3)
  }

  @Test @GraphActor func `a tracked expression does not depend on an untracked read`() async {
    let a = Stored(1)
    let b = Stored(1)
    let consumer = Conformance.Consumer(
      GraphTrackings { a.wrappedValue + GraphActor.withoutTracking { b.wrappedValue } })
    #expect(await consumer.take() == [2])
    b.wrappedValue = 2
    #expect(await consumer.take() == [])
    a.wrappedValue = 2
    #expect(await consumer.take() == [4])
    await consumer.cancel()
  }

  @Test func `an untracked body can throw`() async {
    await #expect(throws: Refused()) {
      try await GraphActor.run { try GraphActor.withoutTracking { throw Refused() } }
    }
  }

  @Test func `a task that outlives its run reads for nobody`() async throws {
    let log = EventLog<String>()
    let gate = Gate("late task")
    let late = Stored(1)
    let count = Stored(1)
    let node = AsyncComputed {
      log.record("run")
      Task {
        try await gate.pass()
        _ = await late.value
        log.record("late")
      }
      return await count.value
    }
    _ = try await node.value
    gate.open()
    try await log.wait(for: "late")
    await late.set(2)
    _ = try await node.value
    #expect(log.events == ["run", "late"])
  }

  @Test func `a node that the rule makes for itself passes on what it has read`() async throws {
    let log = EventLog<Int>()
    let count = Stored(1)
    let node = AsyncComputed {
      let value = await count.map { $0 + 1 }.map { $0 * 10 }.value
      log.record(value)
      return value
    }
    #expect(try await node.value == 20)
    await GraphActor.run {}
    #expect(try await node.value == 20)
    #expect(log.events == [20])
    await count.set(2)
    #expect(try await node.value == 30)
    #expect(log.events == [20, 30])
  }

  @Test func `an async node that the rule makes for itself passes on what it has read`()
    async throws
  {
    let log = EventLog<Int>()
    let count = Stored(1)
    let node = AsyncComputed {
      let value = try await AsyncComputed { await count.value + 1 }.value
      log.record(value)
      return value
    }
    #expect(try await node.value == 2)
    await GraphActor.run {}
    #expect(try await node.value == 2)
    await count.set(2)
    #expect(try await node.value == 3)
    #expect(log.events == [2, 3])
  }
}

@MainActor private func onMainActor(_ count: Stored<Int>) async -> Int {
  await count.value
}
