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
    GraphTasks.start("removal of released nodes") {
      repeat {
        if graph.hasReleased { passes(.removesInTask) }
        graph.arrive()
        graph.forget(.releases)
        graph.core.pointee.released.drainEnded()
        // What was pushed before the line above scheduled nothing.
      } while graph.hasReleased && !isMutated(.skipsLateReleases)
    }
  }

  /// Whether cells wait for their removal, as far as this thread has heard.
  @usableFromInline var hasReleased: Bool { !core.pointee.released.isEmpty }

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
      actingForNobody { unlinkReleased() }
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
    guard hasReleased || !core.pointee.machine.removals.areComplete else { return }
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

  /// Removes the cells that have lost their owner, and those that lose theirs thereby, and does what
  /// follows from that.
  @GraphActor
  private func remove() {
    actingForNobody {
      while removeNext() {
        if hasReleased { passes(.removesAgain) }
      }
    }
    reclaimIfDue()
  }

  /// Does what is to be done next for what has lost its owner.
  ///
  /// - Returns: Whether there was something to do.
  @GraphActor
  private func removeNext() -> Bool {
    switch core.pointee.machine.nextOfRemoval(hasReleased: hasReleased) {
    case .unlink:
      unlinkReleased()
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
    case .finish:
      return false
    }
    return true
  }

  /// Takes the cells that have lost their owner out of the engine.
  @GraphActor
  private func unlinkReleased() {
    while let first = core.pointee.released.takeAll() {
      // SAFETY: The chain that was taken owns a reference to each cell.
      var next: Unmanaged<NodeCell>? = inOrderOfRelease(first)
      while let cell = next {
        next = cell.next
        // SAFETY: The list takes over the reference of the chain.
        let owned = cell.takeRetainedValue()
        unlink(owned)
        core.pointee.machine.unlinked(owned)
      }
    }
  }

  /// Reverses a chain: what a temporary has made for itself was released before it.
  @GraphActor
  // SAFETY: The caller owns a reference to each cell of the chain, before and after.
  private func inOrderOfRelease(_ first: Unmanaged<NodeCell>) -> Unmanaged<NodeCell> {
    var cell = first
    // SAFETY: As for `first`.
    var reversed: Unmanaged<NodeCell>?
    while true {
      let next = cell.next
      // SAFETY: See above.
      cell._withUnsafeGuaranteedRef { $0.nextInStack = reversed?.toOpaque() }
      guard let next else { return cell }
      reversed = cell
      cell = next
    }
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
    cell.id = .none
    // SAFETY: Gives back the reference that `register` has taken; the caller has another one.
    Unmanaged.passUnretained(cell).release()
  }

  /// Tells the nodes upstream that a watcher is about to go, while async rules are under way.
  ///
  /// - Complexity: O(nodes upstream), while async rules are under way; otherwise O(1).
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
      guard core.pointee.engine.isDerived(id), seen.insert(id).inserted else { continue }
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

// Isolated to nothing, see `placeOnStack`.
// SAFETY: Whoever has a chain in hand owns a reference to each member of it.
extension Unmanaged where Instance == NodeCell {
  /// The member of a chain below the cell.
  // SAFETY: See above.
  fileprivate var next: Unmanaged<NodeCell>? {
    // SAFETY: A chain owns a reference to each member, and the link of a member is a member.
    _withUnsafeGuaranteedRef { $0.nextInStack.map { Unmanaged.fromOpaque($0) } }
  }
}
