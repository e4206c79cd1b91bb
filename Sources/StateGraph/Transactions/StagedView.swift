/// What computed nodes look like from inside a transaction.
///
/// The committed cache and the edges stay untouched. They say which nodes a staged write can
/// reach; the rest is served from the cache. A node that is reached is checked in the manner of
/// the engine, in reading order and without recursion: its cached value was computed from the
/// cached values of its dependencies, so it holds as long as none of them looks different.
struct StagedView {
  /// The nodes downstream of staged writes.
  private var reached: Set<NodeID> = []
  /// How many of the writes have been taken in, in their order.
  private var reachedWrites = 0
  /// What has been found out since the latest staged write.
  private var memos: [NodeID: Memo] = [:]
  /// Whether a memo says that a cached value holds.
  private var hasVerified = false

  /// What has been found out about a node.
  private struct Memo {
    /// The node, which it keeps, so that no other has its id.
    let cell: NodeCell
    /// The value that it has in the transaction; nil if its rule had not to run, and the cached value
    /// holds.
    let value: AnyStagedValue?
    /// Whether the value may differ from the cached one.
    var differs: Bool
  }

  /// What a watcher around the transaction has read since the latest staged write: it has seen what
  /// the commit makes of it.
  private(set) var seen: [NodeID] = []

  /// The state of the graph to which the memos belong.
  private var version: UInt64 = 0
  private var removalCount = 0
  private var latestRun: UInt32 = 0

  /// Forgets which cached values hold if the graph is not what it was then.
  ///
  /// A commit may end that, and so may a run for the committed graph, which replaces a stale value, or
  /// a removal. What a rule has returned in the transaction stays: the attempt reads as of one version.
  /// What the staged writes reach is known by the edges, which runs and removals change.
  mutating func catchUp(version: UInt64, removalCount: Int, latestRun: UInt32) {
    guard
      version != self.version || removalCount != self.removalCount || latestRun != self.latestRun
    else { return }
    self.version = version
    self.removalCount = removalCount
    self.latestRun = latestRun
    forgetVerified()
    forgetReach()
  }

  /// Takes in what new staged writes can reach.
  ///
  /// When somebody wants to know, and not for each write: most transactions read nothing derived.
  ///
  /// - Complexity: O(new writes, and nodes downstream that no other write reaches).
  @GraphActor
  mutating func reach(from writes: [AnyStagedWrite]) {
    while reachedWrites < writes.count {
      let cell = writes[reachedWrites].cell
      reachedWrites += 1
      guard cell.id != .none else { continue }
      cell.graph.core.pointee.engine.collectDownstream(of: cell.id, into: &reached)
    }
  }

  /// Makes the next `reach` look again.
  private mutating func forgetReach() {
    guard reachedWrites > 0, !isMutated(.keepsReach) else { return }
    passes(.forgetsReach)
    reachedWrites = 0
    reached.removeAll(keepingCapacity: true)
  }

  /// Notes that staged writes are gone.
  mutating func writesRemoved() {
    reachedWrites = 0
    reached.removeAll(keepingCapacity: true)
    stagedValueChanged()
  }

  /// Notes that a watcher around the transaction has read a node.
  mutating func noteSeen(_ id: NodeID) { seen.append(id) }

  /// Forgets what depends on the staged values, one of which has just been replaced.
  mutating func stagedValueChanged() {
    seen.removeAll(keepingCapacity: true)
    forgetMemos()
  }

  /// Forgets which cached values hold.
  private mutating func forgetVerified() {
    guard hasVerified, !isMutated(.keepsMemos) else { return }
    passes(.forgetsVerified)
    hasVerified = false
    memos = memos.compactMapValues { memo in
      guard memo.value != nil else { return nil }
      var memo = memo
      memo.differs = true
      return memo
    }
  }

  /// Forgets what has been found out about computed nodes.
  private mutating func forgetMemos() {
    guard !memos.isEmpty, !isMutated(.keepsMemos) else { return }
    passes(.forgetsMemos)
    memos.removeAll(keepingCapacity: true)
  }

  /// Whether a staged write is upstream of a node.
  func reaches(_ id: NodeID) -> Bool { reached.contains(id) }

  /// What has been found out about a node; nil if nothing has.
  @GraphActor
  func memo(of id: NodeID) -> AnyStagedValue?? { memo(id).map(\.value) }

  /// Whether a node about which something has been found out may differ from its cached value.
  @GraphActor
  func differs(_ id: NodeID) -> Bool { memo(id)?.differs ?? false }

  @GraphActor
  private func memo(_ id: NodeID) -> Memo? {
    // A node that has been removed has lost its id, which may belong to another one by now.
    guard let memo = memos[id], memo.cell.id == id else { return nil }
    return memo
  }

  /// Notes that the cached value of a node holds.
  @GraphActor
  mutating func verify(_ cell: NodeCell) {
    hasVerified = true
    memos[cell.id] = Memo(cell: cell, value: nil, differs: false)
  }

  /// Keeps what the rule of a node has returned.
  @GraphActor
  mutating func memoise(_ value: AnyStagedValue, differs: Bool, of cell: NodeCell) {
    // Whether it differs from the cached value has to be found out again after a commit.
    if !differs { hasVerified = true }
    memos[cell.id] = Memo(cell: cell, value: value, differs: differs)
  }
}
