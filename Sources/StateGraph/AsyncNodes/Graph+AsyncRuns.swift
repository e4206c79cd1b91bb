// Who wants the results of async rules, and rules that wait for each other.

import Synchronization

extension Graph {
  /// Notes that a watcher is about to be removed: runs that only it wanted have to end.
  ///
  /// - Complexity: O(nodes upstream), while async rules are under way; otherwise O(1).
  @GraphActor
  func noteAbandoned(by cell: NodeCell) {
    guard core.pointee.openAsyncRuns.load(ordering: .relaxed) != 0,
      core.pointee.engine.isWatcher(cell.id)
    else { return }
    // SAFETY: Only the cells of watchers have records of that kind.
    guard unsafeDowncast(cell, to: WatcherCell.self).isDemanding else { return }
    var seen: Set<NodeID> = []
    var unvisited = core.pointee.engine.dependencies(of: cell.id)
    while let id = unvisited.popLast() {
      guard core.pointee.engine.isDerived(id), seen.insert(id).inserted else { continue }
      if let node = self.cell(of: id) as? AsyncNodeCell, node.run != nil {
        core.pointee.machine.mayBeAbandoned(node)
      }
      unvisited += core.pointee.engine.dependencies(of: id)
    }
  }

  /// Whether somebody waits for or follows the result of an async node.
  ///
  /// - Complexity: O(nodes downstream).
  @GraphActor
  func isInDemand(_ node: AsyncNodeCell) -> Bool {
    var seen: Set<NodeID> = [node.sentinel.id]
    var unvisited = core.pointee.engine.dependents(of: node.id)
    while let id = unvisited.popLast() {
      guard seen.insert(id).inserted else { continue }
      if core.pointee.engine.isWatcher(id) {
        // SAFETY: Only the cells of watchers have records of that kind.
        if unsafeDowncast(cell(of: id), to: WatcherCell.self).isDemanding { return true }
      } else {
        unvisited += core.pointee.engine.dependents(of: id)
      }
    }
    return false
  }

  /// Lets the readers of a node that an async rule has made for itself read what it has read.
  ///
  /// The end of such a node is no news to the rule, which would only make another one.
  @GraphActor
  func bequeathToRun(_ cell: NodeCell) {
    guard cell.madeInRun.isAsync, core.pointee.engine.isClean(cell.id) else { return }
    for dependent in core.pointee.engine.dependents(of: cell.id)
    where core.pointee.engine.isDerived(dependent) {
      guard let node = self.cell(of: dependent) as? AsyncNodeCell,
        node.latestRunNumber == cell.madeInRun
      else { continue }
      passes(.bequeathsToAsyncRun)
      core.pointee.engine.bequeathDependencies(of: cell.id, to: dependent)
    }
  }

  /// Stops if an async rule waits for a node that, through others, waits for the rule.
  ///
  /// - Complexity: O(async nodes that the node has awaited, directly or not).
  @GraphActor
  func failIfAwaitIsCycle(_ run: AsyncRun, for node: AsyncNodeCell) {
    var callers: [ObjectIdentifier: AsyncNodeCell] = [:]
    var unvisited = [node]
    while let next = unvisited.popLast() {
      if next === run.reader { failAwait(run.reader, through: callers, from: node) }
      for link in next.awaited {
        guard let read = link.node(), callers[ObjectIdentifier(read)] == nil else { continue }
        callers[ObjectIdentifier(read)] = next
        unvisited.append(read)
      }
    }
  }

  /// Stops because async rules wait for each other.
  @GraphActor
  private func failAwait(
    _ reader: AsyncNodeCell, through callers: [ObjectIdentifier: AsyncNodeCell],
    from first: AsyncNodeCell
  ) -> Never {
    var path = [reader]
    var node = reader
    while node !== first, let caller = callers[ObjectIdentifier(node)] {
      path.append(caller)
      node = caller
    }
    path.append(reader)
    let names = path.reversed().map(\.origin.description)
    fatalError("StateGraph: cycle: \(names.joined(separator: " -> "))")
  }
}
