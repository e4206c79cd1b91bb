import StateGraph
import StateGraphTesting
import Testing

/// The protocols of transactions that await, waits, groups and async nodes in thousands of
/// schedules; small ones in every schedule.
///
/// Each test has a process of its own: other tests use the graph's actor at the same time.
@Suite struct TransactionProtocolTests {
  @Test func `commits against readers and each other`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.transfers(2) }
    }
  }

  @Test func `retries`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.increments(4) }
    }
  }

  @Test func `a retry, in every schedule with few interruptions`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust(interruptions: 2) { try await TransactionProtocol.increments(2) }
    }
  }

  @Test func `children that join, and a late task`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.joining() }
    }
  }

  @Test func `cancelling against the commit`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore(cancelling: [.task("transaction")]) {
        try await TransactionProtocol.cancelled()
      }
    }
  }

  @Test func `waiting against commits`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.waiting() }
    }
  }

  @Test func `cancelling against the end of a wait`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore(cancelling: [.task("wait")]) {
        try await TransactionProtocol.waitingUntilCancelled()
      }
    }
  }

  @Test func `taking from a queue in transactions that wait`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.taking(3) }
    }
  }

  @Test func `cancelling groups against commits and runs`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.cancellingGroups() }
    }
  }

  @Test func `settling against commits`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await TransactionProtocol.settling() }
    }
  }

  @Test func `an async node's restart against its end`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore {
        try await TransactionProtocol.untilRulesHaveEnded(TransactionProtocol.restarting)
      }
    }
  }

  @Test func `cancelling the last waiter against the end of a run`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore(cancelling: [.task("waiter")]) {
        try await TransactionProtocol.untilRulesHaveEnded(TransactionProtocol.stoppingRun)
      }
    }
  }

  @Test func `releasing an async node against its run`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore {
        try await TransactionProtocol.untilRulesHaveEnded(TransactionProtocol.releasingRun)
      }
    }
  }
}
