import Synchronization

/// What a node is made of: the part that the graph holds on to.
///
/// The public object (`Stored`, `Computed`, an iterator of a stream) owns its cell. When it goes,
/// the cell goes to the release list, and only the actor frees it.
@usableFromInline
// SAFETY: Isolated to GraphActor, but for constants and `nextInStack`, whose owner holds the cell.
package class NodeCell: AtomicStackMember, @unchecked Sendable {
  /// The graph that the node belongs to.
  @usableFromInline final let graph: Graph
  /// What messages call the node.
  final let origin: NodeOrigin
  /// The node's id in the engine; none until the actor has met the node, and after its removal.
  @exclusivity(unchecked)
  @usableFromInline final var id: NodeID = .none
  /// The run that has made the node.
  ///
  /// Exact for a node that a rule makes, because it does so on the thread that runs it.
  final let madeInRun: RunNumber
  /// Where the transaction that has staged it last has its write.
  @exclusivity(unchecked)
  @usableFromInline final var stagedIndex: UInt32 = 0
  /// The next cell in the release list.
  final var nextInStack: UnsafeMutableRawPointer?
  /// Whether the node has been removed; it must not come back.
  final var isRemoved = false
  /// Whether the node has a value for the case that it is a member of a cycle.
  final var hasFallback = false

  @usableFromInline
  init(origin: NodeOrigin) {
    let graph = Graph.shared
    self.graph = graph
    self.madeInRun = graph.makingRun
    self.origin = origin
  }

  /// What the engine has to know of the node.
  var kind: Engine.Kind { .source }

  /// The node is about to be taken out of the engine.
  ///
  /// May be called in the middle of a step, so it must not call code of the user.
  @GraphActor func willBeRemoved() {}

  /// The node has been removed from the graph.
  @GraphActor func wasRemoved() {}

  /// Calls what the user has asked for at the end, after `wasRemoved`.
  @GraphActor func cleanUpAfterRemoval() {}

  /// Somebody has gone who may have been the last to want the results of the node.
  @GraphActor func stopIfAbandoned() {}

  /// Whether the cell is one of several that are one node for the user.
  var isPart: Bool { false }

  /// Whether a run that is over has made another node and reads it: it reads what that has read, when
  /// the other node goes.
  ///
  /// - Parameter run: The run that has made the other node.
  /// - Returns: Whether the node's latest run is that one.
  @GraphActor func inherits(fromMadeIn run: RunNumber) -> Bool { false }

  /// A watcher that has wanted to know what the node is about to be removed.
  @GraphActor func followerWillGo() {}

  /// How the node is identified outside.
  final var identity: GraphNodeID { GraphNodeID(cell: self) }
}
