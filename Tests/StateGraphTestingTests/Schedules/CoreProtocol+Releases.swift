import StateGraph
import StateGraphTesting
import Synchronization

extension CoreProtocol {
  /// The last owner of a node.
  private final class Owner: Sendable {
    private let content: Mutex<Stored<Int>?>

    init(_ node: Stored<Int>) {
      content = Mutex(node)
    }

    var node: Stored<Int>? { content.withLock { $0 } }

    /// Lets go of the node, on the thread and in the isolation of the caller.
    func drop() {
      let node = content.withLock { content in
        defer { content = nil }
        return content
      }
      _ = consume node
    }
  }

  /// A node that loses its owner while others read and write it.
  static func releasing(writes: Int) async throws {
    let owner = Owner(Stored(0))
    let derived = Computed { _ in owner.node?.wrappedValue ?? -1 }
    let other = Stored(0)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 1...writes { await owner.node?.set(value) }
      }
      group.addTask {
        for value in 1...writes { await other.set(value) }
      }
      group.addTask {
        var last = 0
        for _ in 0...writes {
          let value = await derived.value
          let isLater = last == -1 ? value == -1 : value == -1 || value >= last
          try Schedule.require(isLater, "\(value) after \(last)")
          last = value
        }
      }
      group.addTask {
        if Schedule.seed.map({ $0.isMultiple(of: 2) }) ?? true {
          owner.drop()
        } else {
          await GraphActor.run { owner.drop() }
        }
      }
    }
    let rest = await derived.value
    try Schedule.require(rest == -1, "a node without an owner is read: \(rest)")
  }

  /// A node that loses its owner while streams follow it.
  static func releasingUnderStreams(writes: Int) async throws {
    let owner = Owner(Stored(0))
    let derived = Computed { _ in owner.node?.wrappedValue ?? -1 }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await followToTheEnd(owner, writes: writes) }
      group.addTask {
        guard let changes = owner.node?.changes(buffering: .unbounded) else { return }
        var last = -1
        for await change in changes {
          try Schedule.require(change.value == last + 1 || last == -1, "\(change) after \(last)")
          last = change.value
        }
        try Schedule.require(last == writes || last == -1, "the last element was \(last)")
      }
      group.addTask {
        // Does not end with the node: it is told that the node is gone.
        for await value in derived.values where value == -1 { break }
      }
      group.addTask {
        for value in 1...writes { await owner.node?.set(value) }
        owner.drop()
      }
    }
  }

  /// A node that loses its owner after a commit, while a stream follows it.
  static func releasingUnderOneStream() async throws {
    let owner = Owner(Stored(0))
    async let consumer: Void = followToTheEnd(owner, writes: 1)
    await Schedule.yield()
    await owner.node?.set(1)
    owner.drop()
    try await consumer
  }

  /// Reads the values of a node until it is gone; the last one must be among them.
  private static func followToTheEnd(_ owner: Owner, writes: Int) async throws {
    guard let values = owner.node?.values else { return }
    var last = -1
    for await value in values {
      try Schedule.require(value > last, "\(value) after \(last)")
      last = value
    }
    try Schedule.require(last == writes || last == -1, "the last element was \(last)")
  }
}
