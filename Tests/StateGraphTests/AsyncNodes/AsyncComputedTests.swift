import StateGraph
import StateGraphTesting
import Testing

@Suite struct AsyncComputedTests {
  struct Failure: Error, Equatable {}

  // MARK: - Values

  @Test func `the rule runs when a value is waited for, and once`() async throws {
    let log = EventLog<String>()
    let source = Stored(1)
    let node = AsyncComputed {
      log.record("run")
      await Task.yield()
      return await source.value * 2
    }
    #expect(log.events == [])
    #expect(try await node.value == 2)
    #expect(try await node.value == 2)
    #expect(log.events == ["run"])
  }

  @Test func `a read that starts after a write belongs to it`() async throws {
    let source = Stored(0)
    let node = AsyncComputed {
      await Task.yield()
      return await source.value
    }
    for value in 1...50 {
      await source.set(value)
      #expect(try await node.value == value)
    }
  }

  @Test func `what is read after an await is tracked`() async throws {  // Case 316, report 89.
    let source = Stored(1)
    let node = AsyncComputed {
      await Task.yield()
      let one = await source.value
      await Task.yield()
      return one + 1
    }
    for value in 1...3 {
      await source.set(value)
      #expect(try await node.value == value + 1)
    }
  }

  @Test func `what child tasks and other actors read is tracked`() async throws {
    let (one, two, three) = (Stored(1), Stored(2), Stored(3))
    let onActor = { @GraphActor in three.wrappedValue }
    let node = AsyncComputed {
      async let first = one.value
      let second = await withTaskGroup(of: Int.self) { group in
        group.addTask { await two.value }
        return await group.next() ?? 0
      }
      return await first + second + onActor()
    }
    #expect(try await node.value == 6)
    for (source, sum) in [(one, 15), (two, 23), (three, 30)] {
      await source.set(10)
      #expect(try await node.value == sum)
    }
  }

  @Test func `dependencies are collected anew in every run`() async throws {  // Case 320.
    let log = EventLog<Int>()
    let (flag, hidden) = (Stored(true), Stored(0))
    let node = AsyncComputed {
      let isOn = await flag.value
      let value = isOn ? await hidden.value : -1
      log.record(value)
      return value
    }
    #expect(try await node.value == 0)
    await flag.set(false)
    #expect(try await node.value == -1)
    await hidden.set(7)
    #expect(try await node.value == -1)
    #expect(log.events == [0, -1])
  }

  @Test func `untracked reads are nobody's dependencies`() async throws {
    let (tracked, untracked) = (Stored(1), Stored(10))
    let node = AsyncComputed {
      let hidden = await GraphActor.run { GraphActor.withoutTracking { untracked.wrappedValue } }
      return await tracked.value + hidden
    }
    #expect(try await node.value == 11)
    await untracked.set(20)
    #expect(try await node.value == 11)
    await tracked.set(2)
    #expect(try await node.value == 22)
  }

  @Test func `computed nodes are dependencies with their cutoff`() async throws {
    let log = EventLog<Bool>()
    let source = Stored(1)
    let isPositive = Computed { _ in source.wrappedValue > 0 }
    let node = AsyncComputed {
      let value = await isPositive.value
      log.record(value)
      return value
    }
    #expect(try await node.value)
    await source.set(2)
    #expect(try await node.value)
    await source.set(-1)
    #expect(try await !node.value)
    #expect(log.events == [true, false])
  }

  // MARK: - Restart

  @Test func `a change cancels the run and begins another; the first is never published`()
    async throws
  {
    // Cases 315, 317, reports 92, 94.
    let source = Stored(0)
    let gates = [Gate("first"), Gate("second")]
    let log = EventLog<String>()
    let node = AsyncComputed {
      let value = await source.value
      log.record("begin \(value)")
      // Ignores the cancellation, so that the superseded run ends after the other.
      let gate = gates[value]
      await Task { try? await gate.pass() }.value
      log.record("end \(value), \(Task.isCancelled)")
      return value
    }
    async let result = node.value
    try await log.wait { $0 == ["begin 0"] }
    await source.set(1)
    try await log.wait { $0 == ["begin 0", "begin 1"] }
    gates[1].open()
    let value = try await result
    #expect(value == 1)
    gates[0].open()
    try await log.wait { $0.last == "end 0, true" }
    await GraphActor.settle()
    #expect(try await node.value == 1)
    #expect(log.events == ["begin 0", "begin 1", "end 1, false", "end 0, true"])
  }

  @Test func `changes in one commit restart once`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    let log = EventLog<Int>()
    let gate = Gate("run")
    let node = AsyncComputed {
      let sum = await one.value + two.value
      log.record(sum)
      try await gate.pass()
      return sum
    }
    async let result = node.value
    try await log.wait { $0 == [0] }
    await withGraphTransaction {
      one.wrappedValue = 1
      two.wrappedValue = 1
    }
    try await log.wait { $0 == [0, 2] }
    gate.open()
    let value = try await result
    #expect(value == 2)
    #expect(log.events == [0, 2])
  }

  @Test func `what a superseded run reads is no dependency`() async throws {
    let (source, late) = (Stored(0), Stored(0))
    let gate = Gate("late read")
    let log = EventLog<Int>()
    let node = AsyncComputed {
      let value = await source.value
      log.record(value)
      if value == 0 {
        await Task { try? await gate.pass() }.value
        _ = await late.value
        log.record(-1)
      }
      return value
    }
    async let result = node.value
    try await log.wait { $0 == [0] }
    await source.set(1)
    let value = try await result
    #expect(value == 1)
    gate.open()
    try await log.wait { $0.last == -1 }
    await late.set(1)
    #expect(try await node.value == 1)
    #expect(log.events == [0, 1, -1])
  }

  // MARK: - Errors

  @Test func `an error is kept like a value, and a change recovers`() async throws {  // 332, 187.
    let source = Stored(1)
    let log = EventLog<Int>()
    let node = AsyncComputed {
      let value = await source.value
      log.record(value)
      if value < 0 { throw Failure() }
      return value
    }
    #expect(try await node.value == 1)
    await source.set(-1)
    await #expect(throws: Failure()) { try await node.value }
    await #expect(throws: Failure()) { try await node.value }
    guard case .failure(let error, let previous) = await node.state else {
      Issue.record("not a failure")
      return
    }
    #expect(error as? Failure == Failure())
    #expect(previous == 1)
    await source.set(3)
    #expect(try await node.value == 3)
    #expect(log.events == [1, -1, 3])
  }

  // MARK: - Demand

  @Test func `nobody asking, nothing runs`() async throws {
    let log = EventLog<Int>()
    let source = Stored(0)
    let node = AsyncComputed {
      let value = await source.value
      log.record(value)
      return value
    }
    await source.set(1)
    #expect(try await node.value == 1)
    for value in 2...10 { await source.set(value) }
    await GraphActor.settle()
    #expect(log.events == [1])
    #expect(try await node.value == 10)
  }

  @Test func `cancelling the last task that waits stops the run`() async throws {  // 319, 330.
    let begun = Gate("begun")
    let log = EventLog<String>()
    let node = AsyncComputed {
      begun.open()
      do {
        try await Gate("never").pass()
      } catch {
        log.record("cancelled")
        throw error
      }
    }
    let waiting = [Task { try await node.value }, Task { try await node.value }]
    try await begun.pass()
    waiting[0].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[0].value }
    #expect(log.events == [])
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[1].value }
    try await log.wait { $0 == ["cancelled"] }
    #expect(await node.state.isPending)
  }

  @Test func `heavy work leaves the actor free`() async throws {
    let (begun, done) = (Gate("begun"), Gate("done"))
    let source = Stored(0)
    let node = AsyncComputed {
      begun.open()
      try await done.pass()
      return 1
    }
    async let result = node.value
    try await begun.pass()
    await source.set(5)
    #expect(await source.value == 5)
    done.open()
    let value = try await result
    #expect(value == 1)
  }

  @Test func `a node that is released cancels its run`() async throws {
    let log = EventLog<String>()
    let begun = Gate("begun")
    do {
      let node = AsyncComputed {
        begun.open()
        do {
          try await Gate("never").pass()
        } catch {
          log.record("cancelled")
        }
      }
      _ = await node.state
      try await begun.pass()
      withExtendedLifetime(node) {}
    }
    try await log.wait { $0 == ["cancelled"] }
  }

  @Test(.timeLimit(.minutes(2))) func `nothing is left of a node`() async {
    await #expect(processExitsWith: .success) {
      let source = Stored(0)
      @Sendable func use() async throws {
        let node = AsyncComputed { await source.value }
        let above = AsyncComputed { try await node.value + 1 }
        for value in 1...100 {
          await source.set(value)
          let seen = try await above.value
          #expect(seen == value + 1)
        }
        for await state in above.states {
          if !state.isPending { break }
        }
      }
      try await use()
      // The tasks of the rules let go of what they have when they have ended; the source stays.
      while await (Graph.shared.nodeCount, Graph.shared.edgeCount) != (1, 0) { await Task.yield() }
      #expect(await Graph.shared.brokenInvariants() == [])
      withExtendedLifetime(source) {}
    }
  }

  // MARK: - States

  @Test func `the states go from pending to success, with the value before`() async throws {
    let source = Stored(1)
    let gate = Gate("run")
    let node = AsyncComputed {
      let value = await source.value
      try await gate.pass()
      return value
    }
    var states = node.states.makeAsyncIterator()
    var state = await states.next(isolation: nil)
    #expect(state?.isPending == true)
    #expect(state?.latest == nil)
    gate.admit()
    state = await states.next(isolation: nil)
    guard case .success(1) = state else { throw Failure() }
    await source.set(2)
    state = await states.next(isolation: nil)
    #expect(state?.isPending == true)
    #expect(state?.latest == 1)
    gate.admit()
    state = await states.next(isolation: nil)
    guard case .success(2) = state else { throw Failure() }
    withExtendedLifetime(node) {}
  }

  @Test func `a group that reads the state makes the rule run, and run again`() async throws {
    let log = EventLog<String>()
    let source = Stored(1)
    let node = AsyncComputed { await source.value * 10 }
    let text = Computed { _ in
      switch node.state {
      case .pending(let previous): "pending \(previous ?? 0)"
      case .success(let value): "success \(value)"
      case .failure: "failure"
      }
    }
    let tracking = await withGraphTracking {
      withGraphTrackingMap(delivery: .immediate) {
        text.wrappedValue
      } onChange: {
        log.record($0)
      }
    }
    try await log.wait { $0 == ["pending 0", "success 10"] }
    await source.set(2)
    try await log.wait { $0.suffix(2) == ["pending 10", "success 20"] }
    tracking.cancel()
  }

  @Test func `nobody sees a result together with a source that does not fit it`() async throws {
    let source = Stored(0)
    let node = AsyncComputed { await source.value }
    let pair = Computed { _ in
      guard case .success(let value) = node.state else { return true }
      return value == source.wrappedValue
    }
    var iterator = pair.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await iterator.next(isolation: nil)?.value == true)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        if !pair.wrappedValue { Issue.record("torn") }
      }
    }
    for value in 1...100 {
      await source.set(value)
      if value.isMultiple(of: 3) { _ = try await node.value }
    }
    tracking.cancel()
  }
}
