// Reading computed nodes inside a transaction.

extension Graph {
  /// Finds out what a computed node looks like in a transaction, up to a run of its own rule, and
  /// keeps it as a memo.
  ///
  /// - Complexity: O(edges checked) and the rules that have to run. In a synchronous transaction,
  ///   O(1) if no staged write reaches the node or nothing was written since it was read last. In
  ///   an async one everything upstream is checked, once after each commit of others, because the
  ///   transaction depends on the stored nodes there.
  @GraphActor
  func beginStagedRun(for cell: RuleCell, in transaction: GraphTransaction) -> BegunRun {
    if core.pointee.engine.reader != .none { trackCommitted(cell, in: transaction) }
    transaction.catchUp()
    guard needsCheck(cell.id, in: transaction) else {
      let isKnown = transaction.view.memo(of: cell.id) != nil
      passes(isKnown ? .servesStagedFromMemo : .servesStagedFromCache)
      return .none
    }
    if core.pointee.engine.isBusy(cell.id) { return beginProvisionalRun(for: cell) }
    let run = core.pointee.transaction == nil ? BegunRun.stagedApart : .staged
    core.pointee.transaction = transaction
    if mustRunStaged(cell.id, in: transaction) {
      beginStagedRun(of: cell.id, caller: .none)
      return run
    }
    leaveTransaction(of: run)
    return .none
  }

  /// Ends what `beginStagedRun` has begun.
  @GraphActor
  func endStagedRun(_ run: BegunRun) {
    core.pointee.engine.endUnrecordedRun()
    leaveTransaction(of: run)
  }

  @GraphActor
  private func leaveTransaction(of run: BegunRun) {
    if run == .stagedApart { core.pointee.transaction = nil }
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
    actingForNobody { _ = evaluate(cell) }
    if core.pointee.engine.writer == core.pointee.engine.reader {
      transaction.view.noteSeen(cell.id)
    }
  }

  /// One node on the way of a staged walk.
  private struct Frame {
    let node: NodeID
    let dependencies: [NodeID]
    var next = 0
  }

  /// Checks or runs what a node depends on, dependencies first, until it is known whether its own
  /// rule has to run.
  ///
  /// - Returns: Whether it has to. If not, the node has a memo.
  @GraphActor
  private func mustRunStaged(_ target: NodeID, in transaction: GraphTransaction) -> Bool {
    var frames = [frame(of: target, caller: .none)]
    while var frame = frames.popLast() {
      let caller = frames.last?.node ?? .none
      var mustRun =
        core.pointee.engine.isDirty(frame.node) || mayBeCyclic(frame.node, in: transaction)
      var descended = false
      while !mustRun, frame.next < frame.dependencies.count {
        let dependency = frame.dependencies[frame.next]
        if needsCheck(dependency, in: transaction) {
          if core.pointee.engine.isBusy(dependency) {
            failWithoutFallback(dependency, from: frame.node)
            mustRun = true
            break
          }
          frames.append(frame)
          frames.append(self.frame(of: dependency, caller: frame.node))
          descended = true
          break
        }
        mustRun = looksDifferent(dependency, in: transaction)
        frame.next += 1
      }
      if descended { continue }
      core.pointee.engine.endCheck(frame.node)
      if !mustRun {
        passes(.verifiesStaged)
        transaction.view.verify(cell(of: frame.node))
      } else if frames.isEmpty {
        return true
      } else {
        runStaged(frame.node, caller: caller)
      }
    }
    return false
  }

  /// Stops because of a cycle, unless a member of it has a fallback: then whoever is checked has to run,
  /// and will meet the cycle.
  @GraphActor
  private func failWithoutFallback(_ met: NodeID, from checked: NodeID) {
    let path = core.pointee.engine.cyclePath(to: met, from: checked)
    guard path.contains(where: { cell(of: $0).hasFallback }) else {
      failCycle(met, from: checked)
    }
  }

  /// Begins to check a node.
  @GraphActor
  private func frame(of id: NodeID, caller: NodeID) -> Frame {
    core.pointee.engine.beginCheck(id, caller: caller)
    return Frame(node: id, dependencies: core.pointee.engine.dependencies(of: id))
  }

  /// Whether a node that needs no check differs in the transaction from its committed value.
  @GraphActor
  private func looksDifferent(_ id: NodeID, in transaction: GraphTransaction) -> Bool {
    if core.pointee.engine.isDerived(id) { return transaction.view.differs(id) }
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
    beginStagedRun(of: id, caller: caller)
    _ = cell.step(cell, .staged)
    core.pointee.engine.endUnrecordedRun()
  }

  @GraphActor
  private func beginStagedRun(of id: NodeID, caller: NodeID) {
    passes(.runsStaged)
    core.pointee.engine.beginUnrecordedRun(id, caller: caller)
    if let transaction = openTransaction { noteStagedRun(of: id, in: transaction) }
    guardStack(of: id)
  }
}
