import StateGraph
import StateGraphTesting
import Testing

/// The protocols of the core in thousands of schedules; small ones in every schedule.
///
/// Each test has a process of its own: other tests use the graph's actor at the same time.
@Suite struct CoreProtocolTests {
  @Test func `writers and readers`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.writersAndReaders(3, writes: 2) }
    }
  }

  @Test func `a writer and a reader, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust { try await CoreProtocol.writersAndReaders(1, writes: 1) }
    }
  }

  @Test func `a transaction's commit against outside readers`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.transfers(3) }
    }
  }

  @Test func `a transaction's commit against outside readers, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust { try await CoreProtocol.oneTransfer() }
      await CoreProtocol.exhaust(cancelling: [.task("sums")]) {
        try await CoreProtocol.oneTransferUnderAStream()
      }
    }
  }

  @Test func `subscribing against commits`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.subscribing(commits: 3) }
    }
  }

  @Test func `subscribing against a commit, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust { try await CoreProtocol.following(commits: 1) }
    }
  }

  @Test func `cancelling against wake-ups`() async {
    await #expect(processExitsWith: .success) {
      let all = ["values", "changes", "trackings", "commits"]
      await CoreProtocol.explore(cancelling: all.map { .task($0) }) {
        try await CoreProtocol.followingUntilCancelled(commits: 2)
      }
      await CoreProtocol.explore(cancelling: [.task("values"), .task("changes")]) {
        try await CoreProtocol.subscribing(commits: 3)
      }
    }
  }

  @Test func `cancelling against a wake-up, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust(cancelling: [.task("values")]) {
        try await CoreProtocol.followingOneUntilCancelled()
      }
    }
  }

  @Test func `releasing a node against commits and reads`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.releasing(writes: 3) }
    }
  }

  @Test func `releasing a node against a stream`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.releasingUnderStreams(writes: 2) }
    }
  }

  @Test func `releasing a node against a stream, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust { try await CoreProtocol.releasingUnderOneStream() }
    }
  }

  @Test func `leaving a stream against a commit, exhaustively`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.exhaust { try await CoreProtocol.leavingOnce() }
    }
  }

  @Test func `streams of commits against commits`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.committing(2) }
    }
  }

  @Test func `leaving streams against commits`() async {
    await #expect(processExitsWith: .success) {
      await CoreProtocol.explore { try await CoreProtocol.leaving(writes: 3) }
    }
  }
}
