// Commits: the atomic step that makes new stored values visible.

extension Graph {
  /// Traps if a write is a mistake at the moment, and begins a visit of the actor otherwise.
  @GraphActor
  @usableFromInline
  func prepareToWrite(_ cell: NodeCell) {
    // The ban first: it is about what runs innermost, in the middle of a rule perhaps.
    if let ban = core.pointee.machine.writeBan { failWrite(to: cell, during: ban) }
    if let rule = currentRule { failWrite(to: cell, inRuleOf: rule) }
    enter()
    if core.pointee.engine.ownChangesCount > 0 { absorbOwnChanges(beforeWriteTo: cell) }
  }

  /// Commits one value that its cell has just replaced, when nothing unusual is the case.
  @GraphActor
  @usableFromInline
  func commitAlone(_ cell: NodeCell) {
    passes(.commitsAssignment)
    if cell.id != .none { core.pointee.engine.markDependents(of: cell.id) }
    if core.pointee.engine.hasUnpublished { unpublishMarked() }
    core.pointee.readers.publish(version &+ 1)
    if !isOrdinary || core.pointee.engine.hasQueuedWatchers { follow { [cell.identity] } }
  }

  /// Does what follows from a commit.
  @GraphActor
  @inline(never)
  func follow(_ changedNodes: () -> [GraphNodeID]) {
    if areCommitsFollowed { announce(changedNodes) }
    deliver()
    reclaimIfDue()
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
    follow { [cell.identity] }
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
    follow { [node] }
  }

  /// Makes what has been replaced and marked visible to all at once.
  @GraphActor
  func publishNextVersion() {
    if core.pointee.machine.isDelivering { passes(.commitsFromDelivery) }
    if isMutated(.publishesVersionEarly) { core.pointee.readers.publish(version + 1) }
    unpublishMarked()
    if !isMutated(.publishesVersionEarly) { core.pointee.readers.publish(version + 1) }
  }
}
