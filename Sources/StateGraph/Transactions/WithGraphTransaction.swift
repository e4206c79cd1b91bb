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
public func withGraphTransaction<R, E: Error>(
  _ body: @GraphActor () throws(E) -> R
) throws(E) -> R {
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
///     conflict, the transaction goes first on the nodes that it lost on, see `Docs/TRANSACTIONS.md`.
///   - body: Reads and writes nodes.
/// - Returns: What the body returned in the attempt that was committed.
/// - Throws: What the body throws; nothing is committed then, and it is not run again.
///   `GraphTransactionError.conflict` after the last attempt. `GraphTransactionError.outlived` if
///   the body has joined a transaction of which it is not a part to the end. `CancellationError` if the task is
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

/// Makes the writes of a body that may await visible together, or gives up after a while.
///
/// What holds without a limit of time holds here, see `withGraphTransaction(maximumAttempts:_:)`. When
/// the time is up, the body, or the wait between two attempts, is cancelled. If the body returns all
/// the same and nothing that it has read has changed, the commit is made, and the call returns.
///
/// - Parameters:
///   - maximumAttempts: How often the body may run because of conflicts, at least 1.
///   - timeout: How long the call may take, with all attempts and all waits.
///   - body: Reads and writes nodes. It runs in a child task.
/// - Returns: What the body returned in the attempt that was committed.
/// - Throws: `GraphTransactionError.timedOut` if the time was up before; otherwise what
///   `withGraphTransaction(maximumAttempts:_:)` throws.
///
/// **Cancellation:** Up to the body, as without a limit.
@GraphActor
public func withGraphTransaction<R: Sendable>(
  maximumAttempts: Int = 8, timeout: Duration,
  _ body: @escaping @GraphActor @Sendable () async throws -> R
) async throws -> R {
  let progress = TransactionProgress()
  let result = await GraphTasks.withTimeout(timeout) { () async -> Result<R, any Error> in
    do {
      return .success(
        try await Graph.shared.withAsyncTransaction(maximumAttempts: maximumAttempts) {
          progress.attempts = GraphTransaction.current?.attempt ?? 1
          return try await body()
        })
    } catch {
      return .failure(error)
    }
  }
  if case .failure = result.value, result.isLate {
    throw GraphTransactionError(
      code: .timedOut, attempts: progress.attempts, changedNodes: [])
  }
  return try result.value.get()
}

/// How far a transaction has come.
private final class TransactionProgress: Sendable {
  /// The number of the latest attempt; 0 if none has begun.
  @GraphActor var attempts = 0
}
