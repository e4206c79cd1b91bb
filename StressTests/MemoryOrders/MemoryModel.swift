import Testing

/// A few threads that use a lock-free part of the library.
struct MemoryModel: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// All executions, with the orders of the library or others.
  let executions: @Sendable (AtomicOrders) -> Executions

  private init(_ name: String, _ executions: @escaping @Sendable (AtomicOrders) -> Executions) {
    testDescription = name
    self.executions = executions
  }

  /// Models with few executions, the fewest first.
  static let small = [
    MemoryModel("a task waits for a signal") { SignalProtocol(orders: $0).executions },
    MemoryModel("a task outlives its transaction") { OutlivingProtocol(orders: $0).executions },
    MemoryModel("a closure is let go of while it is used") {
      ReleasableProtocol(orders: $0, userCount: 2).executions
    },
    MemoryModel("a scope is cancelled while members are added") {
      ScopeProtocol(orders: $0, memberCount: 2, oldSlotCount: 0).executions
    },
    MemoryModel("a scope is cancelled while members take slots that have been given back") {
      ScopeProtocol(orders: $0, memberCount: 2, oldSlotCount: 2).executions
    },
    MemoryModel("two threads take slots and give them back") {
      FreeSlotProtocol(orders: $0, rounds: [2, 1]).executions
    },
    MemoryModel("a thread releases cells") {
      ReleaseProtocol(orders: $0, releases: [2]).executions
    },
    MemoryModel("two threads release cells") {
      ReleaseProtocol(orders: $0, releases: [1, 1]).executions
    },
    MemoryModel("a consumer is cancelled") {
      StreamProtocol(orders: $0, elementCount: 1, isCancelled: true).executions
    },
    MemoryModel("a consumer follows the latest value") {
      ConflationProtocol(orders: $0, commitCount: 2).executions
    },
    MemoryModel("a reader beside a stored and a computed node") {
      let commit = PublicationProtocol.Act.commit(stored: [0], marked: [1])
      return PublicationProtocol(
        orders: $0, acts: [commit, .publish(1), commit], nodeCount: 2, readers: [1]
      ).executions
    },
    MemoryModel("a reader beside updates in place") {
      PublicationProtocol(
        orders: $0, acts: [.update(0), .update(0)], nodeCount: 1, readers: [1]
      ).executions
    },
    MemoryModel("a consumer takes all elements") {
      StreamProtocol(orders: $0, elementCount: 2).executions
    },
  ]

  /// Models with many executions.
  static let large = [
    MemoryModel("a reader reads twice") {
      let commit = PublicationProtocol.Act.commit(stored: [0], marked: [])
      return PublicationProtocol(
        orders: $0, acts: [commit, commit], nodeCount: 1, readers: [2]
      ).executions
    },
    MemoryModel("a reader beside commits of two nodes") {
      PublicationProtocol(
        orders: $0,
        acts: [[0, 1], [1], [0]].map { .commit(stored: $0, marked: []) }, nodeCount: 2,
        readers: [1]
      ).executions
    },
    MemoryModel("two readers that share a counter") {
      PublicationProtocol(
        orders: $0, acts: [.commit(stored: [0], marked: [])], nodeCount: 1, readers: [1, 1]
      ).executions
    },
  ]
}
