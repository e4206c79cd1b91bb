// Bodies that await: attempts, what they have read, and the next attempt after a conflict.

extension Graph {
  @GraphActor
  func withAsyncTransaction<R: Sendable>(
    maximumAttempts: Int, _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> R {
    if maximumAttempts < 1 { fatalError("StateGraph: a transaction needs at least one attempt") }
    failIfTransactionIsMistake()
    if let transaction = currentTransaction { return try await join(transaction, body) }
    let place = Turns.Place()
    defer { transactions.turns.leave(place) }
    var conflicts = 0
    while true {
      if conflicts > 0 { passes(.retriesAfterConflict) }
      if conflicts == 0 {
        await waitToBegin()
      } else {
        await takeTurn(place, afterConflicts: conflicts)
        try Task.checkCancellation()
      }
      switch try await attempt(number: conflicts + 1, body) {
      case .committed(let result):
        return result
      case .conflict(let changed):
        conflicts += 1
        guard conflicts < maximumAttempts else {
          passes(.usesUpAttempts)
          throw GraphTransactionError(
            code: .conflict, attempts: conflicts, changedNodes: changed.map(\.identity))
        }
      case .mustWait(let watcher):
        transactions.turns.leave(place)
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
    /// These nodes have changed since the attempt read them.
    case conflict([NodeCell])
    /// The body needs something to change first.
    case mustWait(ReadSetWatcher)
  }

  @GraphActor
  private func attempt<R: Sendable>(
    number: Int, _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> AttemptOutcome<R> {
    arrive()
    let transaction = GraphTransaction(
      beginVersion: version, attempt: number, isAsync: true)
    transactions.replaced.begin(transaction)
    participantBegan()
    let result: Result<R, any Error>
    do {
      let value = try await Participation.$ambient.withValue(.transaction(transaction)) {
        try await body()
      }
      result = .success(value)
    } catch {
      result = .failure(error)
    }
    // Awaiting a caller's code must not have left the actor (swiftlang/swift#88993).
    GraphActor.shared.preconditionIsolated()
    return try conclude(transaction, result)
  }

  /// Validates and publishes, or discards, in one step.
  @GraphActor
  private func conclude<R: Sendable>(
    _ transaction: GraphTransaction, _ result: Result<R, any Error>
  ) throws -> AttemptOutcome<R> {
    if transaction.mustWait {
      passes(.waitsInside)
      let watcher = ReadSetWatcher(of: transaction)
      roll(back: transaction)
      return .mustWait(watcher)
    }
    switch result {
    case .failure(let error):
      passes(.rollsBackOnError)
      roll(back: transaction)
      throw error
    case .success(let value):
      compare(transaction)
      let changedReads = isMutated(.skipsValidation) ? [] : transaction.changedReads
      guard changedReads.isEmpty else {
        passes(.rollsBackOnConflict)
        roll(back: transaction)
        return .conflict(changedReads)
      }
      commit(transaction)
      return .committed(value)
    }
  }
}
