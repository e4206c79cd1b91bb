import StateGraph
import Testing

/// Misuse of groups, maps, waits and transactions ends the process with a message.
@Suite struct TrackingMisuseTests {
  private func expect(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(message), sourceLocation: sourceLocation)
  }

  @Test func `a group outside of tracking`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await GraphActor.run { withGraphTrackingGroup {} }
    }
    expect(
      "a group or a map is made outside of withGraphTracking, at StateGraphTests/TrackingMisuseTests.swift:",
      in: result)
  }

  @Test func `a cleanup outside of a group`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await withGraphTracking { withGraphTrackingCleanup {} }
    }
    expect(
      "a cleanup is registered outside of the handler of a group, at "
        + "StateGraphTests/TrackingMisuseTests.swift:", in: result)
  }

  @Test func `tracking in a rule`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rule = Computed(name: "total") { _ in
        withGraphTracking {}.isCancelled
      }
      _ = await rule.value
    }
    expect("the rule of total begins to track; a rule must only derive a value", in: result)
  }

  @Test func `tracking in an async rule`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = AsyncComputed(name: "async") { await withGraphTracking {}.isCancelled }
      _ = try await node.value
    }
    expect("the rule of async begins to track; a rule must only derive a value", in: result)
  }

  @Test func `a condition that writes`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = Stored(0, name: "count")
      try await graphWait {
        node.wrappedValue = 1
        return true
      }
    }
    expect("writes count; a condition must only read", in: result)
  }

  @Test func `a condition that opens a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await graphWait { withGraphTransaction { true } }
    }
    expect("opens a transaction", in: result)
  }

  @Test func `a transaction with no attempt`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withGraphTransaction(maximumAttempts: 0) { await Task.yield() }
    }
    expect("a transaction needs at least one attempt", in: result)
  }
}
