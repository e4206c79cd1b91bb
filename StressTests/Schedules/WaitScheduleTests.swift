import StateGraph
import StateGraphTesting
import Testing

/// Waits for conditions over several nodes, against commits.
@Suite struct WaitScheduleTests {
  @Test func `waits over two nodes against commits of both`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Waits.waiting(commits: 3) }
    }
  }

  @Test func `a wait against a commit, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 3) {
        try await Waits.waiting(commits: 1)
      }
    }
  }

  @Test func `cancelling one wait leaves the others`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore(cancelling: [.task("wait 1"), .task("wait 2")]) {
        try await Waits.waiting(commits: 2)
      }
    }
  }

  @Test func `two that wait for each other's commits`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Waits.alternating(rounds: 3) }
    }
  }
}

/// Bodies with waits.
private enum Waits {
  /// One wait for each commit; the conditions never see half of one.
  static func waiting(commits: Int) async throws {
    let (number, text) = (Stored(0), Stored("0"))
    let halves = EventLog<String>()
    try await withThrowingDiscardingTaskGroup { group in
      for expected in 1...commits {
        group.addTask {
          try await Schedule.named("wait \(expected)") {
            do {
              try await graphWait {
                let seen = (number.wrappedValue, text.wrappedValue)
                if seen.1 != "\(seen.0)" { halves.record("\(seen)") }
                return seen.0 >= expected
              }
              // The commit that ended the wait is there for everybody.
              let rest = (number.committedValue, Int(text.committedValue) ?? -1)
              try Schedule.require(
                rest.0 >= expected && rest.1 >= rest.0, "waited for \(expected), found \(rest)")
            } catch is CancellationError {
              try Schedule.require(Task.isCancelled, "a wait was not cancelled and says so")
            }
          }
        }
      }
      group.addTask {
        for value in 1...commits {
          await withGraphTransaction {
            number.wrappedValue = value
            text.wrappedValue = "\(value)"
          }
        }
      }
    }
    try Schedule.require(halves.events.isEmpty, "half a commit: \(halves.events)")
  }

  /// Each writes when it has seen what the other has written: a lost wake-up is a deadlock.
  static func alternating(rounds: Int) async throws {
    let nodes = [Stored(0), Stored(0)]
    try await withThrowingDiscardingTaskGroup { group in
      for place in 0..<2 {
        group.addTask {
          for round in 1...rounds {
            let other = nodes[1 - place]
            let wanted = place == 0 ? round - 1 : round
            let seen = try await other.first { $0 >= wanted }
            try Schedule.require(seen == wanted, "waited for \(wanted), got \(seen)")
            let value = await other.value
            try Schedule.require(value == wanted, "waited for \(wanted), read \(value)")
            await nodes[place].set(round)
          }
        }
      }
    }
  }
}
