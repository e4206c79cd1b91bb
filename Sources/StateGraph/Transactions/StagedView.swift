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
  /// What has been found out since the latest staged write: the value of a node, or nil if it is
  /// the cached one.
  private var memos: [NodeID: AnyStagedValue?] = [:]

  /// What a watcher around the transaction has read since the latest staged write: it has seen what
  /// the commit makes of it.
  private(set) var seen: [NodeID] = []

  /// The state of the graph to which the memos belong.
  private var version: UInt64 = 0
  private var removalCount = 0
  private var latestRun: UInt32 = 0

  /// Forgets what was found out if the graph is not what it was then.
  ///
  /// A memo says that the cached value holds, or is stored under an id; a commit ends the first, and
  /// so does a run for the committed graph, which may replace a stale value; a removal the second.
  /// What the staged writes reach is known by the edges, which runs and removals change.
  mutating func catchUp(version: UInt64, removalCount: Int, latestRun: UInt32) {
    guard
      version != self.version || removalCount != self.removalCount || latestRun != self.latestRun
    else { return }
    self.version = version
    self.removalCount = removalCount
    self.latestRun = latestRun
    forgetMemos()
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

  /// Notes that a watcher around the transaction has read a node.
  mutating func noteSeen(_ id: NodeID) { seen.append(id) }

  /// Forgets what depends on the staged values, one of which has just been replaced.
  mutating func stagedValueChanged() {
    seen.removeAll(keepingCapacity: true)
    forgetMemos()
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
  func memo(of id: NodeID) -> AnyStagedValue?? { memos[id] }

  /// Keeps what has been found out about a node.
  mutating func memoise(_ value: AnyStagedValue?, of id: NodeID) {
    memos.updateValue(value, forKey: id)
  }
}
