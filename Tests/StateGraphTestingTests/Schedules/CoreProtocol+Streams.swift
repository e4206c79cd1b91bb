import StateGraph
import StateGraphTesting

extension CoreProtocol {
  /// A writer, and one consumer of each kind until it has seen the last value.
  static func subscribing(commits count: Int) async throws {
    let source = Stored(0)
    let double = Computed { _ in source.wrappedValue * 2 }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        try await Schedule.named("values") { try await follow(double.values, by: 2, to: 2 * count) }
      }
      group.addTask {
        try await Schedule.named("changes") { try await followEveryChange(of: source, to: count) }
      }
      group.addTask {
        try await Schedule.named("trackings") {
          try await follow(GraphTrackings { source.wrappedValue }, by: 1, to: count)
        }
      }
      group.addTask {
        for value in 1...count { await source.set(value) }
      }
    }
  }

  /// A writer, and a consumer of the values until it has seen the last.
  static func following(commits count: Int) async throws {
    let source = Stored(0)
    async let values: Void = Schedule.named("values") {
      try await follow(source.values, by: 1, to: count)
    }
    await Schedule.yield()
    for value in 1...count { await source.set(value) }
    try await values
  }

  /// Writers, and consumers of the commits that subscribe before the first one.
  static func committing(_ count: Int) async throws {
    let sources = [Stored(0), Stored(0)]
    let subscriptions = Gate("subscriptions")
    try await withThrowingDiscardingTaskGroup { group in
      for number in 1...2 {
        group.addTask {
          try await Schedule.named("commits \(number)") {
            var iterator = GraphActor.commits().makeAsyncIterator()
            subscriptions.admit()
            var versions: [UInt64] = []
            while versions.count < 2 * count, let commit = await iterator.next() {
              try Schedule.require(commit.changedNodes.count == 1, "\(commit)")
              versions.append(commit.version)
            }
            let steps = zip(versions, versions.dropFirst())
            try Schedule.require(steps.allSatisfy { $0 + 1 == $1 }, "versions \(versions)")
            try Schedule.require(Task.isCancelled || versions.count == 2 * count, "\(versions)")
          }
        }
      }
      for _ in 1...2 { try await subscriptions.pass() }
      for source in sources {
        group.addTask { for value in 1...count { await source.set(value) } }
      }
    }
  }

  /// A writer, and one consumer of each kind that only a cancellation ends.
  static func followingUntilCancelled(commits count: Int) async throws {
    let source = Stored(0)
    let double = Computed { _ in source.wrappedValue * 2 }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        try await Schedule.named("values") { try await followUntilCancelled(double.values) }
      }
      group.addTask {
        try await Schedule.named("changes") {
          let changes = source.changes(buffering: .unbounded)
          try await followUntilCancelled(changes.map(\.value))
        }
      }
      group.addTask {
        try await Schedule.named("trackings") {
          try await followUntilCancelled(GraphTrackings { source.wrappedValue })
        }
      }
      group.addTask {
        try await Schedule.named("commits") {
          try await followUntilCancelled(GraphActor.commits().map { Int($0.version) })
        }
      }
      group.addTask {
        for value in 1...count { await source.set(value) }
      }
    }
  }

  /// A writer, and a consumer that only a cancellation ends.
  static func followingOneUntilCancelled() async throws {
    let source = Stored(0)
    async let values: Void = Schedule.named("values") {
      try await followUntilCancelled(source.values)
    }
    await Schedule.yield()
    await source.set(1)
    try await values
  }

  /// Consumers that leave after their first element, and a writer.
  static func leaving(writes: Int) async throws {
    let source = Stored(0)
    let double = Computed { _ in source.wrappedValue * 2 }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { for await _ in source.values { break } }
      group.addTask { for await _ in double.changes(buffering: .unbounded) { break } }
      group.addTask { for await _ in GraphTrackings({ double.wrappedValue }) { break } }
      group.addTask {
        for await change in source.changes(buffering: .newest(1)) where change.value > 0 { break }
      }
      group.addTask { for value in 1...writes { await source.set(value) } }
    }
  }

  /// A consumer that leaves after its first element, and a writer.
  static func leavingOnce() async throws {
    let source = Stored(0)
    async let consumer: Void = { for await _ in source.values { break } }()
    await Schedule.yield()
    await source.set(1)
    await consumer
  }

  /// Reads a stream that must grow, up to its last element.
  private static func follow<S: AsyncSequence>(
    _ stream: S, by step: Int, to end: Int
  ) async throws where S.Element == Int {
    var last = -step
    for try await value in stream {
      try Schedule.require(value > last && value.isMultiple(of: step), "\(value) after \(last)")
      last = value
      if value == end { break }
    }
    try Schedule.require(Task.isCancelled || last == end, "the stream ended at \(last)")
  }

  /// Reads a stream that must grow, until the task is cancelled.
  private static func followUntilCancelled<S: AsyncSequence>(
    _ stream: S
  ) async throws where S.Element == Int {
    var last = -1
    for try await value in stream {
      try Schedule.require(value > last, "\(value) after \(last)")
      last = value
    }
    try Schedule.require(Task.isCancelled, "the stream ended at \(last)")
  }

  /// Reads a stream that must not miss or repeat anything, up to its last element.
  private static func followEveryChange(of source: Stored<Int>, to end: Int) async throws {
    var last: Int?
    for await change in source.changes(buffering: .unbounded) {
      let isNext = last.map { change.value == $0 + 1 } ?? true
      try Schedule.require(isNext, "\(change.value) after \(last as Int?)")
      try Schedule.require(change.dropped == 0, "\(change.dropped) were dropped")
      last = change.value
      if change.value == end { break }
    }
    try Schedule.require(Task.isCancelled || last == end, "the stream ended at \(last as Int?)")
  }
}
