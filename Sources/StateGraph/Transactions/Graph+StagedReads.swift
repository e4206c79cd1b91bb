// Reading computed nodes inside a transaction.

extension Graph {
  /// Finds out what a computed node looks like in a transaction, and keeps it as a memo.
  ///
  /// - Complexity: O(edges checked) and the rules that have to run. In a synchronous transaction,
  ///   O(1) if no staged write reaches the node or nothing was written since it was read last. In
  ///   an async one everything upstream is checked, once after each commit of others, because the
  ///   transaction depends on the stored nodes there.
  @GraphActor
  func settle(_ cell: RuleCell, in transaction: GraphTransaction) {
    if core.pointee.engine.reader != .none { trackCommitted(cell, in: transaction) }
    transaction.catchUp()
    guard needsCheck(cell.id, in: transaction) else {
      let isKnown = transaction.view.memo(of: cell.id) != nil
      return passes(isKnown ? .servesStagedFromMemo : .servesStagedFromCache)
    }
    if core.pointee.engine.isBusy(cell.id) {
      failCycle(cell.id, from: core.pointee.engine.running)
    }
    let outer = core.pointee.transaction
    core.pointee.transaction = transaction
    walkStaged(to: cell.id, in: transaction)
    core.pointee.transaction = outer
  }

  /// Whether the cached value of a node may not hold in the transaction and nothing is known yet.
  @GraphActor
  private func needsCheck(_ id: NodeID, in transaction: GraphTransaction) -> Bool {
    guard transaction.view.memo(of: id) == nil, core.pointee.engine.isDerived(id) else {
      return false
    }
    return transaction.isAsync || transaction.view.reaches(id)
      || !core.pointee.engine.isCurrent(id)
  }

  /// Records that a watcher which opened the transaction has read a node.
  ///
  /// It watches the committed graph, where an edge needs a node that is up to date.
  @GraphActor
  private func trackCommitted(_ cell: RuleCell, in transaction: GraphTransaction) {
    actingForNobody { _ = refresh(cell) }
    if core.pointee.engine.writer == core.pointee.engine.reader {
      transaction.view.noteSeen(cell.id)
    }
  }

  /// One node on the way of a staged walk.
  private struct Place {
    let node: NodeID
    let dependencies: [NodeID]
    var next = 0
  }

  /// Checks or runs nodes, dependencies first, until the target has a memo.
  @GraphActor
  private func walkStaged(to target: NodeID, in transaction: GraphTransaction) {
    var places = [place(of: target, caller: .none)]
    while var place = places.popLast() {
      let caller = places.last?.node ?? .none
      var mustRun = core.pointee.engine.isDirty(place.node)
      var descended = false
      while !mustRun, place.next < place.dependencies.count {
        let dependency = place.dependencies[place.next]
        if needsCheck(dependency, in: transaction) {
          if core.pointee.engine.isBusy(dependency) { failCycle(dependency, from: place.node) }
          places.append(place)
          places.append(self.place(of: dependency, caller: place.node))
          descended = true
          break
        }
        mustRun = looksDifferent(dependency, in: transaction)
        place.next += 1
      }
      if descended { continue }
      core.pointee.engine.endCheck(place.node)
      if mustRun {
        runStaged(place.node, caller: caller)
      } else {
        passes(.verifiesStaged)
        transaction.memoise(nil, of: place.node)
      }
    }
  }

  /// Begins to check a node.
  @GraphActor
  private func place(of id: NodeID, caller: NodeID) -> Place {
    core.pointee.engine.beginCheck(id, caller: caller)
    return Place(node: id, dependencies: core.pointee.engine.dependencies(of: id))
  }

  /// Whether a node that needs no check differs in the transaction from its committed value.
  @GraphActor
  private func looksDifferent(_ id: NodeID, in transaction: GraphTransaction) -> Bool {
    guard !core.pointee.engine.isDerived(id) else {
      guard case .some(.some) = transaction.view.memo(of: id) else { return false }
      return true
    }
    let cell = cell(of: id)
    if let write = transaction.write(to: cell), write.isChange(of: transaction.beginVersion) {
      return write.differs
    }
    return transaction.read(cell) != nil
  }

  /// Runs the rule of a node against the staged values.
  @GraphActor
  private func runStaged(_ id: NodeID, caller: NodeID) {
    // SAFETY: Sources are never marked and never reached, so they need no check.
    let cell = unsafeDowncast(cell(of: id), to: RuleCell.self)
    passes(.runsStaged)
    core.pointee.engine.beginUnrecordedRun(id, caller: caller)
    guardStack(of: id)
    _ = cell.step(cell, .staged)
    core.pointee.engine.endUnrecordedRun()
  }
}
