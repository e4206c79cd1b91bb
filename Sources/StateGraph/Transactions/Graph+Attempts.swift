// Bodies that await: attempts, what they have read, and the next attempt after a conflict.

extension Graph {
  @GraphActor
  func withAsyncTransaction<R: Sendable>(
    maximumAttempts: Int, _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> R {
    if maximumAttempts < 1 { fatalError("StateGraph: a transaction needs at least one attempt") }
    failIfTransactionIsMistake()
    if let transaction = currentTransaction { return try await join(transaction, body) }
    var conflicts = 0
    var claim: Claims<NodeCell>.Claim?
    defer { if let claim { transactions.claims.end(claim) } }
    while true {
      if let claim {
        passes(.retriesAfterConflict)
        await waitForOlderClaims(claim)
        try Task.checkCancellation()
      }
      let isLast = conflicts + 1 == maximumAttempts
      switch try await attempt(number: conflicts + 1, isLast: isLast, claim, body) {
      case .committed(let result):
        return result
      case .conflict(let lost, let transactionReads):
        conflicts += 1
        guard !isLast else {
          passes(.usesUpAttempts)
          throw GraphTransactionError(
            code: .conflict, attempts: conflicts, changedNodes: lost.map(\.identity))
        }
        claim = extend(
          claim, to: conflicts > 1 ? transactionReads : lost, afterConflicts: conflicts)
      case .mustWait(let watcher):
        if let claim { transactions.claims.end(claim) }
        claim = nil
        try await watcher.waitForChange()
      }
    }
  }

  /// Runs a body in the transaction that is open already.
  @GraphActor
  private func join<R: Sendable>(
    _ transaction: GraphTransaction, _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> R {
    passes(.joinsAsyncTransaction)
    let result = try await body()
    guard transaction.isOpen else {
      passes(.outlivesTransaction)
      throw GraphTransactionError(
        code: .outlived, attempts: transaction.attempt, changedNodes: [])
    }
    return result
  }

  /// How an attempt has ended.
  private enum AttemptOutcome<R: Sendable> {
    /// The writes have been committed.
    case committed(R)
    /// Nodes have changed since the attempt read them.
    ///
    /// - Parameters:
    ///   - lost: These nodes.
    ///   - reads: All that the attempt has read.
    case conflict(lost: [NodeCell], reads: [NodeCell])
    /// The body needs something to change first.
    case mustWait(ReadSetWatcher)
  }

  @GraphActor
  private func attempt<R: Sendable>(
    number: Int, isLast: Bool, _ claim: Claims<NodeCell>.Claim?,
    _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> AttemptOutcome<R> {
    arrive()
    let transaction = GraphTransaction(
      beginVersion: version, attempt: number, isAsync: true, number: makerBegan())
    transactions.replaced.begin(transaction)
    let result: Result<R, any Error>
    do {
      let value = try await Participation.$ambient.withValue(.transaction(transaction)) {
        try await body()
      }
      if !transactions.claims.isEmpty { await waitForClaims(onWritesOf: transaction, claim) }
      result = .success(value)
    } catch {
      result = .failure(error)
    }
    // Awaiting a caller's code must not have left the actor (swiftlang/swift#88993).
    GraphActor.shared.preconditionIsolated()
    return try conclude(transaction, result, isLast: isLast)
  }

  /// Validates and publishes, or discards, in one step.
  @GraphActor
  private func conclude<R: Sendable>(
    _ transaction: GraphTransaction, _ result: Result<R, any Error>, isLast: Bool
  ) throws -> AttemptOutcome<R> {
    switch result {
    case .failure(GraphTransactionError.waitInside):
      passes(.waitsInside)
      let watcher = ReadSetWatcher(of: transaction)
      roll(back: transaction, because: .waiting)
      return .mustWait(watcher)
    case .failure(let error):
      passes(.rollsBackOnError)
      roll(back: transaction, because: error is CancellationError ? .cancelled : .error(error))
      throw error
    case .success where !transaction.unfulfilledWaits.isEmpty:
      passes(.findsCaughtWait)
      let error = GraphTransactionError(
        code: .caughtWait, attempts: transaction.attempt, changedNodes: [])
      roll(back: transaction, because: .error(error))
      throw error
    case .success(let value):
      compare(transaction)
      let lost = isMutated(.skipsValidation) ? [] : transaction.changedReads
      guard lost.isEmpty else {
        passes(.rollsBackOnConflict)
        let reads = Array(transaction.reads.values)
        roll(back: transaction, because: isLast ? .lastConflict : .conflict)
        return .conflict(lost: lost, reads: reads)
      }
      do {
        try transaction.callClosing()
      } catch {
        passes(.rollsBackOnError)
        roll(back: transaction, because: .error(error))
        throw error
      }
      if transaction.isClosing { compare(transaction) }
      commit(transaction)
      return .committed(value)
    }
  }
}
