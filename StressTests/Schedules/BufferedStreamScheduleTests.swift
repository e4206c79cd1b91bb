import StateGraph
import StateGraphTesting
import Testing

/// Streams whose consumers take what is buffered without the actor, against commits.
@Suite struct BufferedStreamScheduleTests {
  @Test func `each way of buffering against commits and the end of the node`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await BufferedStreams.taking(commits: 5) }
    }
  }

  @Test func `cancelling consumers that have something buffered`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let names = ["unbounded", "newest", "oldest", "latest"]
      await Exploration(seed: seed).explore(cancelling: names.map { .task($0) }) {
        try await BufferedStreams.taking(commits: 3)
      }
    }
  }

  @Test func `a consumer that takes against commits, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 3) {
        try await BufferedStreams.takingAll(commits: 2)
      }
    }
  }

  @Test func `subscribing in the middle of commits of several nodes`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await BufferedStreams.subscribing(commits: 3) }
    }
  }
}

/// Bodies with streams that buffer.
private enum BufferedStreams {
  /// A writer that drops the node in the end, and a consumer of each kind.
  static func taking(commits: Int) async throws {
    let owner = Owner(Stored(0))
    let kinds: [(String, GraphBuffering)] = [
      ("unbounded", .unbounded), ("newest", .newest(2)), ("oldest", .oldest(2)),
      ("latest", .latest),
    ]
    try await withThrowingDiscardingTaskGroup { group in
      for (name, buffering) in kinds {
        group.addTask {
          try await Schedule.named(name) { try await take(from: owner, buffering, to: commits) }
        }
      }
      group.addTask {
        for value in 1...commits { await owner.object?.set(value) }
        owner.drop()
      }
    }
  }

  static func takingAll(commits: Int) async throws {
    let owner = Owner(Stored(0))
    async let consumer: Void = take(from: owner, .unbounded, to: commits)
    await Schedule.yield()
    for value in 1...commits { await owner.object?.set(value) }
    owner.drop()
    try await consumer
  }

  /// Takes until the node has gone, with a pause after each element in which more is buffered.
  private static func take(
    from owner: Owner<Stored<Int>>, _ buffering: GraphBuffering, to end: Int
  ) async throws {
    guard let changes = owner.object?.changes(buffering: buffering) else { return }
    var last: GraphChange<Int>?
    for await change in changes {
      if let last {
        try Schedule.require(change.version > last.version, "\(change) after \(last)")
        // Whatever was dropped is counted, where anything is kept.
        let isNext =
          buffering == .latest
          ? change.value > last.value && change.dropped == 0
          : change.value == last.value + 1 + change.dropped
        try Schedule.require(isNext, "\(change) after \(last)")
        try Schedule.require(buffering != .unbounded || change.dropped == 0, "\(change)")
      }
      last = change
      await Schedule.yield()
    }
    // Only what drops the newest may end with another value than the node.
    guard let last, !Task.isCancelled, buffering != .oldest(2) else { return }
    try Schedule.require(last.value == end, "\(buffering) ended with \(last), not with \(end)")
  }

  /// Streams of nodes that are written together: what has been delivered is committed everywhere.
  static func subscribing(commits: Int) async throws {
    let (number, text) = (Stored(0), Stored("0"))
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 1...commits {
          await withGraphTransaction {
            number.wrappedValue = value
            text.wrappedValue = "\(value)"
          }
        }
      }
      group.addTask {
        for await change in number.changes(buffering: .unbounded) {
          let other = await text.value
          try Schedule.require(Int(other) ?? -1 >= change.value, "\(change), then \(other)")
          if change.value == commits { break }
        }
      }
      group.addTask {
        for await value in text.values {
          let other = number.committedValue
          try Schedule.require(other >= Int(value) ?? .max, "\(value), then \(other)")
          if value == "\(commits)" { break }
        }
      }
      group.addTask {
        let (first, second) = await GraphSnapshot.values(of: number, text)
        try Schedule.require(second == "\(first)", "together: \(first), \(second)")
        for await change in text.changes(buffering: .newest(1)) {
          try Schedule.require(Int(change.value) ?? -1 >= first, "\(change) after \(first)")
          if change.value == "\(commits)" { break }
        }
      }
    }
  }
}
