import StateGraph
import StateGraphTesting

// What async rules depend on, when their runs begin and end, and what transactions see of them.

extension Scenario {
  static let asyncReads = [
    readingOrder, untrackedRead, conditionRead, ownAsyncNode, previousValue, togetherAgain,
    secondRun, idleReader, releasedUnderStream, stateInTransaction, resultOfVersion,
  ]

  private struct Refused: Error {}

  /// Makes an async node whose rule waits at a gate, and records when that is cancelled.
  private static func waiting(
    at gate: Gate, _ log: EventLog<String>, _ read: @escaping @Sendable () async -> Int
  ) -> AsyncComputed<Int> {
    AsyncComputed {
      let value = await read()
      log.record("run \(value)")
      do {
        try await gate.pass()
      } catch {
        log.record("cancelled \(value)")
        throw error
      }
      return value
    }
  }

  private static let readingOrder = Scenario(
    "what an async rule has read is checked in reading order", [.addsLateDependency]
  ) {
    let log = EventLog<String>()
    let list = Stored([1, 2])
    let count = log.computed("count") { list.wrappedValue.count }
    let last = log.computed("last") { list.wrappedValue[1] }
    let node = AsyncComputed { await count.value > 1 ? await last.value : -1 }
    require(try await node.value == 2)
    _ = log.take()
    // To run `last` now would be out of bounds.
    await list.set([1])
    require(try await node.value == -1)
    require(log.take() == ["count"])
  }

  private static let untrackedRead = Scenario(
    "an async rule does not depend on what it reads without tracking",
    [.addsLateDependency]
  ) {
    let (a, b, c) = (Stored(1), Stored(1), Stored(1))
    let node = AsyncComputed {
      let untracked = await GraphActor.run {
        GraphActor.withoutTracking {
          GraphActor.withoutTracking { a.wrappedValue } + b.wrappedValue
        }
      }
      return await untracked + c.value
    }
    require(try await node.value == 3)
    await a.set(10)
    await b.set(10)
    guard case .success(3) = await node.state else {
      Scenario.fail("depends on what it has read without tracking")
    }
    await c.set(2)
    require(try await node.value == 22)
  }

  private static let conditionRead = Scenario(
    "an async rule depends on what the condition has read that it has waited for",
    [.fulfilsWaitAtOnce]
  ) {
    let (a, isReady) = (Stored(1), Stored(true))
    let node = AsyncComputed {
      try await graphWait { isReady.wrappedValue }
      return try await a.first { $0 > 0 } * 10
    }
    require(try await node.value == 10)
    await a.set(2)
    require(try await node.value == 20)
    await isReady.set(false)
    require(await GraphActor.run { node.state.isPending }, "a change of a condition is no news")
    await isReady.set(true)
    require(try await node.value == 20)
  }

  private static let ownAsyncNode = Scenario(
    "an async rule depends on what an async node has read that it has made for itself",
    [.awaitsAsyncNode]
  ) {
    let a = Stored(1)
    let node = AsyncComputed { try await AsyncComputed { await a.value * 10 }.value }
    for value in 1...3 {
      await a.set(value)
      require(try await node.value == value * 10)
    }
  }

  private static let previousValue = Scenario(
    "a failure and a pending state know the last value", [.failsAsync]
  ) {
    let a = Stored(1)
    let node = AsyncComputed {
      let value = await a.value
      if value > 1 { throw Refused() }
      return value
    }
    require(try await node.value == 1)
    for value in 2...3 {
      await a.set(value)
      _ = try? await node.value
      guard case .failure(_, previous: 1) = await node.state else {
        Scenario.fail("\(await node.state)")
      }
    }
  }

  private static let togetherAgain = Scenario(
    "the async nodes that a node has awaited run again together", [.isPendingWithOther]
  ) {
    let gate = Gate("rules", isOpen: true)
    let log = EventLog<String>()
    let sources = (0..<3).map { _ in Stored(1) }
    let parts = sources.map { source in waiting(at: gate, log) { await source.value } }
    let sum = AsyncComputed {
      async let first = parts[0].value
      async let second = parts[1].value
      async let third = parts[2].value
      return try await first + second + third
    }
    require(try await sum.value == 3)
    gate.shut()
    let arrived = gate.arrivalCount
    await withGraphTransaction { for source in sources { source.wrappedValue = 2 } }
    async let again = sum.value
    try await gate.arrivals(arrived + 3)
    gate.open()
    require(try await again == 6)
  }

  private static let secondRun = Scenario(
    "a change cancels a run that nobody asks about, as it did the run before",
    [.supersedesAsyncRun]
  ) {
    let gate = Gate("rule", isOpen: true)
    let log = EventLog<String>()
    let a = Stored(1)
    let node = waiting(at: gate, log) { await a.value }
    require(try await node.value == 1)
    gate.shut()
    for value in 2...4 {
      // Nobody follows the node, so nothing runs until somebody asks.
      await a.set(value)
      if value > 2 { try await log.wait(for: "cancelled \(value - 1)") }
      require(await node.state.isPending)
      try await log.wait(for: "run \(value)")
    }
    await a.set(5)
    try await log.wait(for: "cancelled 4")
    gate.open()
    require(try await node.value == 5)
  }

  private static let idleReader = Scenario(
    "an async node that has settled wants nothing of those that it has read", [.stopsAsyncRun]
  ) {
    let gate = Gate("rule", isOpen: true)
    let log = EventLog<String>()
    let a = Stored(1)
    let node = waiting(at: gate, log) { await a.value }
    let reader = AsyncComputed { await node.state.value ?? -1 }
    require(try await node.value == 1)
    require(try await reader.value == 1)
    gate.shut()
    await a.set(2)
    let waiter = Task { try await node.value }
    try await log.wait(for: "run 2")
    waiter.cancel()
    _ = await waiter.result
    try await log.wait(for: "cancelled 2")
    withExtendedLifetime(reader) {}
  }

  private static let releasedUnderStream = Scenario(
    "an async node that goes begins nothing for the stream that takes its last state",
    [.takesLastValue]
  ) {
    let log = EventLog<String>()
    let a = Stored(1)
    let node = Box<AsyncComputed<Int>?>(
      AsyncComputed {
        log.record("run")
        return await a.value
      })
    require(try await node.value?.value == 1)
    var states = node.value?.states.makeAsyncIterator()
    require(await states?.next(isolation: nil)?.value == 1)
    await GraphActor.run {
      a.wrappedValue = 2
      node.value = nil
    }
    while await states?.next(isolation: nil) != nil {}
    await untilTasksAreFinished()
    require(log.events == ["run"])
  }

  private static let stateInTransaction = Scenario(
    "a transaction that reads a pending state begins a run", [.startsAsyncRun]
  ) {
    let log = EventLog<String>()
    let a = Stored(1)
    let node = AsyncComputed {
      log.record("run")
      return await a.value
    }
    try await withGraphTransaction {
      guard GraphTransaction.current?.attempt == 1 else { return }
      require(node.state.isPending)
      try await log.wait(for: "run")
    }
    require(try await node.value == 1)
  }

  private static let resultOfVersion = Scenario(
    "a transaction sees the async result of its version", [.readsReplaced, .rollsBackOnConflict]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let node = AsyncComputed { await a.value * 10 }
    require(try await node.value == 10)
    try await withGraphTransaction {
      if GraphTransaction.current?.attempt == 1 {
        await outside {
          await a.set(2)
          _ = try? await node.value
        }
      }
      log.record(node.state.value ?? -1)
    }
    require(log.events == [10, 20], "seen: \(log.events)")
  }
}
