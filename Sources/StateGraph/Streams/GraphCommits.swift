/// A commit: which nodes got new values, and the number of the version that has them.
public struct GraphCommit: Sendable, Hashable {
  /// The version; grows by one with every commit.
  public let version: UInt64
  /// The stored nodes that changed, in the order in which they were first written, each once.
  ///
  /// Computed nodes are not among them: whether they have changed is known when they are read. An async
  /// node is, by itself, when a run of its rule has settled, with an equal result too, and when it is
  /// refreshed. An id keeps neither its node nor a value.
  public let changedNodes: [GraphNodeID]
}

/// The commits of the graph.
///
/// A subscription begins when its iterator is made, and gets every commit from then on. It ends
/// when the task is cancelled.
public struct GraphCommits: AsyncSequence, Sendable {
  let buffering: GraphBuffering

  /// Makes an iterator with a subscription of its own, which begins at once.
  public func makeAsyncIterator() -> Iterator {
    let watcher = CommitWatcher(buffering: buffering)
    watcher.graph.admit(watcher)
    return Iterator(Subscription(watcher))
  }

  /// One consumer of the commits.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    private var subscription: Subscription<CommitWatcher>?

    fileprivate init(_ subscription: Subscription<CommitWatcher>) {
      self.subscription = subscription
    }

    /// Waits for the next commit.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The commit; nil when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> GraphCommit? {
      let commit = await subscription?.next(isolation: actor)
      if commit == nil { subscription = nil }
      return commit
    }
  }
}

@available(*, unavailable)
extension GraphCommits.Iterator: Sendable {}

extension GraphActor {
  /// The commits of the graph, from the moment on when an iterator is made.
  ///
  /// A commit that waits for the consumer takes memory for its changed nodes, some 40 bytes each. A
  /// consumer that is slower than the writers for long needs a bounded buffer: `.newest(1_000)`.
  ///
  /// - Parameter buffering: What happens to commits that the consumer has not taken yet. Versions
  ///   grow by one, so a gap tells how many were dropped.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  public static func commits(buffering: GraphBuffering = .unbounded) -> GraphCommits {
    GraphCommits(buffering: buffering)
  }
}

/// The subscription of one iterator to the commits.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class CommitWatcher: CommitFollower, StreamCell, @unchecked Sendable {
  let slot = WaitSlot<GraphCommit>()
  private let buffer: SharedBuffer<GraphCommit>

  init(buffering: GraphBuffering) {
    buffer = SharedBuffer(buffering)
    super.init(origin: NodeOrigin(name: "a stream of commits", fileID: #fileID, line: #line))
  }

  func poll() -> Poll<GraphCommit> {
    graph.arrive()
    slot.clearSignal()
    return buffer.popFirst().map { .element($0.element) } ?? .wait
  }

  func takeWithoutActor() -> GraphCommit? {
    guard let entry = buffer.popFirst() else { return nil }
    passes(.takesBuffered)
    return entry.element
  }

  /// Hands a commit to the consumer, or keeps it.
  override func committed(_ version: UInt64, _ changedNodes: [GraphNodeID]) {
    buffer.append(GraphCommit(version: version, changedNodes: changedNodes))
    guard slot.isWaiting, let entry = buffer.popFirst() else {
      passes(.buffersCommit)
      return slot.signal()
    }
    passes(.announcesCommit)
    // If this fails the consumer has been cancelled, and will take nothing any more.
    _ = slot.resume(with: entry.element)
  }

  override func wasRemoved() {
    graph.dismiss(self)
  }
}
