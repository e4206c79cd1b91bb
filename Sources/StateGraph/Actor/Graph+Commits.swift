// Commits: the atomic step that makes new stored values visible, and the deliveries it causes.

extension Graph {
  /// Traps if a write is a mistake at the moment, and begins a visit of the actor otherwise.
  @GraphActor
  @usableFromInline
  func prepareToWrite(_ cell: NodeCell) {
    if let rule = currentRule { failWrite(to: cell, inRuleOf: rule) }
    if let ban = core.pointee.writeBan { failWrite(to: cell, during: ban) }
    enter()
    if core.pointee.engine.unsettledCount > 0 { settleMadeNodes(beforeWriteTo: cell) }
  }

  /// Commits one value that its cell has just replaced.
  @GraphActor
  @usableFromInline
  func commit(_ cell: NodeCell) {
    passes(.commitsAssignment)
    if cell.id != .none {
      mark { core.pointee.engine.markDependents(of: cell.id, madeIn: cell.madeInRun) }
    }
    publishNextVersion()
    announce { [cell.identity] }
    flush()
    if core.pointee.isReclamationDue { reclaim() }
  }

  /// Commits the staged values that differ from the committed ones, as one version.
  ///
  /// - Parameters:
  ///   - writes: The staged values, compared.
  ///   - whenPublished: Is called when everybody can see them, before the deliveries.
  @GraphActor
  func commit(_ writes: [AnyStagedWrite], whenPublished: @GraphActor () -> Void) {
    let late = isMutated(.installsOneLate) ? writes.last { $0.isChange } : nil
    for write in writes where write.isChange && write !== late { _ = write.step(write, .install) }
    mark {
      for write in writes where write.isChange && write.cell.id != .none {
        core.pointee.engine.markDependents(of: write.cell.id, madeIn: write.cell.madeInRun)
      }
    }
    publishNextVersion()
    if let late { _ = late.step(late, .install) }
    whenPublished()
    announce { writes.filter(\.isChange).map(\.cell.identity) }
    flush()
    if core.pointee.isReclamationDue { reclaim() }
  }

  /// Commits values that their cells have just replaced, as one version.
  ///
  /// - Parameters:
  ///   - cells: The cells.
  ///   - node: The node that they are parts of.
  @GraphActor
  func commit(_ cells: [NodeCell], as node: GraphNodeID) {
    passes(.commitsAsyncResult)
    mark {
      for cell in cells where cell.id != .none {
        core.pointee.engine.markDependents(of: cell.id)
      }
    }
    publishNextVersion()
    announce { [node] }
    flush()
    if core.pointee.isReclamationDue { reclaim() }
  }

  /// Makes what has been replaced and marked visible to all at once.
  @GraphActor
  private func publishNextVersion() {
    if core.pointee.isFlushing || core.pointee.isRunningPostponed { passes(.commitsFromDelivery) }
    if isMutated(.publishesVersionEarly) { core.pointee.readers.publish(version + 1) }
    unpublishMarked()
    if !isMutated(.publishesVersionEarly) { core.pointee.readers.publish(version + 1) }
  }

  /// Tells the streams of commits, if there are any.
  @GraphActor
  private func announce(_ changedNodes: () -> [GraphNodeID]) {
    admitCommitWatchers()
    guard !core.pointee.commitWatchers.isEmpty else { return }
    let commit = GraphCommit(version: version, changedNodes: changedNodes())
    for watcher in core.pointee.commitWatchers { watcher.committed(commit) }
  }

  /// Takes in the streams of commits that have begun since the last commit.
  @GraphActor
  func admitCommitWatchers() {
    var next = core.pointee.arrivals.takeAllIfAny()
    while let unmanaged = next {
      // SAFETY: The chain that was taken owns a reference to each member, and the link is a member.
      let arrival = unmanaged.takeRetainedValue()
      // SAFETY: Likewise.
      next = arrival.nextInStack.map { Unmanaged.fromOpaque($0) }
      passes(.admitsCommitStream)
      core.pointee.commitWatchers.append(arrival.watcher)
    }
  }

  /// Makes the deliveries that are due.
  ///
  /// Those who only read are told at every commit, so they miss none. Those who may write follow:
  /// one that commits does not deliver to the others on top of itself; what it causes is delivered
  /// after it, by the loop that is already under way.
  @GraphActor
  func flush() {
    // The loop further up the call stack takes what has come in since.
    guard !core.pointee.isNotifying else { return passes(.flushesLater) }
    let held = holdBack()
    defer { core.pointee.engine.putBack(held) }
    if let first = core.pointee.engine.takeNotified() {
      core.pointee.isNotifying = true
      // Whoever wrote must not become a reader of what deliveries read.
      withoutTracking { actingForNobody { tell(first) { core.pointee.engine.takeNotified() } } }
      core.pointee.isNotifying = false
    }
    guard canReact, let first = core.pointee.engine.takeReaction() else { return }
    core.pointee.isFlushing = true
    withoutTracking { actingForNobody { tell(first) { core.pointee.engine.takeReaction() } } }
    core.pointee.isFlushing = false
  }

  /// Takes out of the queues whoever might read a node that is being updated.
  ///
  /// It may have no value at the moment. Streams of other stored nodes read nothing else, and would
  /// miss a value if they were told later.
  ///
  /// - Complexity: O(1) outside of updates; otherwise O(watchers queued).
  @GraphActor
  private func holdBack() -> [NodeID] {
    guard core.pointee.updateDepth > 0 else { return [] }
    return core.pointee.engine.takeQueued(where: { id in
      guard let payload = core.pointee.engine.payload(of: id) else { return true }
      // SAFETY: Only watchers are queued; the graph keeps them alive.
      return !Unmanaged<WatcherCell>.fromOpaque(payload).takeUnretainedValue().followsStoredNode
    })
  }

  /// Makes the deliveries that have waited for the end of an update.
  @GraphActor
  func updateEnded() {
    guard core.pointee.updateDepth == 0 else { return }
    flush()
    while !core.pointee.postponedAssignments.isEmpty {
      let assignments = core.pointee.postponedAssignments
      core.pointee.postponedAssignments = []
      for assignment in assignments { withoutTracking(assignment) }
    }
  }

  /// Whether those who may write can be told now.
  ///
  /// Not on the stack of a handler or an expression that is running: what they write would pass for
  /// its own. Not on top of another, nor while something is evaluated that must not see a write.
  @GraphActor private var canReact: Bool {
    !core.pointee.isFlushing && core.pointee.writeBan == nil
      && core.pointee.engine.running == .none
  }

  /// Tells watchers, beginning with one that has been taken out of its queue.
  @GraphActor
  private func tell(_ first: NodeID, thenFrom takeNext: @GraphActor () -> NodeID?) {
    var next: NodeID? = first
    while let id = next {
      notify(core.pointee.engine.payload(of: id))
      next = takeNext()
    }
  }

  /// Tells a watcher, on the actor.
  ///
  /// Without a reference to the cell, which would have to be counted: while watchers are told, no
  /// node is removed.
  private nonisolated func notify(_ payload: UnsafeRawPointer?) {
    guard let payload else { preconditionFailure("a watcher without a cell was queued (I1)") }
    // SAFETY: Only watchers are queued; the graph keeps them alive.
    Unmanaged<WatcherCell>.fromOpaque(payload)._withUnsafeGuaranteedRef { Self.notify($0) }
  }

  private static let notify: @Sendable (WatcherCell) -> Void = {
    let notify: @GraphActor @Sendable (WatcherCell) -> Void = { $0.notified() }
    // SAFETY: It is called on the actor. Isolation is no part of a closure's representation.
    return unsafeBitCast(notify, to: (@Sendable (WatcherCell) -> Void).self)
  }()
}
