// Runs: while a rule runs, what it reads becomes its list of dependencies. The edges of the run
// before are used again in place, so a rule that reads the same nodes in the same order touches
// no list and allocates nothing.

extension Engine {
  /// A run that another one has interrupted.
  @usableFromInline
  struct Frame: BitwiseCopyable, Hashable {
    let running: NodeID
    let reader: NodeID
    let writer: NodeID
    let readerTail: EdgeID
    let runStamp: UInt32

    /// Outside of every run.
    static var none: Frame {
      Frame(running: .none, reader: .none, writer: .none, readerTail: .none, runStamp: 0)
    }
  }

  /// Begins to record what a node reads.
  ///
  /// - Precondition: The node is not running.
  @inline(__always)
  package mutating func beginRun(_ id: NodeID) {
    interruptRun()
    let node = live(id)
    let flags = node.pointee.flags
    precondition(!flags.contains(.running), "a rule was entered twice (I6)")
    node.pointee.flags = flags.subtracting(.marked).union(.running)
    node.pointee.caller = running
    running = id
    reader = id
    writer = id
    readerTail = .none
    runStamp = nextStamp()
    if flags.contains(.watcher) { node.pointee.readStamp = runStamp }
  }

  /// Ends the run of the running node: drops the edges that it did not use.
  ///
  /// - Parameters:
  ///   - changed: Whether the node has a new value, so that whoever read the old one must run.
  ///   - isRead: Whether it has run because the reader around it reads this very node.
  /// - Complexity: O(dropped edges), plus O(dependents) if `changed`, plus O(dependencies) if the
  ///   run interrupted another one.
  @inline(__always)
  package mutating func endRun(changed: Bool, isRead: Bool = false) {
    let id = running
    let node = nodes[id.index]
    let unused =
      readerTail == .none
      ? node.pointee.firstDependency : edges[readerTail.index].pointee.nextDependency
    if unused != .none, !isMutated(.keepsStaleEdges) { dropEdges(from: unused) }
    if runDepth > 1, interrupted[runDepth - 2].runStamp != 0 { restoreStamps(of: id) }
    let flags = node.pointee.flags.subtracting(.running)
    node.pointee.flags = flags
    if changed, !isMutated(.skipsPromotion) { promoteDependents(of: id, isRead: isRead) }
    if flags.contains(.watcher), !flags.isDisjoint(with: .markedInRun) { hearNews(id) }
    resumeRun()
  }

  /// Begins a run whose reads are not recorded and whose marks and edges stay as they are.
  ///
  /// - Parameters:
  ///   - id: The node whose rule is run.
  ///   - caller: The node that needs its value, or none.
  package mutating func beginUnrecordedRun(_ id: NodeID, caller: NodeID) {
    interruptRun()
    let node = live(id)
    precondition(!node.pointee.flags.contains(.running), "a rule was entered twice (I6)")
    node.pointee.flags.insert(.running)
    node.pointee.caller = caller == .none ? running : caller
    running = id
    reader = .none
  }

  /// Ends what `beginUnrecordedRun` began.
  package mutating func endUnrecordedRun() {
    nodes[running.index].pointee.flags.remove(.running)
    resumeRun()
  }

  /// Records that the reader has read a node; without a reader, does nothing.
  ///
  /// - Complexity: O(1). No allocation if the reader's run before read the same node at this place.
  @inlinable
  @inline(__always)
  package mutating func recordRead(of id: NodeID) {
    guard reader != .none else { return }
    let read = live(id)
    guard read.pointee.readStamp != runStamp else { return passes(.readsTwice) }
    let next =
      readerTail == .none
      ? nodes[reader.index].pointee.firstDependency
      : edges[readerTail.index].pointee.nextDependency
    if next != .none, edges[next.index].pointee.dependency == id {
      passes(.keepsDependency)
      readerTail = next
      edges[next.index].pointee.savedStamp = read.pointee.readStamp
      edges[next.index].pointee.run = runStamp
      read.pointee.readStamp = runStamp
      read.pointee.flags.remove(.spread)
    } else {
      recordNewRead(of: id)
    }
  }

  /// Records a read that the run before did not make, or not at this place.
  @usableFromInline
  mutating func recordNewRead(of id: NodeID) {
    passes(.addsDependency)
    readerTail = link(reader, to: id, after: readerTail, inRun: runStamp)
    let read = nodes[id.index]
    edges[readerTail.index].pointee.savedStamp = read.pointee.readStamp
    read.pointee.readStamp = runStamp
  }

  /// What `suspendTracking` has interrupted.
  package struct SuspendedTracking {
    /// The node for which reads were recorded.
    package let reader: NodeID
    fileprivate let wasSuspended: Bool
  }

  /// Stops recording until `resumeTracking`.
  package mutating func suspendTracking() -> SuspendedTracking {
    defer {
      reader = .none
      isTrackingSuspended = true
    }
    return SuspendedTracking(reader: reader, wasSuspended: isTrackingSuspended)
  }

  /// Goes on recording for what `suspendTracking` has interrupted.
  package mutating func resumeTracking(_ suspended: SuspendedTracking) {
    reader = suspended.reader
    isTrackingSuspended = suspended.wasSuspended
  }

  /// Begins a handler: what it writes is nobody's own write, until `endHandler`.
  package mutating func beginHandler() -> NodeID {
    defer { writer = .none }
    return writer
  }

  /// Makes what is marked from here on the own writes of a watcher, until `endHandler`.
  package mutating func beginWriting(as watcher: NodeID) -> NodeID {
    defer { writer = watcher }
    return writer
  }

  /// Ends what `beginHandler` or `beginWriting` began.
  package mutating func endHandler(_ interrupted: NodeID) {
    writer = interrupted
  }

  @inline(__always)
  private mutating func interruptRun() {
    if runDepth > 0 {
      interrupted.push(
        Frame(
          running: running, reader: reader, writer: writer, readerTail: readerTail,
          runStamp: runStamp))
    }
    runDepth += 1
  }

  @inline(__always)
  private mutating func resumeRun() {
    precondition(runDepth > 0, "a run ended that had not begun (I6)")
    runDepth -= 1
    let frame = runDepth > 0 ? interrupted.pop() ?? .none : .none
    running = frame.running
    reader = frame.reader
    writer = frame.writer
    readerTail = frame.readerTail
    runStamp = frame.runStamp
  }

  @inline(__always)
  mutating func nextStamp() -> UInt32 {
    if latestStamp == .max { restartStamps() }
    latestStamp &+= 1
    return latestStamp
  }

  @inline(never)
  private mutating func restartStamps() {
    // Runs under way lose only the knowledge of what they have recorded: a second edge, dropped
    // by the next run.
    for index in 1..<nodes.endIndex { nodes[UInt32(index)].pointee.readStamp = 0 }
    for index in 1..<edges.endIndex { edges[UInt32(index)].pointee.run = 0 }
    latestStamp = 0
    era &+= 1
  }

  /// Drops an edge and those behind it in the list of dependencies.
  @inline(never)
  private mutating func dropEdges(from first: EdgeID) {
    var edge = first
    while edge != .none {
      let next = edges[edge.index].pointee.nextDependency
      let read = nodes[edges[edge.index].pointee.dependency.index]
      passes(read.pointee.readStamp == runStamp ? .movesDependency : .dropsDependency)
      unlink(edge)
      edge = next
    }
  }

  /// Gives the interrupted run its marks back on what this one read too.
  private mutating func restoreStamps(of id: NodeID) {
    var edge = nodes[id.index].pointee.firstDependency
    while edge != .none {
      let record = edges[edge.index].pointee
      let read = nodes[record.dependency.index]
      if read.pointee.readStamp == runStamp, !isMutated(.skipsRestoringStamps) {
        if record.savedStamp != 0 { passes(.restoresStamp) }
        read.pointee.readStamp = record.savedStamp
      }
      edge = record.nextDependency
    }
  }

  /// Puts a watcher into its queue whose run has ended, if it has missed something.
  ///
  /// If a derived node that it has read is out of date, it is verified like after any other write. It
  /// may have read the node again since it was marked.
  private mutating func hearNews(_ id: NodeID) {
    let node = nodes[id.index]
    if node.pointee.flags.contains(.hasOwnChanges) { noteAbsorbed(id) }
    if node.pointee.flags.contains(.dirty) {
      passes(.hearsNews)
      return enqueue(id)
    }
    guard node.pointee.flags.contains(.pending) else { return }
    if staleDependencies(of: id).isEmpty || isMutated(.missesOwnWrites) {
      node.pointee.flags.remove(.pending)
    } else {
      passes(.findsOwnWritesDownstream)
      enqueue(id)
    }
  }

  /// What a node has read and is out of date, in reading order; if it is a running watcher, what it has
  /// read in this run.
  ///
  /// - Complexity: O(nodes that it reads).
  package func staleDependencies(of id: NodeID) -> [NodeID] {
    var stale: [NodeID] = []
    let node = nodes[id.index].pointee
    let isRunning = node.flags.contains(.running)
    var next = node.firstDependency
    while next != .none {
      let edge = edges[next.index].pointee
      let isStale = !nodes[edge.dependency.index].pointee.flags.isDisjoint(with: .marked)
      if isStale, !isRunning || edge.run == node.readStamp { stale.append(edge.dependency) }
      next = edge.nextDependency
    }
    return stale
  }
}

// MARK: - Nodes that a watcher has made

extension Engine {
  /// Whether a running watcher has changed something that it has read, by nodes that it has made.
  package func hasOwnChanges(_ id: NodeID) -> Bool {
    live(id).pointee.flags.contains(.hasOwnChanges)
  }

  /// Notes that what a running watcher has read of nodes that it has made is up to date.
  package mutating func noteAbsorbed(_ id: NodeID) {
    guard nodes[id.index].pointee.flags.contains(.hasOwnChanges) else { return }
    nodes[id.index].pointee.flags.remove(.hasOwnChanges)
    ownChangesCount -= 1
  }

  /// The running watchers, the innermost first.
  package var runningWatchers: [NodeID] {
    var watchers: [NodeID] = []
    if running != .none, isWatcher(running) { watchers.append(running) }
    var height = runDepth - 1
    while height > 0 {
      height -= 1
      let node = interrupted[height].running
      if node != .none, isWatcher(node), !watchers.contains(node) { watchers.append(node) }
    }
    return watchers
  }

  /// Whether a node was made in the run of a running watcher.
  package func wasMade(in run: RunNumber, byRunOf watcher: NodeID) -> Bool {
    run != .none && run.era == era && run.number >= nodes[watcher.index].pointee.readStamp
  }

  /// The marks of a node.
  package func marks(of id: NodeID) -> NodeFlags { live(id).pointee.flags.intersection(.marked) }

  /// Gives a running watcher back the marks that it had before a commit, whose values it has seen.
  ///
  /// What it has read and is still out of date makes it pending.
  package mutating func restoreMarks(of id: NodeID, to marks: NodeFlags) {
    let isStale = !staleDependencies(of: id).isEmpty
    let node = live(id)
    node.pointee.flags = node.pointee.flags.subtracting(.marked).union(marks)
    if isStale { node.pointee.flags.insert(.pending) }
  }

  /// Takes out a running watcher that has been marked, if there is one.
  package mutating func takeNewlyMarked() -> NodeID? { newlyMarked.pop() }
}
