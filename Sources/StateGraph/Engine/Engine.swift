/// The dependency structure: who reads whom, and what may be out of date.
///
/// Plain data without `await`, closures or knowledge of values. A write marks everything
/// downstream (`markDependents`), a read brings up to date what it needs and nothing else (`advance`):
/// marks are pushed and values are pulled, in the manner of alien-signals
/// (https://github.com/stackblitz/alien-signals). The engine decides *which* rule has to run
/// next; its owner runs it between `beginRun` and `endRun` and says whether the value changed.
///
/// No operation recurses over the graph; every walk keeps its position on an explicit stack.
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
  /// Whether reads are on purpose nobody's dependencies, whether or not a rule is running.
  package internal(set) var isTrackingSuspended: Bool
  /// The watcher whose closure is the innermost that is running; none in a handler, or outside.
  ///
  /// What it writes now are its own writes.
  package internal(set) var writer: NodeID
  /// The edge that the run of `reader` used last.
  @usableFromInline var readerTail: EdgeID
  /// The number of the current run; 0 outside of every run.
  @usableFromInline var runStamp: UInt32
  /// The number that was given out last, to a run or to `heir`.
  @usableFromInline var latestStamp: UInt32
  /// How often the numbers have begun anew.
  var era: UInt32
  /// The node that has inherited dependencies last; none if it has read anything since.
  var heir: NodeID
  /// What is stamped with this number, `heir` reads.
  var heirStamp: UInt32

  /// The nodes that have been noted to be downstream of async rules that run.
  var belowRuns: [NodeID] = []
  /// How many nodes have their fallbacks, as members of cycles.
  var cyclicCount = 0
  /// How many nodes have fallbacks for cycles.
  var fallbackCount = 0

  /// How many runs are under way, each but the first begun by a read of the one before.
  @usableFromInline package internal(set) var runDepth: Int
  /// The runs that later ones have interrupted, the outermost first.
  var interrupted: Stack<Frame>
  /// The edges along which the walks of `nextToRun` have descended.
  var descents: Stack<EdgeID>
  /// The lists of dependents that a marking walk has still to visit.
  var unvisited: Stack<EdgeID>
  /// Published nodes that have been marked and not been taken out.
  var unpublishing: Stack<NodeID>
  /// The run that has made the node whose dependents are being marked.
  var runOfSource: RunNumber
  /// Whether a mark has passed a running watcher by.
  var hasSpared: Bool
  /// How many running watchers have to bring up to date what they have read of nodes that they made.
  package internal(set) var ownChangesCount: Int
  /// Running watchers that have been marked, and whose causes have not been noted.
  var newlyMarked: Stack<NodeID>
  /// The watchers that have been marked and not been taken out.
  var notified: WatcherQueue
  /// The same for watchers that may write.
  var reactions: WatcherQueue

  package init() {
    nodes = Slab(none: .none, limit: NodeID.limit)
    edges = Slab(none: .none)
    running = .none
    reader = .none
    isTrackingSuspended = false
    writer = .none
    readerTail = .none
    runStamp = 0
    latestStamp = 0
    era = 0
    heir = .none
    heirStamp = 0
    runDepth = 0
    interrupted = Stack()
    descents = Stack()
    unvisited = Stack()
    unpublishing = Stack()
    runOfSource = .none
    hasSpared = false
    ownChangesCount = 0
    newlyMarked = Stack()
    notified = WatcherQueue()
    reactions = WatcherQueue()
  }

  /// The run that is under way, if there is one: tells the nodes that it makes from others.
  package var currentRun: RunNumber { RunNumber(number: runStamp, era: era) }

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
  /// - Returns: The id of the node, which may have been another node's before.
  /// - Complexity: O(1) amortised.
  package mutating func addNode(_ kind: Kind, payload: UnsafeRawPointer? = nil) -> NodeID {
    var flags: NodeFlags =
      switch kind {
      case .source: []
      case .derived: [.derived, .dirty]
      case .watcher: .watcher
      case .reaction: [.watcher, .reaction]
      }
    flags.insert(.live)
    let generation = nodes.reused.map { nodes[$0].pointee.flags.generation } ?? 0
    flags.insert(NodeFlags(rawValue: generation))
    let index = nodes.allocate(NodeRecord(flags: flags, payload: payload))
    return NodeID(index: index, generation: generation)
  }

  /// Removes a node and its edges.
  ///
  /// What a removed node would have said can no longer be asked, so its dependents become dirty.
  /// The exception is a temporary: a dependent that has made the node, in the run that has read it
  /// last, would only make another one. The end of the node is no news to that dependent, which reads
  /// what the node has read from then on.
  ///
  /// - Parameters:
  ///   - id: The node.
  ///   - run: The run that made it, as `currentRun` said then.
  /// - Complexity: O(edges of the node + nodes newly marked), plus O(dependencies of each dependent
  ///   whose temporary it is).
  /// - Precondition: No rule is running and no walk is under way (I7).
  package mutating func remove(_ id: NodeID, madeIn run: RunNumber = .none) {
    precondition(running == .none && descents.count == 0, "a node was removed under a walk (I7)")
    let node = live(id)
    // The temporaries of a run are clean when it ends; a mark is a change that is yet to be told.
    if run != .none, run.era == era, isClean(id) || isMutated(.bequeathsMarked),
      !isMutated(.skipsBequest)
    {
      endTemporary(id, madeIn: run.number)
    }
    if node.pointee.firstDependent != .none {
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
    setCyclic(id, false)
    if node.pointee.flags.contains(.fallback) { fallbackCount -= 1 }
    // An entry of a queue stays behind: without the flag `queued` it stands for nobody.
    node.pointee.flags = node.pointee.flags.ofNextNode
    node.pointee.payload = nil
    nodes.release(id.index)
  }

  /// The record of a node that is in the engine.
  ///
  /// Every operation that is given an id begins here. What follows edges needs no check: the edges of
  /// a node go with it.
  @inlinable
  @inline(__always)
  func live(_ id: NodeID) -> UnsafeMutablePointer<NodeRecord> {
    let node = nodes[id.index]
    guard node.pointee.flags.belong(to: id) else { Self.failNotLive(id) }
    return node
  }

  // Static: a call with `self` makes the compiler copy the whole engine before each check.
  @usableFromInline
  static func failNotLive(_ id: NodeID) -> Never {
    fatalError("StateGraph: node \(id.index) is used, and is not in the graph (I1)")
  }

  /// Makes the dependents whose temporary a node is read what it reads.
  private mutating func endTemporary(_ id: NodeID, madeIn run: UInt32) {
    var next = nodes[id.index].pointee.firstDependent
    while next != .none {
      let edge = edges[next.index].pointee
      // What a run has read cannot have been made after it, so it was made in it.
      if edge.run != 0, edge.run <= run {
        passes(.removesTemporary)
        bequeath(along: next)
      }
      next = edge.nextDependent
    }
  }

  /// Makes a dependent of a node read what the node reads, in its place.
  ///
  /// - Complexity: O(dependents of the node + what it reads + what the dependent reads).
  /// - Precondition: The node is clean, and no rule is running.
  package mutating func bequeathDependencies(of id: NodeID, to dependent: NodeID) {
    var next = live(id).pointee.firstDependent
    while next != .none {
      let edge = edges[next.index].pointee
      if edge.dependent == dependent { return bequeath(along: next) }
      next = edge.nextDependent
    }
  }

  /// Replaces an edge by edges to what its dependency reads.
  ///
  /// - Complexity: O(what the dependency reads); for the first of several calls in a row for the same
  ///   dependent, O(what the dependent reads) more.
  private mutating func bequeath(along edge: EdgeID) {
    let record = edges[edge.index].pointee
    let (id, dependent) = (record.dependency, record.dependent)
    stampDependencies(of: dependent)
    var previous = edge
    var next = nodes[id.index].pointee.firstDependency
    while next != .none {
      let inherited = edges[next.index].pointee
      let node = nodes[inherited.dependency.index]
      if node.pointee.readStamp != heirStamp {
        passes(.bequeathsDependency)
        node.pointee.readStamp = heirStamp
        // The run of the dependent has read it, through the node.
        previous = link(dependent, to: inherited.dependency, after: previous, inRun: record.run)
      }
      next = inherited.nextDependency
    }
    unlink(edge)
  }

  /// Stamps what a node reads, unless that has been done and nothing has happened since.
  private mutating func stampDependencies(of id: NodeID) {
    guard heir != id || heirStamp != latestStamp else { return }
    heir = id
    heirStamp = nextStamp()
    var next = nodes[id.index].pointee.firstDependency
    while next != .none {
      let edge = edges[next.index].pointee
      nodes[edge.dependency.index].pointee.readStamp = heirStamp
      next = edge.nextDependency
    }
  }

  /// What the owner attached to a node.
  @inlinable
  package func payload(of id: NodeID) -> UnsafeRawPointer? {
    live(id).pointee.payload
  }

  /// Whether a node needs neither a check nor a run before it is read.
  @inlinable
  package func isClean(_ id: NodeID) -> Bool {
    live(id).pointee.flags.isDisjoint(with: .marked)
  }

  /// Whether a node must run before it is read, whatever a check would say.
  package func isDirty(_ id: NodeID) -> Bool {
    live(id).pointee.flags.contains(.dirty)
  }

  /// Whether a node has a rule.
  package func isDerived(_ id: NodeID) -> Bool {
    live(id).pointee.flags.contains(.derived)
  }

  /// Whether a node is a watcher.
  package func isWatcher(_ id: NodeID) -> Bool {
    live(id).pointee.flags.contains(.watcher)
  }

  /// Whether a node's rule is on the call stack, or a walk is checking it.
  package func isBusy(_ id: NodeID) -> Bool {
    !live(id).pointee.flags.isDisjoint(with: .busy)
  }

  /// Whether a node can be read as it is.
  @inlinable
  package func isCurrent(_ id: NodeID) -> Bool {
    live(id).pointee.flags.isDisjoint(with: .notCurrent)
  }
}

// MARK: - Edges

extension Engine {
  /// Makes an edge, last in the dependency's list and after `previous` in the dependent's.
  ///
  /// - Parameters:
  ///   - dependent: The node that reads.
  ///   - dependency: The node that is read.
  ///   - previous: The edge behind which it is put in the dependent's list; none for the start.
  ///   - run: The number of the run that reads; 0 if none does.
  /// - Returns: The edge.
  mutating func link(
    _ dependent: NodeID, to dependency: NodeID, after previous: EdgeID, inRun run: UInt32 = 0
  ) -> EdgeID {
    let id = EdgeID(
      index: edges.allocate(
        EdgeRecord(dependency: dependency, dependent: dependent, run: run)))
    let edge = edges[id.index]
    let (read, reader) = (live(dependency), live(dependent))
    read.pointee.flags.remove(.spread)
    if read.pointee.flags.contains(.belowRun) { noteAsyncRun(above: dependent) }
    edge.pointee.previousDependent = read.pointee.lastDependent
    if read.pointee.lastDependent == .none {
      read.pointee.firstDependent = id
    } else {
      edges[read.pointee.lastDependent.index].pointee.nextDependent = id
    }
    read.pointee.lastDependent = id

    let next: EdgeID
    if previous == .none {
      next = reader.pointee.firstDependency
      reader.pointee.firstDependency = id
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
    var edge = live(id).pointee.firstDependent
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
    var edge = live(id).pointee.firstDependency
    while edge != .none {
      result.append(edges[edge.index].pointee.dependency)
      edge = edges[edge.index].pointee.nextDependency
    }
    return result
  }

  /// Who reads a node, longest-standing first.
  package func dependents(of id: NodeID) -> [NodeID] {
    var result: [NodeID] = []
    var edge = live(id).pointee.firstDependent
    while edge != .none {
      result.append(edges[edge.index].pointee.dependent)
      edge = edges[edge.index].pointee.nextDependent
    }
    return result
  }
}
