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
  /// The node's place in the engine; none until the actor has met the node, and after its removal.
  @exclusivity(unchecked)
  @usableFromInline final var id: NodeID = .none
  /// The run that has made the node.
  ///
  /// Exact for a node that a rule makes, because it does so on the thread that runs it.
  final let madeInRun: RunNumber
  /// Where the transaction that has staged it last has its write.
  @exclusivity(unchecked)
  @usableFromInline final var stagedPlace: UInt32 = 0
  /// The next cell in the release list.
  final var nextInStack: UnsafeMutableRawPointer?
  /// Whether the node has been removed; it must not come back.
  final var isRemoved = false

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

  /// How the node is identified outside.
  final var identity: GraphNodeID { GraphNodeID(cell: self) }
}

/// A cell whose value others read.
@usableFromInline
package protocol ValueCell<Value>: NodeCell {
  associatedtype Value: Sendable

  /// When a new value counts as unchanged; never, if nil.
  var isEqual: Comparison<Value>? { get }

  /// The current value; a tracked read.
  @GraphActor func read() -> Value
}

extension ValueCell {
  /// What a stream needs of the node.
  @inlinable
  var source: StreamSource<Value> {
    StreamSource(cell: self, isEqual: isEqual) { [self] in read() }
  }
}

/// A cell whose value is derived by a rule.
@usableFromInline
// SAFETY: Adds a constant to what `NodeCell` has.
package class RuleCell: NodeCell, @unchecked Sendable {
  /// Runs the rule, compares, and keeps the result; says whether it differs from the cached value.
  ///
  /// A closure, because one that is made in an inlinable initialiser is specialised in the
  /// client's module. An overridden method of a generic class never is.
  ///
  /// To be called on the actor. That is not in its type, because a closure of an actor pays for a
  /// check each time that it is called through something that is not.
  @usableFromInline final let step: Step

  @usableFromInline
  package typealias Step = @Sendable (RuleCell, Evaluation) -> Bool

  /// Where the result of a rule goes.
  @usableFromInline
  package enum Evaluation: Sendable {
    /// Into the cell: the value for everybody.
    case committed
    /// Into the transaction: the value as if its writes had been committed.
    case staged
  }

  @usableFromInline
  init(origin: NodeOrigin, step: @escaping Step) {
    self.step = step
    super.init(origin: origin)
  }

  override var kind: Engine.Kind { .derived }

  /// Takes the value away from readers outside of the actor; the node has been marked.
  @GraphActor func unpublish() {}
}
