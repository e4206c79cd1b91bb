// Marking: a write pushes marks downstream and runs nothing.

extension Engine {
  /// Marks the dependents of a node that has changed.
  ///
  /// Direct dependents become dirty, the rest pending; a node that is marked already is not
  /// entered again. Watchers that become marked are queued.
  ///
  /// Running watchers are marked if it is news to them. It is not if they have yet to read what is
  /// marked, if they are the writer of a node that they have read, or if they have made the source.
  ///
  /// - Parameters:
  ///   - source: The node whose value has just been replaced.
  ///   - run: The run that has made the source.
  /// - Complexity: O(1) if none of the direct dependents has looked since the last call; otherwise
  ///   O(direct dependents + edges of the nodes not marked before the call).
  /// - Precondition: No rule is running but a watcher's (I7).
  package mutating func markDependents(of source: NodeID, madeIn run: RunNumber = .none) {
    let node = live(source)
    guard !node.pointee.flags.contains(.spread) else { return passes(.meetsSpread) }
    node.pointee.flags.insert(.spread)
    runOfSource = run
    mark(from: node.pointee.firstDependent, as: .dirty)
    while let next = unvisited.pop() {
      mark(from: next, as: .pending)
    }
    if hasSpared {
      hasSpared = false
      node.pointee.flags.remove(.spread)
    }
  }

  /// Marks the dependents in one list, and goes down as long as the path does not fork.
  private mutating func mark(from first: EdgeID, as firstMark: NodeFlags) {
    var edge = first
    var mark = firstMark
    while edge != .none {
      let record = edges[edge.index].pointee
      let node = nodes[record.dependent.index]
      if isMutated(.forgetsLastDependent), edge != first, record.nextDependent == .none { return }
      let flags = node.pointee.flags
      edge = record.nextDependent
      if flags.contains(.running) {
        markRunning(record, as: mark)
        continue
      }
      node.pointee.flags = flags.union(mark)
      guard flags.isDisjoint(with: .marked) else {
        passes(flags.contains(.dirty) ? .meetsDirty : .meetsPending)
        if mark == .dirty, !flags.contains(.dirty) { passes(.pendingBecomesDirty) }
        continue
      }
      passes(mark == .dirty ? .marksDirty : .marksPending)
      if !flags.isDisjoint(with: .noticed) { notice(record.dependent, flags) }
      if flags.contains(.watcher) { continue }
      if node.pointee.firstDependent != .none, !isMutated(.forgetsPending) {
        if edge == .none {
          edge = node.pointee.firstDependent
          mark = .pending
        } else {
          passes(.marksFork)
          unvisited.push(node.pointee.firstDependent)
        }
      }
    }
  }

  /// Does what the owner of the engine needs for a node that has just been marked.
  @inline(never)
  private mutating func notice(_ id: NodeID, _ flags: NodeFlags) {
    if flags.contains(.published), !isMutated(.leavesMarkedPublished) { notePublicationEnds(id) }
    if flags.contains(.watcher) { enqueue(id) }
    if flags.contains(.cyclic), !isMutated(.keepsFallback) {
      nodes[id.index].pointee.flags.insert(.dirty)
    }
  }

  /// Marks a watcher that is running, if that is news to it.
  ///
  /// It is queued when its run has ended.
  @inline(never)
  private mutating func markRunning(_ edge: EdgeRecord, as mark: NodeFlags) {
    passes(.marksRunningWatcher)
    let node = nodes[edge.dependent.index]
    hasSpared = true
    // What it has not read in this run, it finds as it is when it reads it.
    guard edge.run == node.pointee.readStamp else { return passes(.marksUnread) }
    if wasMade(in: runOfSource, byRunOf: edge.dependent) {
      passes(.writesMadeNode)
      if mark == .pending, !node.pointee.flags.contains(.hasOwnChanges) {
        node.pointee.flags.insert(.hasOwnChanges)
        ownChangesCount += 1
      }
      return
    }
    if mark == .dirty, edge.dependent == writer { return passes(.absorbsOwnWrites) }
    node.pointee.flags.formUnion(mark)
    if node.pointee.flags.contains(.reaction) { newlyMarked.push(edge.dependent) }
  }

  /// The node on whose behalf the running node runs, by a read of its own; none if there is none.
  private var readerOfRun: NodeID {
    runDepth > 1 ? interrupted[runDepth - 2].reader : .none
  }

  /// Makes dirty whoever waits to hear whether a node has changed: it has.
  ///
  /// To a running watcher it is no news if it has yet to read the node, or is about to see the new
  /// value.
  ///
  /// - Parameters:
  ///   - id: The node.
  ///   - isRead: Whether it has run because the reader reads this very node.
  /// - Complexity: O(dependents).
  @inline(__always)
  mutating func promoteDependents(of id: NodeID, isRead: Bool) {
    var edge = nodes[id.index].pointee.firstDependent
    while edge != .none {
      let record = edges[edge.index].pointee
      let node = nodes[record.dependent.index]
      let flags = node.pointee.flags
      let isSpared =
        flags.contains(.running)
        && (record.run != node.pointee.readStamp || isRead && record.dependent == readerOfRun)
      if flags.contains(.pending), !isSpared {
        passes(.promotesDependent)
        node.pointee.flags.insert(.dirty)
      }
      edge = record.nextDependent
    }
  }
}

// MARK: - Published nodes

extension Engine {
  /// Notes that readers outside of the actor can see the value of a node until it is marked.
  ///
  /// - Precondition: The node is clean.
  package mutating func notePublication(_ id: NodeID) {
    live(id).pointee.flags.insert(.published)
  }

  /// Whether readers outside of the actor can see the value of a node.
  package func isPublished(_ id: NodeID) -> Bool {
    live(id).pointee.flags.contains(.published)
  }

  private mutating func notePublicationEnds(_ id: NodeID) {
    passes(.unpublishesMarked)
    nodes[id.index].pointee.flags.remove(.published)
    unpublishing.push(id)
  }

  /// Whether a node that was published has been marked and not been taken out.
  package var hasUnpublished: Bool {
    @inline(__always) get { unpublishing.count > 0 }
  }

  /// Takes out a node that was published and has been marked, if there is one.
  ///
  /// To be called until there is none, before a node is removed and before the next version is
  /// published.
  package mutating func takeUnpublished() -> NodeID? { unpublishing.pop() }
}

// MARK: - Watchers

extension Engine {
  /// Puts a watcher into its queue, once.
  mutating func enqueue(_ id: NodeID) {
    let node = live(id)
    guard !node.pointee.flags.contains(.queued) else { return }
    passes(node.pointee.flags.contains(.reaction) ? .queuesReaction : .queuesWatcher)
    node.pointee.flags.insert(.queued)
    if node.pointee.flags.contains(.reaction) { reactions.push(id) } else { notified.push(id) }
  }

  /// Whether a watcher may be in a queue.
  package var hasQueuedWatchers: Bool {
    @inline(__always) get { notified.count > 0 || reactions.count > 0 }
  }

  /// Takes the watcher out of the queue that was marked first, if there is one.
  ///
  /// It keeps its marks: settling it tells whether something has really changed.
  package mutating func takeNotified() -> NodeID? {
    while let id = notified.pop() {
      if leaveQueue(id) { return id }
    }
    return nil
  }

  /// Takes the watcher that may write and was marked first, if there is one; see `takeNotified`.
  package mutating func takeReaction() -> NodeID? {
    while let id = reactions.pop() {
      if leaveQueue(id) { return id }
    }
    return nil
  }

  /// The number of entries in the queue of the watchers that may write.
  package var queuedReactionCount: Int { reactions.count }

  /// The watcher at an index of that queue.
  package func queuedReaction(at index: Int) -> NodeID { reactions[index] }

  /// Puts watchers back into their queues.
  package mutating func putBack(_ watchers: [NodeID]) {
    for id in watchers { enqueue(id) }
  }

  /// Notes that an entry of a queue has been taken.
  ///
  /// - Returns: False if the watcher has been removed since it was queued.
  private mutating func leaveQueue(_ id: NodeID) -> Bool {
    let node = nodes[id.index]
    guard node.pointee.flags.belong(to: id), node.pointee.flags.contains(.queued) else {
      passes(.skipsRemovedWatcher)
      return false
    }
    node.pointee.flags.remove(.queued)
    return true
  }

  /// Makes a watcher look again, as after a change of what it reads.
  package mutating func invalidate(_ id: NodeID) {
    passes(.invalidatesWatcher)
    live(id).pointee.flags.insert(.dirty)
    enqueue(id)
  }

  /// Makes a derived node look again at its next read, as after a change of what it reads.
  ///
  /// - Complexity: O(nodes downstream that are not marked).
  package mutating func invalidateDerived(_ id: NodeID) {
    passes(.invalidatesDerived)
    let node = live(id)
    node.pointee.flags.insert(.dirty)
    if node.pointee.flags.contains(.published) { notePublicationEnds(id) }
    markDependents(of: id)
  }

  /// Keeps a watcher dirty that has been told of a change and has yet to look: it need not be told
  /// of more until then.
  package mutating func keepDirty(_ id: NodeID) {
    live(id).pointee.flags.insert(.dirty)
  }

  /// Forgets the marks of a watcher that has taken notice of them.
  ///
  /// - Complexity: O(nodes that it reads).
  package mutating func clearMarks(_ id: NodeID) {
    let node = live(id)
    node.pointee.flags.subtract(.marked)
    var edge = node.pointee.firstDependency
    while edge != .none {
      let record = edges[edge.index].pointee
      nodes[record.dependency.index].pointee.flags.remove(.spread)
      edge = record.nextDependency
    }
  }

  /// Makes a node read another one, after what it reads already; without effect if it does.
  ///
  /// - Complexity: O(nodes that it reads).
  /// - Precondition: The node that is read is current.
  package mutating func recordLateRead(of id: NodeID, by reader: NodeID) {
    var last = EdgeID.none
    var next = live(reader).pointee.firstDependency
    while next != .none {
      if edges[next.index].pointee.dependency == id { return passes(.knowsLateDependency) }
      last = next
      next = edges[next.index].pointee.nextDependency
    }
    passes(.addsLateDependency)
    heir = .none
    _ = link(reader, to: id, after: isMutated(.readsBackwards) ? .none : last)
  }

  /// Makes a watcher read a node, after what it reads already.
  package mutating func watch(_ id: NodeID, by watcher: NodeID) {
    _ = link(watcher, to: id, after: .none)
  }
}
