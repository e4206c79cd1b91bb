/// What the engine knows of a node: half a cache line.
@usableFromInline
package struct NodeRecord: BitwiseCopyable {
  /// The node's kind and marks, and in the upper bits the generation of the index.
  @usableFromInline var flags: NodeFlags
  /// The number of the latest run that read this node, so that a run records a node only once; of a
  /// watcher, which no node reads, the number of its own latest run.
  @usableFromInline var readStamp: UInt32
  /// The head of the list of edges to what this node reads, in reading order.
  @usableFromInline var firstDependency: EdgeID
  /// The head of the list of edges from the nodes that read this one, oldest first.
  @usableFromInline var firstDependent: EdgeID
  /// The tail of the list that starts with `firstDependent`.
  @usableFromInline var lastDependent: EdgeID
  /// The node whose rule was running when this node began to run or to be checked.
  ///
  /// Meaningful only meanwhile; the path of a cycle is read from it.
  @usableFromInline var caller: NodeID
  /// What the owner of the engine has attached to the node.
  @usableFromInline var payload: UnsafeRawPointer?

  /// The record of no node.
  static var none: NodeRecord { NodeRecord(flags: [], payload: nil) }

  init(flags: NodeFlags, payload: UnsafeRawPointer?) {
    self.flags = flags
    self.readStamp = 0
    self.firstDependency = .none
    self.firstDependent = .none
    self.lastDependent = .none
    self.caller = .none
    self.payload = payload
  }
}

/// The kind and the marks of a node.
@usableFromInline
package struct NodeFlags: OptionSet, Sendable, BitwiseCopyable {
  @usableFromInline package var rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Must be recomputed before it is read.
  @inlinable package static var dirty: NodeFlags { NodeFlags(rawValue: 1 << 0) }
  /// Something upstream may have changed.
  @inlinable package static var pending: NodeFlags { NodeFlags(rawValue: 1 << 1) }
  /// The node's rule is on the call stack.
  @inlinable package static var running: NodeFlags { NodeFlags(rawValue: 1 << 2) }
  /// The node's dependencies are being checked by a walk.
  @inlinable package static var checking: NodeFlags { NodeFlags(rawValue: 1 << 3) }
  /// The node has no value that others read: a mark puts it into the queue of the notified.
  @inlinable package static var watcher: NodeFlags { NodeFlags(rawValue: 1 << 4) }
  /// The node waits in the queue of the notified.
  @inlinable package static var queued: NodeFlags { NodeFlags(rawValue: 1 << 5) }
  /// The node is a running watcher that has read something, and then changed it by nodes that it has
  /// made itself.
  @inlinable package static var hasOwnChanges: NodeFlags { NodeFlags(rawValue: 1 << 6) }
  /// The node is a watcher that may write: it waits in the queue of reactions.
  @inlinable package static var reaction: NodeFlags { NodeFlags(rawValue: 1 << 9) }
  /// The node's value comes from a rule.
  @inlinable package static var derived: NodeFlags { NodeFlags(rawValue: 1 << 10) }
  /// Readers outside of the actor can see the node's value: a mark has to end that.
  @inlinable package static var published: NodeFlags { NodeFlags(rawValue: 1 << 11) }
  /// All direct dependents are dirty, so a write has nobody to mark.
  @inlinable package static var spread: NodeFlags { NodeFlags(rawValue: 1 << 12) }
  /// The node has its fallback for a value, because it is a member of a cycle: to be marked means that
  /// its rule has to run.
  @inlinable package static var cyclic: NodeFlags { NodeFlags(rawValue: 1 << 7) }
  /// The node has a fallback for cycles: while there are some, it runs instead of being verified.
  @inlinable package static var fallback: NodeFlags { NodeFlags(rawValue: 1 << 13) }
  /// The node is downstream of an async rule that is running, or has been while others were.
  @inlinable package static var belowRun: NodeFlags { NodeFlags(rawValue: 1 << 14) }
  /// The record is in use.
  @inlinable package static var live: NodeFlags { NodeFlags(rawValue: 1 << 8) }

  /// Either mark: the node is not certainly current.
  @inlinable package static var marked: NodeFlags { NodeFlags(rawValue: 0b11) }
  /// What a run may have done to a watcher that has to look again.
  @inlinable package static var markedInRun: NodeFlags { [.dirty, .pending, .hasOwnChanges] }
  /// To be marked is more than a mark.
  @inlinable package static var noticed: NodeFlags { [.watcher, .published, .cyclic] }
  /// Somebody is at work on the node: to need it now is a cycle.
  @inlinable package static var busy: NodeFlags { NodeFlags(rawValue: 0b1100) }
  /// Whatever keeps a node from being read as it is.
  @inlinable package static var notCurrent: NodeFlags { NodeFlags(rawValue: 0b1111) }
}

extension NodeFlags {
  /// The generation of the index, as in `NodeID`.
  var generation: UInt32 { rawValue & NodeID.generationMask }

  /// What remains of a node that is removed: the generation of the next node at its index.
  var ofNextNode: NodeFlags {
    NodeFlags(rawValue: generation &+ (NodeID.generationMask & ~(NodeID.generationMask << 1)))
  }

  /// Whether the node that has these flags is alive and has this id.
  @inlinable
  func belong(to id: NodeID) -> Bool {
    let mask = NodeID.generationMask | NodeFlags.live.rawValue
    return rawValue & mask == id.rawValue & NodeID.generationMask | NodeFlags.live.rawValue
  }
}

/// One node reads another: a member of two lists.
@usableFromInline
package struct EdgeRecord: BitwiseCopyable {
  /// The node that is read.
  @usableFromInline var dependency: NodeID
  /// The node that reads.
  @usableFromInline var dependent: NodeID
  /// The neighbours in the dependency's list of dependents.
  @usableFromInline var previousDependent: EdgeID
  @usableFromInline var nextDependent: EdgeID
  /// The neighbours in the dependent's list of dependencies, which is in reading order.
  @usableFromInline var previousDependency: EdgeID
  @usableFromInline var nextDependency: EdgeID
  /// What the dependency's `readStamp` was before this edge's run read it.
  @usableFromInline var savedStamp: UInt32
  /// The number of the run of the dependent that has read the dependency last; 0 if the edge was made
  /// without a run, or is older than the numbers.
  ///
  /// If the dependency was made in that run, or in one that was nested in it, it is a temporary of
  /// the dependent.
  @usableFromInline var run: UInt32

  /// The record of no edge.
  static var none: EdgeRecord { EdgeRecord(dependency: .none, dependent: .none, run: 0) }

  init(dependency: NodeID, dependent: NodeID, run: UInt32) {
    self.dependency = dependency
    self.dependent = dependent
    self.run = run
    self.previousDependent = .none
    self.nextDependent = .none
    self.previousDependency = .none
    self.nextDependency = .none
    self.savedStamp = 0
  }
}
