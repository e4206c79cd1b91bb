/// The dependency structure: who reads whom, and what may be out of date.
///
/// Plain data without `await`, closures or knowledge of values. A write marks everything
/// downstream (`markDependents`), a read settles what it needs and nothing else (`nextToRun`):
/// push marks, pull settles, in the manner of alien-signals
/// (https://github.com/stackblitz/alien-signals). The engine decides *which* rule has to run
/// next; its owner runs it between `beginRun` and `endRun` and says whether the value changed.
///
/// No operation recurses over the graph; every walk keeps its place on an explicit stack.
/// `Docs/INVARIANTS.md` numbers the invariants that `checkInvariants` verifies.
@usableFromInline
package struct Engine: ~Copyable {
  /// The nodes.
  @usableFromInline var nodes: Slab<NodeRecord>
  /// The edges.
  @usableFromInline var edges: Slab<EdgeRecord>

  /// The node whose rule is on top of the call stack.
  @usableFromInline package internal(set) var running: NodeID
  /// The node for which reads are recorded: `running`, or none while tracking is off.
  @usableFromInline package internal(set) var reader: NodeID
  /// The edge that the run of `reader` used last.
  @usableFromInline var readerTail: EdgeID
  /// The number of the current run; 0 outside of every run.
  @usableFromInline var runStamp: UInt32
  /// The number of the run that interrupts no other, if one is under way.
  @usableFromInline package internal(set) var outermostStamp: UInt32
  /// The number of the latest run that has begun.
  @usableFromInline var latestStamp: UInt32

  /// How many runs are under way, each but the first begun by a read of the one before.
  package internal(set) var runDepth: Int
  /// The runs that later ones have interrupted, the outermost first.
  var interrupted: Stack<Frame>
  /// The edges along which the walks of `nextToRun` have descended.
  var descents: Stack<EdgeID>
  /// The lists of dependents that a marking walk has still to visit.
  var unvisited: Stack<EdgeID>
  /// Published nodes that have been marked and not been taken out.
  var unpublishing: Stack<NodeID>
  /// The watchers that have been marked and not been taken out.
  var notified: WatcherQueue
  /// The same for watchers that may write.
  var reactions: WatcherQueue

  package init() {
    nodes = Slab()
    edges = Slab()
    running = .none
    reader = .none
    readerTail = .none
    runStamp = 0
    outermostStamp = 0
    latestStamp = 0
    runDepth = 0
    interrupted = Stack()
    descents = Stack()
    unvisited = Stack()
    unpublishing = Stack()
    notified = WatcherQueue()
    reactions = WatcherQueue()
  }

  /// The number of nodes that have been added and not removed.
  package var nodeCount: Int { nodes.count }

  /// The number of edges between them.
  package var edgeCount: Int { edges.count }
}

// MARK: - Nodes

extension Engine {
  /// What a node is for.
  package enum Kind {
    /// Has a value of its own: born clean.
    case source
    /// Has a value that its rule derives: born dirty.
    case derived
    /// Reads others and is told when they change: born clean.
    case watcher
    /// A watcher that may write when it is told.
    case reaction
  }

  /// Adds a node.
  ///
  /// - Parameters:
  ///   - kind: What the node is for.
  ///   - payload: What the owner of the engine attaches to it.
  ///   - isYoung: Whether the run that is under way has made it.
  /// - Returns: The id of the node, which may have been another node's before.
  /// - Complexity: O(1) amortised.
  package mutating func addNode(
    _ kind: Kind, payload: UnsafeRawPointer? = nil, isYoung: Bool = false
  ) -> NodeID {
    var flags: NodeFlags =
      switch kind {
      case .source: []
      case .derived: [.derived, .dirty]
      case .watcher: .watcher
      case .reaction: [.watcher, .reaction]
      }
    flags.insert(.live)
    if isYoung { flags.insert(.young) }
    return NodeID(index: nodes.allocate(NodeRecord(flags: flags, payload: payload)))
  }

  /// Removes a node and its edges.
  ///
  /// What a removed node would have said can no longer be asked, so its dependents become dirty.
  /// The exception is a temporary, which a rule made for itself and gave up in the same run: its
  /// end is no news to that rule, which from then on reads what the temporary has read.
  ///
  /// - Complexity: O(edges of the node + nodes newly marked).
  /// - Precondition: No rule is running and no walk is under way (I7).
  package mutating func remove(_ id: NodeID) {
    precondition(running == .none && descents.count == 0, "a node was removed under a walk (I7)")
    let node = nodes[id.index]
    precondition(node.pointee.flags.contains(.live), "a node was removed twice (I1)")
    if isTemporary(id), !isMutated(.skipsBequest) {
      passes(.removesTemporary)
      bequeathDependencies(of: id)
    } else {
      passes(isClean(id) ? .removesUnmarked : .removesMarked)
      markDependents(of: id)
    }
    // Making edges may have moved the records of edges, never those of nodes.
    while node.pointee.firstDependent != .none {
      unlink(node.pointee.firstDependent)
    }
    while node.pointee.firstDependency != .none {
      unlink(node.pointee.firstDependency)
    }
    // A place in a queue stays behind: without the flag `queued` it stands for nobody.
    node.pointee.flags = []
    node.pointee.payload = nil
    nodes.release(id.index)
  }

  /// Notes that the last owner of a node has let go of it while a rule was running.
  ///
  /// To be called before that rule's `endRun`.
  package mutating func noteGivenUp(_ id: NodeID) {
    let node = nodes[id.index]
    if node.pointee.flags.contains(.young), node.pointee.readStamp >= outermostStamp {
      node.pointee.flags.insert(.temporary)
    }
  }

  /// Notes that a node was held by a temporary that is gone.
  package mutating func noteTemporary(_ id: NodeID) {
    let node = nodes[id.index]
    if node.pointee.flags.contains(.young) { node.pointee.flags.insert(.temporary) }
  }

  /// Whether a node was made and given up by one run, and nothing has happened to it since.
  package func isTemporary(_ id: NodeID) -> Bool {
    let node = nodes[id.index].pointee
    guard node.flags.contains(.temporary) else { return false }
    return node.flags.isDisjoint(with: .marked) || isMutated(.bequeathsMarked)
  }

  /// Makes the dependents of a node read what it reads, in its place.
  private mutating func bequeathDependencies(of id: NodeID) {
    for dependent in dependents(of: id) { bequeathDependencies(of: id, to: dependent) }
  }

  /// Makes a dependent of a node read what the node reads, in its place.
  ///
  /// - Precondition: The node is clean.
  package mutating func bequeathDependencies(of id: NodeID, to dependent: NodeID) {
    var known = Set(dependencies(of: dependent))
    var place = nodes[dependent.index].pointee.firstDependency
    while edges[place.index].pointee.dependency != id {
      place = edges[place.index].pointee.nextDependency
    }
    let own = place
    for dependency in dependencies(of: id) where known.insert(dependency).inserted {
      passes(.bequeathsDependency)
      place = link(dependent, to: dependency, after: place)
    }
    unlink(own)
  }

  /// What the owner attached to a node.
  @inlinable
  package func payload(of id: NodeID) -> UnsafeRawPointer? {
    nodes[id.index].pointee.payload
  }

  /// Whether a node needs neither a check nor a run before it is read.
  @inlinable
  package func isClean(_ id: NodeID) -> Bool {
    nodes[id.index].pointee.flags.isDisjoint(with: .marked)
  }

  /// Whether a node must run before it is read, whatever a check would say.
  package func isDirty(_ id: NodeID) -> Bool {
    nodes[id.index].pointee.flags.contains(.dirty)
  }

  /// Whether a node has a rule.
  package func isDerived(_ id: NodeID) -> Bool {
    nodes[id.index].pointee.flags.contains(.derived)
  }

  /// Whether a node is a watcher.
  package func isWatcher(_ id: NodeID) -> Bool {
    nodes[id.index].pointee.flags.contains(.watcher)
  }

  /// Whether a node's rule is on the call stack, or a walk is checking it.
  package func isBusy(_ id: NodeID) -> Bool {
    !nodes[id.index].pointee.flags.isDisjoint(with: .busy)
  }

  /// Whether a node can be read as it is.
  @inlinable
  package func isCurrent(_ id: NodeID) -> Bool {
    nodes[id.index].pointee.flags.isDisjoint(with: .notCurrent)
  }
}

// MARK: - Edges

extension Engine {
  /// Makes an edge, last in the dependency's list and after `previous` in the dependent's.
  mutating func link(_ dependent: NodeID, to dependency: NodeID, after previous: EdgeID) -> EdgeID {
    let id = EdgeID(
      index: edges.allocate(EdgeRecord(dependency: dependency, dependent: dependent)))
    let edge = edges[id.index]
    let read = nodes[dependency.index]
    read.pointee.flags.remove(.spread)
    edge.pointee.previousDependent = read.pointee.lastDependent
    if read.pointee.lastDependent == .none {
      read.pointee.firstDependent = id
    } else {
      edges[read.pointee.lastDependent.index].pointee.nextDependent = id
    }
    read.pointee.lastDependent = id

    let next: EdgeID
    if previous == .none {
      next = nodes[dependent.index].pointee.firstDependency
      nodes[dependent.index].pointee.firstDependency = id
    } else {
      next = edges[previous.index].pointee.nextDependency
      edges[previous.index].pointee.nextDependency = id
    }
    edge.pointee.previousDependency = previous
    edge.pointee.nextDependency = next
    if next != .none { edges[next.index].pointee.previousDependency = id }
    return id
  }

  /// Takes an edge out of both of its lists and frees it.
  mutating func unlink(_ id: EdgeID) {
    let edge = edges[id.index].pointee
    let read = nodes[edge.dependency.index]
    if edge.previousDependent == .none {
      read.pointee.firstDependent = edge.nextDependent
    } else {
      edges[edge.previousDependent.index].pointee.nextDependent = edge.nextDependent
    }
    if edge.nextDependent == .none {
      read.pointee.lastDependent = edge.previousDependent
    } else {
      edges[edge.nextDependent.index].pointee.previousDependent = edge.previousDependent
    }
    if edge.previousDependency == .none {
      nodes[edge.dependent.index].pointee.firstDependency = edge.nextDependency
    } else {
      edges[edge.previousDependency.index].pointee.nextDependency = edge.nextDependency
    }
    if edge.nextDependency != .none {
      edges[edge.nextDependency.index].pointee.previousDependency = edge.previousDependency
    }
    edges.release(id.index)
  }

  /// Whether a watcher reads a node.
  ///
  /// - Complexity: O(dependents).
  package func hasWatchers(_ id: NodeID) -> Bool {
    var edge = nodes[id.index].pointee.firstDependent
    while edge != .none {
      let record = edges[edge.index].pointee
      if isWatcher(record.dependent) { return true }
      edge = record.nextDependent
    }
    return false
  }

  /// What a node read in its latest run, in reading order.
  package func dependencies(of id: NodeID) -> [NodeID] {
    var result: [NodeID] = []
    var edge = nodes[id.index].pointee.firstDependency
    while edge != .none {
      result.append(edges[edge.index].pointee.dependency)
      edge = edges[edge.index].pointee.nextDependency
    }
    return result
  }

  /// Who reads a node, longest-standing first.
  package func dependents(of id: NodeID) -> [NodeID] {
    var result: [NodeID] = []
    var edge = nodes[id.index].pointee.firstDependent
    while edge != .none {
      result.append(edges[edge.index].pointee.dependent)
      edge = edges[edge.index].pointee.nextDependent
    }
    return result
  }
}
