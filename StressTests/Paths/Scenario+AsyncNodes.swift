import StateGraph
import StateGraphTesting

// Async nodes.

extension Scenario {
  static let asyncNodes = [
    firstResult, newResult, equalResult, failure, superseded, heedless, busyConsumer, abandoned,
    awaitedNode, inTransaction, ownNode, refreshed, stale, retried, late,
  ]

  private struct Refused: Error {}

  /// Waits at a gate, whether the task is cancelled or not.
  private static func passHeedlessly(_ gate: Gate) async {
    _ = try? await Task { try await gate.pass() }.value
  }

  private static let firstResult = Scenario(
    "the first who waits for an async node begins its rule, the next find the result",
    [.startsAsyncRun, .commitsAsyncResult, .settlesAsync, .succeedsChanged, .settlesAsyncAtOnce]
  ) {
    let log = EventLog<String>()
    let a = Stored(1)
    let node = AsyncComputed {
      log.record("run")
      return await a.value
    }
    require(try await node.value == 1)
    require(try await node.value == 1)
    require(log.events == ["run"])
  }

  private static let newResult = Scenario(
    "an async node runs again after a change of what it has read",
    [.addsLateDependency, .knowsLateDependency]
  ) {
    let a = Stored(1)
    let node = AsyncComputed { await a.value * 5 + a.value * 5 }
    for value in 1...5 {
      await a.set(value)
      require(try await node.value == value * 10)
    }
  }

  private static let equalResult = Scenario(
    "a result that is equal to the one before is no news", [.succeedsEqual]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let node = AsyncComputed { await a.value % 2 }
    require(try await node.value == 1)
    let reader = AsyncComputed {
      let value = try await node.value
      log.record(value)
      return value
    }
    require(try await reader.value == 1)
    await a.set(3)
    require(try await reader.value == 1)
    require(log.events == [1])
  }

  private static let failure = Scenario(
    "what an async rule throws is its result", [.failsAsync]
  ) {
    let a = Stored(1)
    let node = AsyncComputed {
      if await a.value == 2 { throw Refused() }
      return 5
    }
    require(try await node.value == 5)
    await a.set(2)
    do {
      _ = try await node.value
      Scenario.fail("no error")
    } catch is Refused {}
    await a.set(3)
    require(try await node.value == 5)
  }

  private static let refreshed = Scenario(
    "a refreshed node runs again, and depends on what that run reads only",
    [.refreshesAsync, .dropsAsyncReads]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let b = Stored(10)
    let node = AsyncComputed {
      log.record(0)
      return log.events.count == 1 ? await a.value : await b.value
    }
    require(try await node.value == 1)
    await node.refresh()
    require(try await node.value == 10)
    await a.set(2)
    require(try await node.value == 10)
    require(log.events.count == 2)
    await b.set(20)
    require(try await node.value == 20)
  }

  private static let stale = Scenario(
    "a result is stale when its time is up", [.becomesStale]
  ) {
    let clock = ManualClock()
    let log = EventLog<Int>()
    let node = AsyncComputed(staleAfter: .seconds(1), clock: clock) {
      log.record(0)
      return log.events.count
    }
    require(try await node.value == 1)
    try await clock.sleepers(1)
    var commits = GraphActor.commits().makeAsyncIterator()
    clock.advance(by: .seconds(1))
    while let commit = await commits.next(), !commit.changedNodes.contains(node.id) {}
    require(log.events.count == 1)
    require(try await node.value == 2)
  }

  private static let retried = Scenario(
    "a run that fails is tried again, and its node is pending meanwhile", [.retriesAsync]
  ) {
    let clock = ManualClock()
    let log = EventLog<Int>()
    let retry = AsyncRetry(maximumAttempts: 2, delay: .seconds(1))
    let node = AsyncComputed(retry: retry, clock: clock) {
      log.record(0)
      if log.events.count == 1 { throw Refused() }
      return log.events.count
    }
    async let value = node.value
    try await clock.sleepers(1)
    require(await node.state.isPending)
    clock.advance(by: .seconds(1))
    require(try await value == 2)
  }

  private static let late = Scenario(
    "a run that takes too long fails, whether its rule returns or not", [.limitsAsyncRun]
  ) {
    let clock = ManualClock()
    let gate = Gate("rule")
    let node = AsyncComputed(timeout: .seconds(1), clock: clock) {
      await passHeedlessly(gate)
      return 1
    }
    async let result = Task { try await node.value }.result
    try await gate.arrivals(1)
    try await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    guard case .failure(is AsyncTimeoutError) = await result else { Scenario.fail("no error") }
    gate.open()
    await untilTasksAreFinished()
    require(await node.state.error is AsyncTimeoutError)
  }

  private static let superseded = Scenario(
    "a change of what a run has read cancels it", [.supersedesAsyncRun]
  ) {
    let log = EventLog<String>()
    let gate = Gate("rule")
    let a = Stored(1)
    let node = AsyncComputed {
      let value = await a.value
      do {
        try await gate.pass()
      } catch {
        log.record("cancelled")
        throw error
      }
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await a.set(2)
    try await log.wait(for: "cancelled")
    gate.open()
    require(try await value == 2)
  }

  private static let heedless = Scenario(
    "the result of a superseded run is never published", [.dropsAsyncResult]
  ) {
    let dropped = taken(.dropsAsyncResult)
    let gate = Gate("rule")
    let a = Stored(1)
    let node = AsyncComputed {
      let value = await a.value
      await passHeedlessly(gate)
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    await a.set(2)
    try await gate.arrivals(2)
    gate.admit()
    // The first run returns beside the second.
    await until { gate.passedCount == 1 }
    repeat {
      require(await GraphActor.run { node.state.isPending }, "a superseded result was published")
    } while PathCounts.areKept && taken(.dropsAsyncResult) == dropped
    gate.open()
    require(try await value == 2)
  }

  private static let busyConsumer = Scenario(
    "a run follows at once for one who follows the state and is busy", [.restartsAsyncRun]
  ) {
    let gate = Gate("rule")
    let a = Stored(1)
    let node = AsyncComputed {
      let value = await a.value
      try await gate.pass()
      return value
    }
    var states = node.states.makeAsyncIterator()
    require(await states.next(isolation: nil)?.isPending == true)
    try await gate.arrivals(1)
    await a.set(2)
    try await gate.arrivals(2)
    gate.open()
    while let state = await states.next(isolation: nil) {
      guard !state.isPending else { continue }
      require(state.value == 2)
      break
    }
    withExtendedLifetime(node) {}
  }

  private static let abandoned = Scenario(
    "a run that nobody wants any more is cancelled, and the next read begins another",
    [.stopsAsyncRun, .invalidatesDerived]
  ) {
    let log = EventLog<String>()
    let gate = Gate("rule")
    let node = AsyncComputed {
      do {
        try await gate.pass()
      } catch {
        log.record("cancelled")
        throw error
      }
      return 1
    }
    let waiter = Task { try await node.value }
    try await gate.arrivals(1)
    waiter.cancel()
    _ = await waiter.result
    try await log.wait(for: "cancelled")
    gate.open()
    require(try await node.value == 1)
  }

  private static let awaitedNode = Scenario(
    "an async node is pending as long as one is that it has awaited",
    [.awaitsAsyncNode, .isPendingWithOther]
  ) {
    let gate = Gate("rule", isOpen: true)
    let a = Stored(1)
    let first = AsyncComputed {
      let value = await a.value
      try await gate.pass()
      return value
    }
    let second = AsyncComputed { try await first.value * 10 }
    require(try await second.value == 10)
    gate.shut()
    await a.set(2)
    require(await GraphActor.run { second.state.isPending })
    async let value = second.value
    gate.open()
    require(try await value == 20)
  }

  private static let inTransaction = Scenario(
    "a transaction sees async results, and is told when its own writes end them",
    [.readsSettledInTransaction, .isUnsettledInTransaction]
  ) {
    let a = Stored(1)
    let node = AsyncComputed { await a.value * 10 }
    require(try await node.value == 10)
    require(try await withGraphTransaction { try await node.value } == 10)
    do {
      try await withGraphTransaction {
        a.wrappedValue = 2
        _ = try await node.value
      }
      Scenario.fail("no error")
    } catch let error as GraphTransactionError {
      require(error.code == .unsettled)
    }
    require(await a.value == 1)
  }

  private static let ownNode = Scenario(
    "an async rule depends on what a node has read that it has made for itself",
    [.bequeathsToAsyncRun]
  ) {
    let log = EventLog<String>()
    let a = Stored(1)
    let gate = Gate("rule")
    let node = AsyncComputed {
      log.record("run")
      try await gate.pass()
      return await a.map { $0 * 10 }.value
    }
    async let value = node.value
    try await gate.arrivals(1)
    // By now the actor has ended the step in which it has begun the run.
    await GraphActor.run {}
    gate.open()
    require(try await value == 10)
    await GraphActor.run {}
    require(try await node.value == 10)
    require(log.events == ["run"], "\(log.events.count) runs")
    await a.set(2)
    require(try await node.value == 20)
  }
}
