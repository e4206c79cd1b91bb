/// Makes the writes of a body visible together.
///
/// The body's assignments are staged: it reads its own, also through computed nodes, and everybody
/// else reads the committed graph. When the body returns, each written node is compared once,
/// committed value against final staged value, and all that differ become visible in one commit.
/// If nothing differs there is none.
///
/// Calls inside the body join: there is one commit, at the end of the outermost. An error that the
/// outer body catches leaves what was staged; one that leaves the outermost body discards
/// everything.
///
/// ```swift
/// await withGraphTransaction {
///   account.balance -= 10
///   other.balance += 10
/// }
/// ```
///
/// - Parameter body: Writes nodes.
/// - Returns: What the body returns.
/// - Throws: What the body throws; nothing is committed then.
/// - Complexity: O(written nodes) on top of the body and of what the commit marks.
/// - Precondition: No rule, comparison or in-place modification is running.
@GraphActor
public func withGraphTransaction<R>(_ body: @GraphActor () throws -> R) rethrows -> R {
  try Graph.shared.withTransaction(body)
}

/// Makes the writes of a body that may await visible together.
///
/// What holds for a synchronous body holds here. Whatever the body awaits takes part: code on other
/// actors, child tasks, nested transactions; a task that outlives the body acts outside. Other
/// writers are not held up meanwhile. Every attempt reads the graph as of the version at which it
/// began, with its own writes on top, so it never computes with a mix of versions.
///
/// When the body returns, everything that the attempt has read, directly or through computed nodes,
/// is checked. If none of it has changed since, the writes are committed in the same step;
/// otherwise the attempt is discarded and the body runs again. Writes of nodes that were not read
/// meet no conflict. So transactions are serialisable; those that only read, too.
///
/// ```swift
/// let price = try await withGraphTransaction {
///   let price = try await shop.price(of: item.wrappedValue)
///   balance.wrappedValue -= price
///   return price
/// }
/// ```
///
/// A body may run several times: apart from nodes, it should change nothing that lasts, or leave it
/// to `GraphTransaction.onCommit(_:)`. A body that waits with `graphWait(until:)` for what is not
/// the case is discarded, and runs again when something that it has read has changed.
///
/// - Parameters:
///   - maximumAttempts: How often the body may run because of conflicts, at least 1. After a
///     conflict, the next attempt waits its turn behind others that have met one, for a limited
///     time that doubles with each conflict.
///   - body: Reads and writes nodes.
/// - Returns: What the body returned in the attempt that was committed.
/// - Throws: What the body throws; nothing is committed then, and it is not run again.
///   `GraphTransactionError.conflict` after the last attempt. `CancellationError` if the task is
///   cancelled between two attempts.
/// - Complexity: O(nodes read + nodes written) for each attempt, on top of the body and of what the
///   commit marks. Values that others replace meanwhile are kept until the attempt ends.
///
/// **Cancellation:** Up to the body: if it throws, `CancellationError` included, nothing is
/// committed; if it returns, the commit is made.
@GraphActor
public func withGraphTransaction<R: Sendable>(
  maximumAttempts: Int = 8, _ body: @GraphActor @Sendable () async throws -> R
) async throws -> R {
  try await Graph.shared.withAsyncTransaction(maximumAttempts: maximumAttempts, body)
}

extension Graph {
  @GraphActor
  func withTransaction<R>(_ body: @GraphActor () throws -> R) rethrows -> R {
    failIfTransactionIsMistake()
    if let transaction = currentTransaction { return try join(transaction, body) }
    enter()
    let transaction = GraphTransaction(
      beginVersion: core.pointee.version, attempt: 1, isAsync: false)
    core.pointee.transaction = transaction
    let result: R
    do {
      result = try Participation.$ambient.withValue(.transaction(transaction)) { try body() }
    } catch {
      core.pointee.transaction = nil
      roll(back: transaction)
      throw error
    }
    commit(transaction, changes(in: transaction))
    return result
  }

  /// Runs a synchronous body in the transaction that is open already.
  @GraphActor
  private func join<R>(
    _ transaction: GraphTransaction, _ body: @GraphActor () throws -> R
  ) rethrows -> R {
    let outer = core.pointee.transaction
    core.pointee.transaction = transaction
    defer { core.pointee.transaction = outer }
    return try body()
  }

  /// The staged writes that differ from the committed values.
  ///
  /// The comparisons see what the body saw last, and must not write. What they read, the
  /// transaction has read.
  @GraphActor
  private func changes(in transaction: GraphTransaction) -> [AnyStagedWrite] {
    core.pointee.transaction = transaction
    defer { core.pointee.transaction = nil }
    return transaction.writes.filter(\.isChange)
  }

  /// Publishes what a transaction has staged.
  @GraphActor
  private func commit(_ transaction: GraphTransaction, _ changes: [AnyStagedWrite]) {
    end(transaction)
    if changes.count < transaction.writes.count {
      // They may have seen a staged value that has been taken back.
      invalidateFollowers(of: transaction)
    }
    if changes.isEmpty {
      flush()
    } else {
      for write in changes { write.install() }
      transaction.commitVersion = core.pointee.version + 1
      commit(changes.map(\.cell))
    }
    transaction.callHandlers(committed: true)
  }

  /// Discards what a transaction has staged.
  @GraphActor
  private func roll(back transaction: GraphTransaction) {
    end(transaction)
    invalidateFollowers(of: transaction)
    flush()
    transaction.callHandlers(committed: false)
  }

  /// Makes those look again who have seen what only the transaction saw.
  @GraphActor
  private func invalidateFollowers(of transaction: GraphTransaction) {
    for watcher in transaction.followers where watcher.id != .none {
      core.pointee.engine.invalidate(watcher.id)
    }
    transaction.followers = []
  }

  @GraphActor
  private func end(_ transaction: GraphTransaction) {
    transaction.close()
    guard transaction.isAsync else { return }
    core.pointee.replaced.end(transaction)
    core.pointee.participantCount -= 1
  }
}

// MARK: - Bodies that await

extension Graph {
  @GraphActor
  func withAsyncTransaction<R: Sendable>(
    maximumAttempts: Int, _ body: @GraphActor @Sendable () async throws -> R
  ) async throws -> R {
    if maximumAttempts < 1 { fatalError("StateGraph: a transaction needs at least one attempt") }
    failIfTransactionIsMistake()
    guard currentTransaction == nil else { return try await body() }
    let place = Turns.Place()
    defer { core.pointee.turns.leave(place) }
    var conflicts = 0
    while true {
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
          throw GraphTransactionError(
            code: .conflict, attempts: conflicts, changedNodes: changed.map(\.identity))
        }
      case .mustWait(let watcher):
        core.pointee.turns.leave(place)
        try await watcher.waitForChange()
      }
    }
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
    enter()
    let transaction = GraphTransaction(
      beginVersion: core.pointee.version, attempt: number, isAsync: true)
    core.pointee.replaced.begin(transaction)
    core.pointee.participantCount += 1
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
      let watcher = ReadSetWatcher(of: transaction)
      roll(back: transaction)
      return .mustWait(watcher)
    }
    switch result {
    case .failure(let error):
      roll(back: transaction)
      throw error
    case .success(let value):
      let changes = changes(in: transaction)
      let changedReads = transaction.changedReads
      guard changedReads.isEmpty else {
        roll(back: transaction)
        return .conflict(changedReads)
      }
      commit(transaction, changes)
      return .committed(value)
    }
  }
}
