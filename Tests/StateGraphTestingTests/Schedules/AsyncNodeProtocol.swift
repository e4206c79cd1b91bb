import StateGraph
import StateGraphTesting
import Synchronization

/// Bodies that use async nodes as a service would, and throw if a promise is broken.
enum AsyncNodeProtocol {
  /// The last owner of a node.
  private final class Owner: Sendable {
    private let content: Mutex<AsyncComputed<Int>?>

    init(_ node: AsyncComputed<Int>) {
      content = Mutex(node)
    }

    var node: AsyncComputed<Int>? { content.withLock { $0 } }

    /// Lets go of the node, on the thread and in the isolation of the caller.
    func drop() {
      let node = content.withLock { content in
        defer { content = nil }
        return content
      }
      _ = consume node
    }
  }

  /// Waits at the end until every rule has been freed: a superseded run may end later than its node.
  private static func forgetting(_ body: (LiveCount) async throws -> Void) async throws {
    let rules = LiveCount()
    try await body(rules)
    try await rules.wait(for: 0)
  }

  /// Writers, and readers that wait for the value of a node that depends on all they write.
  static func restarting(writes: Int) async throws {
    try await forgetting { try await restarting(writes: writes, counting: $0) }
  }

  private static func restarting(writes: Int, counting rules: LiveCount) async throws {
    let sources = [Stored(0), Stored(0)]
    let sum = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      let first = await sources[0].value
      await Schedule.yield()
      return await first + sources[1].value
    }
    try await withThrowingDiscardingTaskGroup { group in
      for source in sources {
        group.addTask {
          for value in 1...writes {
            await source.set(value)
            let seen = try await sum.value
            try Schedule.require(seen >= value, "wrote \(value) and read \(seen)")
          }
        }
      }
      group.addTask {
        var last = 0
        for await state in sum.states {
          guard case .success(let value) = state else { continue }
          try Schedule.require(value >= last, "\(value) after \(last)")
          last = value
          if value == 2 * writes { break }
        }
      }
    }
    let value = try await sum.value
    try Schedule.require(value == 2 * writes, "the last value is \(value)")
  }

  /// A write against the end of a run, under one who waits.
  static func restartingOnce() async throws {
    try await forgetting { try await restartingOnce(counting: $0) }
  }

  private static func restartingOnce(counting rules: LiveCount) async throws {
    let source = Stored(0)
    let node = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      return await source.value
    }
    async let early = node.value
    await Schedule.yield()
    await source.set(1)
    let late = try await node.value
    try Schedule.require(late == 1, "read \(late) after the write")
    let value = try await early
    try Schedule.require(value == 0 || value == 1, "read \(value)")
  }

  /// Nodes that await each other, over one source.
  static func nesting(writes: Int) async throws {
    try await forgetting { try await nesting(writes: writes, counting: $0) }
  }

  private static func nesting(writes: Int, counting rules: LiveCount) async throws {
    let source = Stored(1)
    let left = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      return await source.value % 2
    }
    let right = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      return await source.value * 10
    }
    let node = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      async let one = left.value
      async let other = right.value
      return try await one + other
    }
    let pair = Computed { _ in
      (source.wrappedValue, node.state)
    }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 2...writes + 1 {
          await source.set(value)
          let seen = try await node.value
          try Schedule.require(seen == value % 2 + value * 10, "\(seen) for \(value)")
        }
      }
      group.addTask {
        for await (value, state) in pair.values {
          guard case .success(let seen) = state else { continue }
          try Schedule.require(seen == value % 2 + value * 10, "\(seen) is settled for \(value)")
          if value == writes + 1 { break }
        }
      }
    }
  }

  /// Waiters, some of which are cancelled, against the end of a run.
  static func cancelling(waiters: [String]) async throws {
    try await forgetting { try await cancelling(waiters: waiters, counting: $0) }
  }

  private static func cancelling(waiters: [String], counting rules: LiveCount) async throws {
    let source = Stored(1)
    let node = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      await Schedule.yield()
      return await source.value
    }
    try await withThrowingDiscardingTaskGroup { group in
      for name in waiters {
        group.addTask {
          try await Schedule.named(name) {
            do {
              let value = try await node.value
              try Schedule.require(value == 1, "read \(value)")
            } catch is CancellationError {
              try Schedule.require(Task.isCancelled, "\(name) was not cancelled")
            }
          }
        }
      }
    }
    let value = try await node.value
    try Schedule.require(value == 1, "read \(value)")
  }

  /// A node that loses its owner while its rule runs and its states are followed.
  static func releasing() async throws {
    try await forgetting { try await releasing(counting: $0) }
  }

  private static func releasing(counting rules: LiveCount) async throws {
    let source = Stored(1)
    let owner = Owner(
      AsyncComputed { [rule = rules.token()] in
        defer { extendLifetime(rule) }
        await Schedule.yield()
        return await source.value
      })
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        guard let states = owner.node?.states else { return }
        var last: Int?
        for await state in states {
          guard let value = state.value else { continue }
          try Schedule.require(value >= last ?? 0, "\(value) after \(last ?? 0)")
          last = value
        }
      }
      group.addTask {
        guard let node = owner.node else { return }
        let value = try await node.value
        try Schedule.require(value == 1 || value == 2, "read \(value)")
      }
      group.addTask { await source.set(2) }
      group.addTask {
        if Schedule.seed.map({ $0.isMultiple(of: 2) }) ?? true {
          owner.drop()
        } else {
          await GraphActor.run { owner.drop() }
        }
      }
    }
  }

  /// A node that loses its owner against the end of its run.
  static func releasingOnce() async throws {
    try await forgetting { try await releasingOnce(counting: $0) }
  }

  private static func releasingOnce(counting rules: LiveCount) async throws {
    let owner = Owner(AsyncComputed { [rule = rules.token()] in withExtendedLifetime(rule) { 1 } })
    _ = await owner.node?.state
    owner.drop()
  }

  /// Transactions that need the result of a node, and a writer of what it reads.
  static func transacting(writes: Int) async throws {
    try await forgetting { try await transacting(writes: writes, counting: $0) }
  }

  private static func transacting(writes: Int, counting rules: LiveCount) async throws {
    let source = Stored(0)
    let node = AsyncComputed { [rule = rules.token()] in
      defer { extendLifetime(rule) }
      return await source.value
    }
    let copy = Stored(-1)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 1...writes { await source.set(value) }
      }
      group.addTask {
        try await withGraphTransaction(maximumAttempts: 100) {
          let value = try await node.value
          let current = source.wrappedValue
          try Schedule.require(value == current, "\(value) is settled for \(current)")
          copy.wrappedValue = value
        }
      }
    }
    let copied = await copy.value
    try Schedule.require((0...writes).contains(copied), "copied \(copied)")
  }
}
