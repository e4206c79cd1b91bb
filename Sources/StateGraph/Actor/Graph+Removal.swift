// Removal of what has lost its owner: which part comes when is up to `DeliveryStateMachine`.

import Synchronization

extension Graph {
  /// Lets go of a cell whose owner is gone; from any thread.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  func release(_ cell: NodeCell) {
    guard core.pointee.released.push(cell) else { return passes(.joinsScheduledRemoval) }
    passes(.schedulesRemoval)
    note(.releases)
    let graph = self
    GraphTasks.launch("removal of released nodes") {
      // One portion in a visit: others come in between.
      while await graph.removeInTask() { await Task.yield() }
    }
  }

  /// Removes a portion of what has been released, in the task that the release has scheduled.
  ///
  /// - Returns: Whether more is left.
  @GraphActor
  private func removeInTask() -> Bool {
    if hasReleased { passes(.removesInTask) }
    arrive()
    guard areRemovalsComplete else { return true }
    forget(.releases)
    core.pointee.released.drainEnded()
    // What was pushed before the line above scheduled nothing.
    return hasReleased && !isMutated(.skipsLateReleases)
  }

  /// Whether cells wait for their removal, as far as this thread has heard.
  @usableFromInline package var hasReleased: Bool { !core.pointee.released.isEmpty }

  /// Sets how much is removed in one visit or step, for tests.
  @GraphActor
  package func setRemovalPortion(_ portion: Int) {
    core.pointee.removalPortion = portion
    core.pointee.unlinkPortion = portion
  }

  /// Whether all that the actor has taken from the release list has been removed, with all that follows.
  @GraphActor package var areRemovalsComplete: Bool {
    core.pointee.releaseQueue.isEmpty && core.pointee.machine.removals.areComplete
  }

  /// Meets the graph in the middle of a step: takes what has been released out of the engine.
  ///
  /// No cleanup, handler or destructor is called. It might commit, and the code that is running relies
  /// on what it has read: `count += 1` reads before it comes here, and writes after that. What is left
  /// to do is up to the task that the release has scheduled, or whoever arrives before it.
  @GraphActor
  @usableFromInline
  package func enter() {
    guard hasReleased else { return }
    switch core.pointee.machine.released(isBusy: isBusy) {
    case .wait:
      passes(.postponesRemoval)
    case .unlink:
      if isMutated(.drainsInStep) { return remove() }
      passes(.unlinksInStep)
      actingForNobody { _ = unlinkReleased(limit: core.pointee.unlinkPortion) }
      // The next commit of the step must not run what it has not caused.
      while let id = core.pointee.engine.takeReaction() {
        core.pointee.machine.hold(cell(of: id))
      }
    }
  }

  /// Begins a step for code that comes from outside, after it has awaited: removes what has been
  /// released, and does what follows from that.
  @GraphActor
  @usableFromInline
  package func arrive() {
    guard hasReleased || !areRemovalsComplete else { return }
    switch core.pointee.machine.released(isBusy: isBusy) {
    case .wait:
      passes(.postponesRemoval)
    case .unlink:
      passes(.removesOnArrival)
      remove()
    }
  }

  /// Whether a run or a transaction is on the call stack.
  @GraphActor private var isBusy: Bool {
    core.pointee.engine.running != .none || core.pointee.transaction != nil
  }

  /// Runs a body in which no node is removed: it holds on to one, or has to find all as they are.
  @GraphActor
  @usableFromInline
  func withoutRemovals<R, E: Error>(_ body: @GraphActor () throws(E) -> R) throws(E) -> R {
    let outer = core.pointee.machine.beginKeepingNodes()
    defer { core.pointee.machine.endRestriction(to: outer) }
    return try body()
  }

  /// Removes a portion of the cells that have lost their owner, and of those that lose theirs thereby,
  /// and does what follows from that.
  @GraphActor
  private func remove() {
    actingForNobody {
      let isOutermost = core.pointee.machine.beginRemoval(portion: core.pointee.removalPortion)
      if isOutermost {
        core.pointee.unlinkBudget = isMutated(.removesAtOnce) ? .max : core.pointee.unlinkPortion
      }
      while removeNext() {
        if hasReleased { passes(.removesAgain) }
      }
      if isOutermost { core.pointee.machine.endRemoval() }
    }
    reclaimIfDue()
  }

  /// Does what is to be done next for what has lost its owner.
  ///
  /// - Returns: Whether there was something to do.
  @GraphActor
  private func removeNext() -> Bool {
    let budget = core.pointee.unlinkBudget
    let hasReleased = (hasReleased || !core.pointee.releaseQueue.isEmpty) && budget > 0
    switch core.pointee.machine.nextOfRemoval(hasReleased: hasReleased) {
    case .unlink:
      core.pointee.unlinkBudget = unlinkReleased(limit: budget)
    case .letGo(let cell):
      // The end of what it holds may run code of the user, which may write.
      withoutOwnWrites { cell.wasRemoved() }
    case .queue(let cells):
      core.pointee.engine.putBack(cells.map(\.id).filter { $0 != .none })
    case .cleanUp(let cell):
      cell.cleanUpAfterRemoval()
    case .stop(let cell):
      cell.stopIfAbandoned()
    case .deliver:
      deliver()
    case .pause:
      passes(.pausesRemoval)
      return false
    case .finish:
      return false
    }
    return true
  }

  /// Takes cells that have lost their owner out of the engine.
  ///
  /// - Parameter limit: How many at most.
  /// - Returns: How many more would have been allowed.
  @GraphActor
  private func unlinkReleased(limit: Int) -> Int {
    var budget = limit
    while let cell = core.pointee.releaseQueue.next(from: core.pointee.released, budget: &budget) {
      unlink(cell)
      core.pointee.machine.unlinked(cell)
    }
    return budget
  }

  /// Takes a cell out of the engine, if it has a record there, with all that follows from it but
  /// calls of code that may write.
  @GraphActor
  private func unlink(_ cell: NodeCell) {
    defer { cell.isRemoved = true }
    guard cell.id != .none else { return }
    deliverLastValue(of: cell.id)
    noteEndOfDemand(by: cell)
    cell.willBeRemoved()
    bequeathToRuleRun(cell)
    core.pointee.engine.remove(cell.id, madeIn: cell.madeInRun)
    unpublishMarked()
    core.pointee.cycles.forget(cell.id)
    cell.id = .none
    // SAFETY: Gives back the reference that `register` has taken; the caller has another one.
    Unmanaged.passUnretained(cell).release()
  }

  /// Tells the nodes upstream that a watcher is about to go, while async rules are under way.
  ///
  /// - Complexity: O(what the watcher reads) while async rules are under way, and O(nodes between it and
  ///   those that it waits for); otherwise O(1).
  @GraphActor
  private func noteEndOfDemand(by cell: NodeCell) {
    guard core.pointee.openAsyncRuns.load(ordering: .relaxed) != 0,
      core.pointee.engine.isWatcher(cell.id)
    else { return }
    // SAFETY: Only the cells of watchers have records of that kind.
    guard unsafeDowncast(cell, to: WatcherCell.self).isDemanding else { return }
    var seen: Set<NodeID> = []
    var unvisited = core.pointee.engine.dependencies(of: cell.id)
    while let id = unvisited.popLast() {
      guard core.pointee.engine.isBelowRun(id), core.pointee.engine.isDerived(id),
        seen.insert(id).inserted
      else { continue }
      self.cell(of: id).followerWillGo()
      unvisited += core.pointee.engine.dependencies(of: id)
    }
  }

  /// Lets the readers of a node that an async rule or a transaction has made for itself read what it has
  /// read.
  ///
  /// The end of such a node is no news to them, who would only make another one.
  @GraphActor
  private func bequeathToRuleRun(_ cell: NodeCell) {
    guard cell.madeInRun.isAsync, core.pointee.engine.isClean(cell.id) else { return }
    for dependent in core.pointee.engine.dependents(of: cell.id)
    where self.cell(of: dependent).inherits(fromMadeIn: cell.madeInRun) {
      passes(.bequeathsToAsyncRun)
      core.pointee.engine.bequeathDependencies(of: cell.id, to: dependent)
    }
  }

  /// Lets the streams of a node that is about to go take its last value.
  @GraphActor
  private func deliverLastValue(of id: NodeID) {
    guard core.pointee.engine.hasWatchers(id) else { return }
    for dependent in core.pointee.engine.dependents(of: id)
    where core.pointee.engine.isWatcher(dependent) {
      // SAFETY: Only the cells of watchers have records of that kind.
      let watcher = unsafeDowncast(cell(of: dependent), to: WatcherCell.self)
      withoutRemovals { watcher.dependencyWillGo() }
    }
  }
}
