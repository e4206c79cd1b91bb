import StateGraph
import StateGraphTesting
import Testing

/// The end of a run that has no result reaches all who have read the state, wherever they read it.
@Suite struct AbandonedRunTests {
  /// A rule whose first runs never end, and that counts its runs.
  private final class Rule: Sendable {
    let gate = Gate("rule")
    let source = Stored(1)
    let node: AsyncComputed<Int>

    init() {
      node = AsyncComputed { [gate, source] in
        let value = await source.value
        try await gate.pass()
        return value
      }
    }

    /// Follows the states until the run has begun, and leaves.
    func followAndLeave() async throws {
      let follower = Task { [node] in for await _ in node.states {} }
      try await gate.arrivals(1)
      follower.cancel()
      await follower.value
      await GraphActor.settle()
    }
  }

  @Test func `a published node that reads the state begins the run again`() async throws {
    let rule = Rule()
    let isPending = Computed { [node = rule.node] _ in node.state.isPending }
    #expect(await isPending.value)
    try await rule.followAndLeave()
    // Without a commit in between.
    for _ in 0..<1_000 { #expect(await isPending.value) }
    try await rule.gate.arrivals(2)
    #expect(rule.gate.arrivalCount == 2)
    rule.gate.open()
    #expect(try await isPending.first { !$0 } == false)
    #expect(await isPending.value == false)
  }

  @Test func `nodes that are published and then released leave nothing behind`() async throws {
    for _ in 0..<100 {
      let rule = Rule()
      var isPending: Computed<Bool>? = Computed { [node = rule.node] _ in node.state.isPending }
      let other = Computed { [node = rule.node] _ in node.state.value }
      #expect(await isPending?.value == true)
      #expect(await other.value == nil)
      try await rule.followAndLeave()
      isPending = nil
      await GraphActor.settle()
      #expect(await other.value == nil)
      #expect(await GraphActor.run { Graph.shared.brokenInvariants() } == [])
    }
  }

  @Test func `a synchronous reader does not see the state of an abandoned run`() async throws {
    let rule = Rule()
    let isPending = Computed { [node = rule.node] _ in node.state.isPending }
    #expect(await isPending.value)
    try await rule.followAndLeave()
    #expect(isPending.committedValue == nil)
  }
}
