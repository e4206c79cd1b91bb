import StateGraph
import StateGraphTesting
import Testing

/// Runs that fail are tried again, and runs that take too long are ended.
@Suite struct AsyncRetryTests {
  @Test func `a run that fails is tried again, after pauses that grow`() async throws {
    let clock = ManualClock()
    let attempts = EventLog<Duration>()
    let retry = AsyncRetry(
      maximumAttempts: 5, delay: .seconds(1), factor: 3, maximumDelay: .seconds(10))
    let node = AsyncComputed(retry: retry, clock: clock) { () -> Int in
      attempts.record(clock.now.offset)
      if attempts.events.count < 5 { throw Refused() }
      return 7
    }
    async let value = node.value
    for pause in [1, 3, 9, 10] {
      try await clock.sleepers(1)
      #expect(await node.state.isPending)
      clock.advance(by: .seconds(pause))
    }
    #expect(try await value == 7)
    #expect(attempts.events == [0, 1, 4, 13, 23].map { .seconds($0) })
  }

  @Test func `after the last attempt its error is the result`() async throws {
    let attempts = EventLog<Int>()
    let node = AsyncComputed(retry: AsyncRetry(maximumAttempts: 3)) { () -> Int in
      attempts.record(0)
      throw Refused(number: attempts.events.count)
    }
    await #expect(throws: Refused(number: 3)) { try await node.value }
    #expect(attempts.events.count == 3)
    // A settled failure is not tried again by a read.
    await #expect(throws: Refused(number: 3)) { try await node.value }
  }

  @Test func `only errors that are worth it are tried again`() async throws {
    let attempts = EventLog<Int>()
    let retry = AsyncRetry(maximumAttempts: 10) { ($0 as? Refused)?.number != 2 }
    let node = AsyncComputed(retry: retry) { () -> Int in
      attempts.record(0)
      throw Refused(number: attempts.events.count)
    }
    await #expect(throws: Refused(number: 2)) { try await node.value }
    #expect(attempts.events.count == 2)
  }

  @Test func `a closure can decide about each attempt`() async throws {
    let seen = EventLog<Int>()
    let attempts = EventLog<Int>()
    let retry = AsyncRetry { error, attempt in
      seen.record(attempt)
      return attempt < 4 ? .zero : nil
    }
    let node = AsyncComputed(retry: retry) { () -> Int in
      attempts.record(0)
      throw Refused()
    }
    await #expect(throws: Refused.self) { try await node.value }
    #expect(seen.events == [1, 2, 3, 4])
    #expect(attempts.events.count == 4)
  }

  @Test func `a change during the pause begins another run`() async throws {
    let clock = ManualClock()
    let input = Stored(0)
    let runs = EventLog<Int>()
    let retry = AsyncRetry(maximumAttempts: 2, delay: .seconds(10))
    let node = AsyncComputed(retry: retry, clock: clock) { () -> Int in
      let value = await input.value
      runs.record(value)
      if value == 0 { throw Refused() }
      return value
    }
    async let value = node.value
    try await clock.sleepers(1)
    await input.set(5)
    #expect(try await value == 5)
    clock.advance(by: .seconds(100))
    await GraphActor.settle()
    #expect(runs.events == [0, 5])
  }

  @Test func `what a failed attempt has read is a dependency of the run`() async throws {
    let first = Stored(0)
    let attempts = EventLog<Int>()
    let node = AsyncComputed(retry: AsyncRetry(maximumAttempts: 2)) { () -> Int in
      attempts.record(0)
      guard attempts.events.count.isMultiple(of: 2) else {
        _ = await first.value
        throw Refused()
      }
      return attempts.events.count
    }
    #expect(try await node.value == 2)
    await first.set(1)
    #expect(try await node.value == 4)
  }

  // MARK: - Time limits

  /// What a node comes to whose rule waits at a gate while a time passes.
  private static func result(
    of node: AsyncComputed<Int>, waitingAt gate: Gate, past limit: Duration, on clock: ManualClock
  ) async throws -> Result<Int, any Error> {
    async let result = Task { try await node.value }.result
    try await gate.arrivals(1)
    try await clock.sleepers(1)
    clock.advance(by: limit)
    return await result
  }

  @Test func `a rule that takes too long is cancelled and fails`() async throws {
    let clock = ManualClock()
    let gate = Gate("rule")
    let cancelled = EventLog<Int>()
    let node = AsyncComputed(name: "quote", timeout: .seconds(5), clock: clock) { () -> Int in
      do { try await gate.pass() } catch {
        cancelled.record(0)
        throw error
      }
      return 1
    }
    let ended = try await Self.result(of: node, waitingAt: gate, past: .seconds(5), on: clock)
    let error = #expect(throws: AsyncTimeoutError.self) { try ended.get() }
    #expect(error?.node == "quote" && error?.limit == .seconds(5))
    #expect(error?.description == "the rule of quote has not returned within 5.0 seconds")
    try await cancelled.wait(for: 0)
  }

  @Test func `a rule that ignores the cancellation is not waited for`() async throws {
    let clock = ManualClock()
    let gate = Gate("rule")
    let node = AsyncComputed(timeout: .seconds(5), clock: clock) { () -> Int in
      await passHeedlessly(gate)
      return 1
    }
    let ended = try await Self.result(of: node, waitingAt: gate, past: .seconds(5), on: clock)
    #expect(throws: AsyncTimeoutError.self) { try ended.get() }
    // What it returns later is not heard of.
    gate.open()
    await GraphActor.settle()
    #expect(await node.state.error is AsyncTimeoutError)
  }

  @Test func `each attempt has its own time`() async throws {
    let clock = ManualClock()
    let gate = Gate("rule")
    let attempts = EventLog<Int>()
    let retry = AsyncRetry(maximumAttempts: 2) { $0 is AsyncTimeoutError }
    let node = AsyncComputed(timeout: .seconds(5), retry: retry, clock: clock) { () -> Int in
      attempts.record(0)
      if attempts.events.count == 1 { try await gate.pass() }
      return attempts.events.count
    }
    let ended = try await Self.result(of: node, waitingAt: gate, past: .seconds(5), on: clock)
    #expect(try ended.get() == 2)
  }

  @Test func `a rule that returns in time is not disturbed`() async throws {
    let clock = ManualClock()
    let node = AsyncComputed(timeout: .seconds(5), clock: clock) { 1 }
    #expect(try await node.value == 1)
    clock.advance(by: .seconds(10))
    await GraphActor.settle()
    #expect(try await node.value == 1)
  }

  @Test func `a run that is superseded loses its limit`() async throws {
    let clock = ManualClock()
    let gate = Gate("rule")
    let input = Stored(0)
    let node = AsyncComputed(timeout: .seconds(5), clock: clock) { () -> Int in
      let value = await input.value
      try await gate.pass()
      return value
    }
    async let value = node.value
    try await gate.arrivals(1)
    clock.advance(by: .seconds(3))
    await input.set(1)
    try await gate.arrivals(2)
    clock.advance(by: .seconds(3))
    await GraphActor.settle()
    gate.open()
    #expect(try await value == 1)
  }
}
