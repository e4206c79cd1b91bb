// Running the bodies of transactions, and what comes of them.

extension Graph {
  @GraphActor
  func withTransaction<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    failIfTransactionIsMistake()
    if let transaction = currentTransaction {
      passes(.joinsTransaction)
      return try acting(in: transaction, body)
    }
    enter()
    let transaction = GraphTransaction(beginVersion: version)
    core.pointee.transaction = transaction
    // `withValue` would lose the type of the error.
    let result: Result<R, E> = Participation.$ambient.withValue(.transaction(transaction)) {
      do throws(E) { return .success(try body()) } catch { return .failure(error) }
    }
    if case .failure(let error) = result {
      passes(.rollsBackOnError)
      core.pointee.transaction = nil
      roll(back: transaction, because: error is CancellationError ? .cancelled : .error(error))
      throw error
    }
    compare(transaction)
    commit(transaction)
    return try result.get()
  }

  /// Runs a synchronous body as a part of a transaction that is open.
  @GraphActor
  func acting<R, E: Error>(
    in transaction: GraphTransaction, _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let outer = core.pointee.transaction
    core.pointee.transaction = transaction
    defer { core.pointee.transaction = outer }
    return try body()
  }

  /// Finds out which staged values differ from the committed ones.
  ///
  /// The comparisons see what the body saw last, and must not write. What they read, the
  /// transaction has read.
  @GraphActor
  func compare(_ transaction: GraphTransaction) {
    core.pointee.transaction = transaction
    defer { core.pointee.transaction = nil }
    transaction.compareWrites()
  }

  /// Publishes what a transaction has staged, after the comparison.
  @GraphActor
  func commit(_ transaction: GraphTransaction) {
    if transaction.isAsync { transactions.replaced.end(transaction) }
    if transaction.changeCount < transaction.writes.count || transaction.hasUndone {
      // They may have seen a staged value that has been taken back.
      invalidateFollowers(of: transaction)
    }
    if transaction.changeCount == 0 {
      passes(.commitsNothing)
      close(transaction)
      deliver()
    } else {
      passes(transaction.changeCount == 1 ? .commitsOneWrite : .commitsManyWrites)
      transaction.commitVersion = version + 1
      // Who still carries it must not be outside before everybody can see its writes.
      let seen = transaction.view.seen
      let watcher = core.pointee.engine.writer
      let marks = seen.isEmpty || watcher == .none ? [] : core.pointee.engine.marks(of: watcher)
      commit(transaction.writes) {
        makeFollowersLook(of: transaction)
        close(transaction)
        if watcher != .none { absorbSeen(seen, by: watcher, markedBefore: marks) }
      }
    }
    transaction.callHandlers(.committed)
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
        let outer = core.pointee.engine.beginWriting(as: write.writer)
        core.pointee.engine.markDependents(of: write.cell.id, madeIn: write.cell.madeInRun)
        core.pointee.engine.endHandler(outer)
      }
    }
    publishNextVersion()
    if let late { _ = late.step(late, .install) }
    whenPublished()
    follow { writes.filter(\.isChange).map(\.cell.identity) }
  }

  /// Brings up to date what the running watcher has seen in the transaction as it is now.
  ///
  /// It is no news to it.
  @GraphActor
  private func absorbSeen(_ seen: [NodeID], by watcher: NodeID, markedBefore marks: NodeFlags) {
    guard !seen.isEmpty else { return }
    passes(.absorbsSeen)
    core.pointee.engine.restoreMarks(of: watcher, to: [])
    for id in seen { bringUpToDate(id) }
    core.pointee.engine.restoreMarks(of: watcher, to: marks)
  }

  /// Discards what a transaction has staged.
  @GraphActor
  func roll(
    back transaction: GraphTransaction, because reason: GraphTransaction.RollbackReason
  ) {
    if isMutated(.commitsOnRollback) {
      compare(transaction)
      return commit(transaction)
    }
    if transaction.isAsync { transactions.replaced.end(transaction) }
    close(transaction)
    invalidateFollowers(of: transaction)
    deliver()
    transaction.callHandlers(.discarded(reason))
  }

  /// Makes those run whom the commit concerns and who have seen what the transaction saw.
  ///
  /// To verify what they have read would not do: the committed values may come back to what they were
  /// before the transaction, which is not what has been seen.
  @GraphActor
  private func makeFollowersLook(of transaction: GraphTransaction) {
    for watcher in transaction.followers
    where watcher.id != .none && !core.pointee.engine.isClean(watcher.id) {
      core.pointee.engine.keepDirty(watcher.id)
    }
  }

  /// Makes those look again who have seen what only the transaction saw.
  @GraphActor
  private func invalidateFollowers(of transaction: GraphTransaction) {
    if isMutated(.forgetsFollowers) { return }
    for watcher in transaction.followers where watcher.id != .none {
      passes(.makesFollowersLook)
      core.pointee.engine.invalidate(watcher.id)
    }
    transaction.followers = []
  }

  @GraphActor
  private func close(_ transaction: GraphTransaction) {
    transaction.close()
    if transaction.isAsync { makerEnded() }
  }
}
