import StateGraph
import StateGraphTesting
import Testing

/// Commits against readers of every kind, chiefly those that do not enter the actor.
///
/// The values are an integer and a string, because plain data and others are published in different
/// ways.
@Suite struct CommitReadScheduleTests {
  @Test func `two reads, one after the other, do not go back behind a commit`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await CommitReads.oneAfterTheOther(commits: 3) }
    }
  }

  @Test func `committed values against commits`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await CommitReads.committed(commits: 3) }
    }
  }

  @Test func `snapshots against commits`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await CommitReads.snapshots(commits: 3) }
    }
  }

  @Test func `transactions and streams against commits`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await CommitReads.visitors(commits: 3) }
    }
  }

  @Test func `all kinds of readers at once against commits that await`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await CommitReads.all(commits: 2) }
    }
  }

  @Test func `a commit against each kind of reader, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let exploration = Exploration(seed: seed)
      await exploration.exhaust { try await CommitReads.oneAfterTheOther(commits: 1) }
      await exploration.exhaust { try await CommitReads.committed(commits: 1) }
      await exploration.exhaust(interruptions: 3) { try await CommitReads.snapshots(commits: 1) }
      await exploration.exhaust(interruptions: 3) { try await CommitReads.visitors(commits: 1) }
    }
  }
}
