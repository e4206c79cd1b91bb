// Who wants the results of async rules, and rules that wait for each other.

extension Graph {
  /// The async rule on whose behalf the running code reads.
  @GraphActor var currentAsyncRun: AsyncRun? {
    currentRuleRun.map {
      // SAFETY: There are no other runs of rules.
      unsafeDowncast($0, to: AsyncRun.self)
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
