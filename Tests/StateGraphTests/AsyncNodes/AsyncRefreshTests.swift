import StateGraph
import StateGraphTesting
import Testing

/// Results that are refreshed although nothing has changed: on demand, and when their time is up.
@Suite struct AsyncRefreshTests {
  @Test func `a refreshed node runs again with the next read`() async throws {
    let log = EventLog<Int>()
    let node = AsyncComputed { () -> Int in
      log.record(0)
      return log.events.count
    }
    #expect(try await node.value == 1)
    await node.refresh()
    await GraphActor.settle()
    #expect(log.events.count == 1)
    #expect(try await node.value == 2)
    #expect(try await node.value == 2)
  }

  @Test func `a refreshed node that is followed runs at once, and is pending meanwhile`()
    async throws
  {
    let gate = Gate("rule", isOpen: true)
    let log = EventLog<Int>()
    let node = AsyncComputed { () -> Int in
      try await gate.pass()
      log.record(0)
      return log.events.count
    }
    let consumer = await StateConsumer(of: node)
    #expect(await consumer.settled() == "success 1")
    gate.shut()
    await node.refresh()
    #expect(await node.state.isRefreshing(1))
    try await gate.arrivals(2)
    gate.open()
    #expect(await consumer.settled() == "success 2")
  }

  @Test func `an equal result of a refresh is no news`() async throws {
    let node = AsyncComputed { 7 }
    let runs = EventLog<Int>()
    let derived = AsyncComputed { () -> Int in
      let value = try await node.value
      runs.record(value)
      return value
    }
    #expect(try await derived.value == 7)
    await node.refresh()
    #expect(try await derived.value == 7)
    #expect(runs.events == [7])
  }

  @Test func `the previous result says whether its inputs have changed`() async throws {
    let gate = Gate("rule", isOpen: true)
    let input = Stored(1)
    let node = AsyncComputed { () -> Int in
      let value = await input.value
      try await gate.pass()
      return value
    }
    #expect(await node.state.isPending(previous: nil, inputsChanged: false))
    #expect(try await node.value == 1)
    gate.shut()
    await node.refresh()
    #expect(await node.state.isPending(previous: 1, inputsChanged: false))
    // Whether the run that is under way has read the input or not.
    await input.set(2)
    #expect(await node.state.isPending(previous: 1, inputsChanged: true))
    gate.open()
    #expect(try await node.value == 2)
  }

  @Test func `who awaits a node that is refreshed is refreshing, too`() async throws {
    let gate = Gate("rule", isOpen: true)
    let node = AsyncComputed { () -> Int in
      try await gate.pass()
      return 1
    }
    let derived = AsyncComputed { try await node.value * 10 }
    #expect(try await derived.value == 10)
    gate.shut()
    await node.refresh()
    #expect(await derived.state.isPending(previous: 10, inputsChanged: false))
    gate.open()
    #expect(try await derived.value == 10)
  }

  @Test func `a refresh replaces the run that is under way`() async throws {
    let gate = Gate("rule")
    let log = EventLog<String>()
    let node = AsyncComputed { () -> Int in
      let number = log.events.filter { $0 == "begins" }.count
      log.record("begins")
      do { try await gate.pass() } catch {
        log.record("cancelled")
        throw error
      }
      return number
    }
    async let value = node.value
    try await gate.arrivals(1)
    await node.refresh()
    try await gate.arrivals(2)
    gate.open()
    #expect(try await value == 1)
    try await log.wait(for: "cancelled")
  }

  @Test func `what the run before has read is forgotten`() async throws {
    let first = Stored(1)
    let second = Stored(2)
    let usesFirst = EventLog<Bool>()
    let runs = EventLog<Int>()
    let node = AsyncComputed { () -> Int in
      runs.record(0)
      return usesFirst.events.isEmpty ? await first.value : await second.value
    }
    #expect(try await node.value == 1)
    usesFirst.record(false)
    await node.refresh()
    #expect(try await node.value == 2)
    await first.set(10)
    #expect(try await node.value == 2)
    #expect(runs.events.count == 2)
    await second.set(20)
    #expect(try await node.value == 20)
  }

  @Test func `in a transaction it takes effect with the commit`() async throws {
    let log = EventLog<Int>()
    let node = AsyncComputed { () -> Int in
      log.record(0)
      return log.events.count
    }
    #expect(try await node.value == 1)
    try await withGraphTransaction { () async throws in
      node.refresh()
      #expect(try await node.value == 1)
    }
    #expect(try await node.value == 2)
    try? await withGraphTransaction { () async throws in
      node.refresh()
      throw Refused()
    }
    #expect(try await node.value == 2)
  }

  @Test func `a node that has never run is not concerned`() async throws {
    let node = AsyncComputed { 1 }
    let mark = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    await node.refresh()
    await mark.set(1)
    while let commit = await commits.next(), !commit.changedNodes.contains(mark.id) {
      #expect(!commit.changedNodes.contains(node.id))
    }
    #expect(try await node.value == 1)
  }

  @Test func `a rule must not refresh`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = AsyncComputed(name: "rates") { 1 }
      _ = try await node.value
      let mistake = Computed(name: "mistake") { _ -> Int in
        node.refresh()
        return 0
      }
      _ = await mistake.value
    }
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(message.contains("mistake") && message.contains("rates"), "\(message)")
  }

  // MARK: - Time to live

  @Test func `a result is stale when its time is up`() async throws {
    let clock = ManualClock()
    let log = EventLog<Int>()
    let node = AsyncComputed(staleAfter: .seconds(60), clock: clock) { () -> Int in
      log.record(0)
      return log.events.count
    }
    #expect(try await node.value == 1)
    try await clock.sleepers(1)
    clock.advance(by: .seconds(59))
    #expect(try await node.value == 1)
    clock.advance(by: .seconds(1))
    try await node.wait { $0.isPending }
    #expect(try await node.value == 2)
    // The second result has its own time.
    try await clock.sleepers(1)
    clock.advance(by: .seconds(59))
    #expect(try await node.value == 2)
  }

  @Test func `a stale node that nobody follows does not run`() async throws {
    let clock = ManualClock()
    let log = EventLog<Int>()
    let node = AsyncComputed(staleAfter: .seconds(1), clock: clock) { () -> Int in
      log.record(0)
      return 0
    }
    _ = try await node.value
    var commits = GraphActor.commits().makeAsyncIterator()
    try await clock.sleepers(1)
    clock.advance(by: .seconds(10))
    while let commit = await commits.next(), !commit.changedNodes.contains(node.id) {}
    await GraphActor.settle()
    #expect(log.events.count == 1)
    withExtendedLifetime(node) {}
  }

  @Test func `a change begins the time anew`() async throws {
    let clock = ManualClock()
    let input = Stored(0)
    let log = EventLog<Int>()
    let node = AsyncComputed(staleAfter: .seconds(60), clock: clock) { () -> Int in
      log.record(await input.value)
      return await input.value
    }
    _ = try await node.value
    try await clock.sleepers(1)
    clock.advance(by: .seconds(40))
    await input.set(1)
    #expect(try await node.value == 1)
    try await clock.sleepers(1)
    clock.advance(by: .seconds(40))
    await GraphActor.settle()
    #expect(try await node.value == 1)
    #expect(log.events == [0, 1])
  }

  @Test func `a node that goes takes its timer with it`() async throws {
    let clock = ManualClock()
    let live = LiveCount()
    try await {
      let token = live.token()
      let node = AsyncComputed(staleAfter: .seconds(60), clock: clock) { () -> Int in
        withExtendedLifetime(token) { 0 }
      }
      _ = try await node.value
      try await clock.sleepers(1)
    }()
    try await live.wait(for: 0)
  }
}

extension AsyncState where Value: Equatable {
  fileprivate func isPending(previous: Value?, inputsChanged: Bool) -> Bool {
    guard case .pending(let value, let isChanged) = self else { return false }
    return value == previous && isChanged == inputsChanged
  }

  fileprivate func isRefreshing(_ value: Value) -> Bool {
    isPending(previous: value, inputsChanged: false)
  }
}

extension AsyncComputed {
  /// Waits for a state without following the node.
  fileprivate func wait(for condition: @escaping @Sendable (AsyncState<Success>) -> Bool)
    async throws
  {
    while await !condition(state) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
