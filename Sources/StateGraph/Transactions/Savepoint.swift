/// Runs a part of a transaction that is undone if it throws.
///
/// An error that leaves the body undoes what the body has staged, and is rethrown; the transaction goes
/// on with what was staged before. So a caller can catch it and try something else:
///
/// ```swift
/// try await withGraphTransaction {
///   for item in items {
///     do { try withGraphSavepoint { try reserve(item) } } catch { skipped.wrappedValue += 1 }
///   }
/// }
/// ```
///
/// A wait that is not fulfilled leaves the body in the same way. If the caller catches that, the
/// transaction does what comes next instead; if that waits, too, the transaction waits for a change of
/// what either of the two has read. That is `orElse` of T. Harris et al., "Composable Memory
/// Transactions", 2005:
///
/// ```swift
/// try await withGraphTransaction {
///   do {
///     try await withGraphSavepoint { try await take(from: express) }
///   } catch GraphTransactionError.waitInside {
///     try await take(from: regular)
///   }
/// }
/// ```
///
/// What the body has read stays read: the transaction has decided by it. Savepoints nest. Child tasks
/// may each have one at the same time: what a savepoint undoes are the assignments of its own body, and
/// of the tasks that this starts and awaits, unless somebody else has assigned to the node since.
///
/// Outside of transactions it is one: `withGraphTransaction`.
///
/// - Parameter body: Reads and writes nodes.
/// - Returns: What the body returns.
/// - Throws: What the body throws; what it has staged is undone then.
/// - Complexity: O(1), and for each node that the body writes, one copy of the staged value before, if
///   there is one. O(staged writes) to undo.
@GraphActor
public func withGraphSavepoint<R, E: Error>(
  _ body: @GraphActor () throws(E) -> R
) throws(E) -> R {
  guard let transaction = Graph.shared.currentTransaction else {
    return try withGraphTransaction(body)
  }
  let savepoint = Savepoint(in: transaction)
  // `withValue` would lose the type of the error.
  let result: Result<R, E> = Savepoint.$ambient.withValue(savepoint) {
    do throws(E) { return .success(try body()) } catch { return .failure(error) }
  }
  switch result {
  case .failure(let error): savepoint.undo(because: error)
  case .success: savepoint.keep()
  }
  return try result.get()
}

/// Runs a part of a transaction that may await, and is undone if it throws.
///
/// What holds for a synchronous body holds here, see `withGraphSavepoint(_:)`.
///
/// - Parameter body: Reads and writes nodes.
/// - Returns: What the body returns.
/// - Throws: What the body throws; what it has staged is undone then.
///
/// **Cancellation:** Up to the body.
@GraphActor
public func withGraphSavepoint<R: Sendable>(
  _ body: @GraphActor @Sendable () async throws -> R
) async throws -> R {
  guard let transaction = Graph.shared.currentTransaction else {
    return try await withGraphTransaction(body)
  }
  let savepoint = Savepoint(in: transaction)
  let result: R
  do {
    result = try await Savepoint.$ambient.withValue(savepoint) { try await body() }
  } catch {
    savepoint.undo(because: error)
    throw error
  }
  savepoint.keep()
  return result
}

/// What a part of a transaction has staged, to be undone.
final class Savepoint: Sendable {
  /// The savepoint in whose body the current task is; may be over.
  @TaskLocal static var ambient: Savepoint?

  /// The transaction.
  let transaction: GraphTransaction
  /// The savepoint around it, in the same transaction.
  private let outer: Savepoint?
  /// What undoes its assignments, the oldest first.
  @GraphActor private var undoings: [Undoing] = []
  /// Whether its body is running.
  @GraphActor private var isOpen = true

  /// What undoes an assignment.
  private struct Undoing {
    let write: AnyStagedWrite
    /// The staged value before; nil if there was none.
    var before: Before?
  }

  /// A staged value that has been replaced.
  private struct Before {
    /// The savepoint in whose body it was assigned.
    let savepoint: Savepoint?
    let restore: @GraphActor () -> Void
  }

  @GraphActor
  init(in transaction: GraphTransaction) {
    passes(.opensSavepoint)
    self.transaction = transaction
    outer = transaction.currentSavepoint
    transaction.savepoints.append(self)
  }

  /// The savepoint that undoes what this one has kept: itself while its body is running, then the one
  /// around it; nil if only the transaction does.
  @GraphActor var resolved: Savepoint? {
    var savepoint = self
    while !savepoint.isOpen {
      guard let outer = savepoint.outer else { return nil }
      savepoint = outer
    }
    return savepoint
  }

  /// Ends it; what it has staged belongs to the savepoint around it.
  @GraphActor
  func keep() {
    close()
    resolved?.undoings += undoings
    undoings = []
  }

  @GraphActor
  private func close() {
    isOpen = false
    transaction.savepoints.removeAll { $0 === self }
  }

  /// Ends it, and undoes what it has staged.
  @GraphActor
  func undo(because error: any Error) {
    defer { close() }
    let undoings = undoings
    self.undoings = []
    guard transaction.isOpen, !isMutated(.keepsUndone) else { return }
    passes(.undoesSavepoint)
    var removed: [AnyStagedWrite] = []
    for undoing in undoings.reversed() {
      guard undoing.write.savepoint?.resolved === self else {
        // Somebody has assigned since; if that is undone, too, this must not come back.
        for other in transaction.savepoints { other.passOver(self, with: undoing) }
        continue
      }
      switch undoing.before {
      case nil: removed.append(undoing.write)
      case let before?:
        Graph.shared.withoutOwnWrites { before.restore() }
        undoing.write.savepoint = before.savepoint
      }
    }
    Graph.shared.withoutOwnWrites { transaction.remove(removed) }
    transaction.writesChanged()
    transaction.hasUndone = true
    let reason: GraphTransaction.RollbackReason =
      switch error {
      case is CancellationError: .cancelled
      case GraphTransactionError.waitInside: .waiting
      default: .error(error)
      }
    transaction.forgetWaits(of: self)
    transaction.callHandlers(of: self, reason)
  }

  /// Forgets an assignment that another savepoint undoes: what this one would bring back is what was
  /// there before.
  @GraphActor
  private func passOver(_ undone: Savepoint, with undoing: Undoing) {
    for index in undoings.indices
    where undoings[index].write === undoing.write
      && undoings[index].before?.savepoint?.resolved === undone
    {
      undoings[index].before = undoing.before
    }
  }

  /// Notes that a node without a staged value is written.
  @GraphActor
  fileprivate func noteAdded(_ write: AnyStagedWrite) {
    undoings.append(Undoing(write: write, before: nil))
  }

  /// Notes that a staged value is replaced that somebody else has assigned.
  @GraphActor
  fileprivate func noteReplaced(_ write: AnyStagedWrite) {
    let before = Before(savepoint: write.savepoint, restore: write.copy())
    undoings.append(Undoing(write: write, before: before))
  }
}

extension GraphTransaction {
  /// The innermost savepoint of the running code.
  @GraphActor var currentSavepoint: Savepoint? {
    guard !savepoints.isEmpty, let ambient = Savepoint.ambient, ambient.transaction === self else {
      return nil
    }
    return ambient.resolved
  }

  /// Notes that a node without a staged value is written, while a savepoint is open.
  @GraphActor
  func noteAdded(_ write: AnyStagedWrite) {
    guard let savepoint = currentSavepoint else { return }
    write.savepoint = savepoint
    savepoint.noteAdded(write)
  }

  /// Notes that a staged value is about to be replaced, while a savepoint is open.
  @GraphActor
  func noteReplaced(_ write: AnyStagedWrite) {
    let savepoint = currentSavepoint
    guard write.savepoint?.resolved !== savepoint else { return }
    savepoint?.noteReplaced(write)
    write.savepoint = savepoint
  }
}
