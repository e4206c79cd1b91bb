import StateGraph
import StateGraphTesting
import Testing

/// Refreshes, retries, time limits and times to live in many schedules, on the clock of the run.
@Suite struct AsyncPolicyScheduleTests {
  private struct Refused: Error {}

  @Test func `a value that is read after a write belongs to it, whatever ends the runs`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore {
        let rules = LiveCount()
        try await Self.read(writes: 3, rules)
        // An attempt that was late may still be under way.
        try await rules.wait(for: 0)
      }
    }
  }

  /// Whether it is the error of a third attempt, behind two that were late or refused.
  private static func isFinal(_ error: any Error) -> Bool {
    error is AsyncTimeoutError || error is Refused
  }

  /// Writes, refreshes and reads at the same time two nodes, of which one has a time limit.
  private static func read(writes: Int, _ rules: LiveCount) async throws {
    let clock = ScheduleClock()
    let source = Stored(0)
    let limited = makeNode(of: source, timeout: .milliseconds(20), rules)
    let unlimited = makeNode(of: source, timeout: nil, rules)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 1...writes {
          await source.set(value)
          try await Task.sleep(for: .milliseconds(15), clock: clock)
        }
      }
      group.addTask {
        for node in [unlimited, limited] {
          await node.refresh()
          try await Task.sleep(for: .milliseconds(10), clock: clock)
        }
      }
      for node in [limited, unlimited] {
        group.addTask {
          var latest = -1
          for _ in 0..<3 {
            let before = source.committedValue
            do {
              let value = try await node.value
              try Schedule.require(value >= before && value >= latest, "\(value) after \(before)")
              latest = value
            } catch  where isFinal(error) {
              // An attempt can be late in any schedule, however long its limit.
              try Schedule.require(node === limited, "one failure has not been tried again")
            }
          }
        }
      }
    }
    let last = try await unlimited.value
    try Schedule.require(last == writes, "the last value is \(last)")
  }

  /// A node of which every third attempt fails.
  private static func makeNode(
    of source: Stored<Int>, timeout: Duration?, _ rules: LiveCount
  ) -> AsyncComputed<Int> {
    let token = rules.token()
    let clock = ScheduleClock()
    let attempts = EventLog<Int>()
    return AsyncComputed(
      staleAfter: .milliseconds(40), timeout: timeout,
      retry: AsyncRetry(maximumAttempts: 3, delay: .milliseconds(5)), clock: clock
    ) { () -> Int in
      defer { extendLifetime(token) }
      let value = await source.value
      attempts.record(value)
      if attempts.events.count.isMultiple(of: 3) { throw Refused() }
      try await Task.sleep(for: .milliseconds(7), clock: clock)
      return value
    }
  }
}
