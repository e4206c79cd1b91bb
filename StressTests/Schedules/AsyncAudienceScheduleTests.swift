import StateGraph
import StateGraphTesting
import Testing

/// Async nodes that restart, against the loss of those who want the result.
@Suite struct AsyncAudienceScheduleTests {
  @Test func `losing the audience against writes and the end of runs`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore(cancelling: [.task("follower"), .task("waiter")]) {
        try await AsyncAudience.losing(writes: 2)
      }
    }
  }

  @Test func `losing the last who waits against a write, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 1, cancelling: [.task("waiter")]) {
        try await AsyncAudience.losingOne()
      }
    }
  }

  @Test func `rules that read without the actor, against commits of all they read`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await AsyncAudience.reading(writes: 2) }
    }
  }
}

/// Bodies with async nodes; each waits in the end until every rule has been freed.
private enum AsyncAudience {
  static func losing(writes: Int) async throws {
    let rules = LiveCount()
    do {
      let source = Stored(0)
      let node = AsyncComputed { [rule = rules.token()] in
        defer { extendLifetime(rule) }
        let first = await source.value
        await Schedule.yield()
        let second = await source.value
        // Of a run whose result is published, both are the same.
        return [first, second]
      }
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          try await Schedule.named("follower") {
            var last = 0
            for await state in node.states {
              guard case .success(let seen) = state else { continue }
              try Schedule.require(seen[0] == seen[1] && seen[0] >= last, "\(seen), \(last)")
              last = seen[0]
            }
            try Schedule.require(Task.isCancelled, "the states ended at \(last)")
          }
        }
        group.addTask {
          await Schedule.named("waiter") { _ = try? await node.value }
        }
        group.addTask { for value in 1...writes { await source.set(value) } }
      }
      let rest = try await node.value
      try Schedule.require(rest == [writes, writes], "the next who waits got \(rest)")
    }
    try await rules.wait(for: 0)
  }

  static func losingOne() async throws {
    let rules = LiveCount()
    do {
      let source = Stored(0)
      let node = AsyncComputed { [rule = rules.token()] in
        defer { extendLifetime(rule) }
        return await source.value
      }
      await withTaskGroup { group in
        group.addTask {
          await Schedule.named("waiter") { _ = try? await node.value }
        }
        group.addTask { await source.set(1) }
      }
      let rest = try await node.value
      try Schedule.require(rest == 1, "the next who waits got \(rest)")
    }
    try await rules.wait(for: 0)
  }

  /// A rule's reads are noted and belong to the run, although readers outside enter no actor.
  static func reading(writes: Int) async throws {
    let rules = LiveCount()
    do {
      let (number, text) = (Stored(0), Stored("0"))
      let length = Computed { _ in Int(text.wrappedValue) ?? -1 }
      let node = AsyncComputed { [rule = rules.token()] in
        defer { extendLifetime(rule) }
        let (one, two) = await GraphSnapshot.values(of: number, text)
        let three = await length.value
        return "\(one), \(two), \(three)"
      }
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          for value in 1...writes {
            await withGraphTransaction {
              number.wrappedValue = value
              text.wrappedValue = "\(value)"
            }
            let seen = try await node.value
            try Schedule.require(seen == "\(value), \(value), \(value)", "\(seen) for \(value)")
          }
        }
        group.addTask {
          for await state in node.states {
            guard case .success(let seen) = state else { continue }
            let parts = Set(seen.split(separator: ", "))
            try Schedule.require(parts.count == 1, "a settled result is mixed: \(seen)")
            if parts == ["\(writes)"] { break }
          }
        }
      }
    }
    try await rules.wait(for: 0)
  }
}
