import StateGraph
import StateGraphTesting
import Testing

/// Async nodes that depend on each other, and on transactions and waits.
@Suite struct NestedAsyncTests {
  @Test func `a chain follows its source`() async throws {  // Cases 321, 325.
    let source = Stored(1)
    let one = AsyncComputed { await source.value }
    let two = AsyncComputed { try await one.value * 10 }
    let three = AsyncComputed { try await two.value + 1 }
    for value in 1...20 {
      await source.set(value)
      #expect(try await three.value == value * 10 + 1)
    }
  }

  @Test func `an equal result of the inner node does not run the outer rule`() async throws {
    // Cases 322, 326, 327, report 35.
    let log = EventLog<String>()
    let source = Stored(1)
    let gate = Gate("inner", isOpen: true)
    let inner = AsyncComputed {
      let value = await source.value
      try await gate.pass()
      return value > 0
    }
    let outer = AsyncComputed {
      let value = try await inner.value
      log.record("outer \(value)")
      return value
    }
    #expect(try await outer.value)
    gate.shut()
    await source.set(2)
    // The outer node is pending as long as the inner one is.
    #expect(await outer.state.isPending)
    gate.open()
    #expect(try await outer.value)
    #expect(log.events == ["outer true"])
    await source.set(-1)
    #expect(try await !outer.value)
    #expect(log.events == ["outer true", "outer false"])
  }

  @Test func `a diamond does not wait for one branch before it begins the other`() async throws {
    // Case 324.
    let source = Stored(1)
    let (left, right) = (Gate("left"), Gate("right"))
    let one = AsyncComputed {
      let value = await source.value
      left.open()
      try await right.pass()
      return value
    }
    let two = AsyncComputed {
      let value = await source.value
      right.open()
      try await left.pass()
      return value
    }
    let sum = AsyncComputed {
      async let first = one.value
      async let second = two.value
      return try await first + second
    }
    #expect(try await sum.value == 2)
    await source.set(2)
    #expect(try await sum.value == 4)
  }

  @Test func `who follows the outer node keeps the inner one going`() async throws {
    let source = Stored(1)
    let inner = AsyncComputed { await source.value }
    let outer = AsyncComputed { try await inner.value * 2 }
    let seen = EventLog<Int>()
    let consumer = Task {
      for await state in outer.states {
        if case .success(let value) = state { seen.record(value) }
      }
    }
    for value in 1...5 {
      await source.set(value)
      try await seen.wait { $0.last == value * 2 }
    }
    consumer.cancel()
    await consumer.value
  }

  @Test func `a circle of async nodes ends the process with its path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      actor Nodes {
        var second: AsyncComputed<Int>?

        func set(_ node: AsyncComputed<Int>) { second = node }
      }
      let nodes = Nodes()
      let first = AsyncComputed(name: "a") { try await nodes.second?.value ?? 0 }
      await nodes.set(AsyncComputed(name: "b") { try await first.value })
      _ = try await first.value
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("cycle of async nodes"))
    #expect(output.contains("a -> b -> a") || output.contains("b -> a -> b"))
  }

  @Test func `a rule that writes ends the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = Stored(0, name: "source")
      let node = AsyncComputed(name: "async") { await source.set(1) }
      _ = try await node.value
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("the rule of async writes source"))
  }

  @Test func `a rule that opens a transaction ends the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = AsyncComputed(name: "async") {
        try await withGraphTransaction { await Task.yield() }
      }
      _ = try await node.value
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("the rule of async opens a transaction"))
  }

  @Test func `a rule may wait for a condition, and depends on what it reads`() async throws {
    let (source, other) = (Stored(0), Stored(5))
    let node = AsyncComputed {
      try await graphWait { source.wrappedValue > 0 }
      return await other.value
    }
    let task = Task { try await node.value }
    while await source.watcherCount == 0 { await Task.yield() }
    await source.set(1)
    #expect(try await task.value == 5)
    await source.set(0)
    #expect(await node.state.isPending)
    await source.set(2)
    await other.set(6)
    #expect(try await node.value == 6)
  }

  @Test func `a transaction waits for a value and is run again when there is one`() async throws {
    let (source, target) = (Stored(1), Stored(0))
    let node = AsyncComputed {
      await Task.yield()
      return await source.value * 10
    }
    for value in 1...5 {
      await source.set(value)
      try await withGraphTransaction {
        target.wrappedValue = try await node.value
      }
      #expect(await target.value == value * 10)
    }
  }

  @Test func `a staged write makes the node pending for its transaction only`() async throws {
    let source = Stored(1)
    let node = AsyncComputed { await source.value }
    #expect(try await node.value == 1)
    await GraphActor.run {
      withGraphTransaction {
        source.wrappedValue = 2
        #expect(node.state.isPending)
        source.wrappedValue = 1
      }
    }
    #expect(try await node.value == 1)
  }

  @Test func `many nodes, many readers, many writes`() async throws {
    let sources = (0..<4).map { _ in Stored(0) }
    let nodes = sources.map { source in
      AsyncComputed {
        await Task.yield()
        return await source.value
      }
    }
    let sum = AsyncComputed {
      var sum = 0
      for node in nodes { sum += try await node.value }
      return sum
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for value in 1...50 {
            await sources[task].set(value)
            #expect(try await nodes[task].value == value)
            _ = try await sum.value
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await sum.value == 200)
  }
}
