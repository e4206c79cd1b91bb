import StateGraph
import StateGraphTesting
import Testing

/// The protocols of async nodes in thousands of schedules.
///
/// Each test has a process of its own: other tests use the graph's actor at the same time.
@Suite struct AsyncNodeProtocolTests {
  @Test func `restarts against completions`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await AsyncNodeProtocol.restarting(writes: 2) }
    }
  }

  @Test func `a restart against a completion`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await AsyncNodeProtocol.restartingOnce() }
    }
  }

  @Test func `nested nodes against writes`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await AsyncNodeProtocol.nesting(writes: 2) }
    }
  }

  @Test func `the cancellation of a waiter against a completion`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore(cancelling: [.task("only")]) {
        try await AsyncNodeProtocol.cancelling(waiters: ["only"])
      }
      await CoreProtocol.explore(cancelling: [.task("first"), .task("second")]) {
        try await AsyncNodeProtocol.cancelling(waiters: ["first", "second", "third"])
      }
    }
  }

  @Test func `a release against a completion`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await AsyncNodeProtocol.releasing() }
      await CoreProtocol.explore { try await AsyncNodeProtocol.releasingOnce() }
    }
  }

  @Test func `transactions that wait for a result against writes`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await AsyncNodeProtocol.transacting(writes: 2) }
    }
  }
}
