// What a transaction calls at its end: in the committing step, after the commit, after a rollback.

extension GraphTransaction {
  /// Why an attempt has been discarded.
  public enum RollbackReason: Sendable {
    /// Others have changed what it had read; the body runs again.
    case conflict
    /// Others have changed what it had read, and it was the last attempt; the call throws.
    case lastConflict
    /// The body, or a closure of `atCommit(_:)`, has thrown; so does the call.
    case error(any Error)
    /// The body has thrown `CancellationError`; so does the call.
    case cancelled
    /// The body waits for what is not the case; it runs again when something that it has read has
    /// changed.
    case waiting
  }

  /// Calls a closure in the step that commits the transaction.
  ///
  /// When the body has returned and nothing that it has read has changed, the closures are called in
  /// the order of the calls, as a part of the transaction: they read the newest values, with what the
  /// transaction has staged on top, and what they write is committed with the rest. Nothing can come
  /// in between, so what they read cannot meet a conflict. That is the place to increment a counter, or
  /// to check the stock once more after a slow body:
  ///
  /// ```swift
  /// try await withGraphTransaction {
  ///   try await payments.charge(order)
  ///   try GraphTransaction.current?.atCommit {
  ///     guard stock.wrappedValue > 0 else { throw ShopError.soldOut }
  ///     stock.wrappedValue -= 1
  ///   }
  /// }
  /// ```
  ///
  /// Each closure runs once in the attempt that is committed, and not at all in those that meet a
  /// conflict; one that it asks for itself is called at once. What it writes is not held back for transactions
  /// that have met a conflict, as other commits are.
  ///
  /// A transaction with a synchronous body is one such step from its beginning on: there the closure is
  /// called at once.
  ///
  /// - Parameter body: Reads and writes nodes; the actor does nothing else meanwhile, so it should be
  ///   quick. If it throws, everything is discarded, and the call of `withGraphTransaction` throws.
  /// - Throws: `GraphTransactionError.outlived` if the transaction is over; in a synchronous body, what
  ///   the closure throws.
  @GraphActor
  public func atCommit(_ body: @escaping @GraphActor @Sendable () throws -> Void) throws {
    guard isOpen else {
      throw GraphTransactionError(code: .outlived, attempts: attempt, changedNodes: [])
    }
    guard isAsync, !isClosing else { return try body() }
    handlers.closing.append((currentSavepoint, body))
  }

  /// Calls a handler after the commit.
  ///
  /// It is called once, outside of the transaction, in the order of the calls; what it writes is
  /// committed next. It is also called if the transaction has changed nothing. It is not called
  /// for an attempt that is discarded, or a part of it that a savepoint undoes.
  ///
  /// A task that outlives the transaction may come too late: then it is called at once if the
  /// transaction has been committed, and never if not.
  ///
  /// - Parameter handler: Is called on the actor. It should be quick.
  @GraphActor
  public func onCommit(_ handler: @escaping @GraphActor @Sendable () -> Void) {
    switch handlers.outcome {
    case nil: handlers.committed.append((currentSavepoint, handler))
    case .committed: Graph.shared.handling(nil, label: Self.handlerLabel, handler)
    case .discarded: return
    }
  }

  /// Calls a handler when the attempt has been discarded, by an error, a conflict or a wait.
  ///
  /// It is called once for each attempt that has asked for it, outside of the transaction, in the
  /// order of the calls. If the attempt has been discarded already, it is called at once. One that was
  /// asked for in a savepoint is called when that is undone.
  ///
  /// - Parameter handler: Is given the reason, on the actor. It should be quick.
  @GraphActor
  public func onRollback(
    _ handler: @escaping @GraphActor @Sendable (RollbackReason) -> Void
  ) {
    switch handlers.outcome {
    case nil: handlers.discarded.append((currentSavepoint, handler))
    case .committed: return
    case .discarded(let reason):
      Graph.shared.handling(nil, label: Self.handlerLabel) { handler(reason) }
    }
  }

  /// Calls a handler when the attempt has been discarded, whatever the reason.
  ///
  /// - Parameter handler: Is called on the actor. It should be quick.
  @GraphActor
  public func onRollback(_ handler: @escaping @GraphActor @Sendable () -> Void) {
    onRollback { _ in handler() }
  }

  /// What messages call the handlers.
  private static var handlerLabel: StaticString { "a handler of a transaction" }

  /// Calls the closures of `atCommit`, as a part of the transaction.
  ///
  /// - Precondition: Nothing that it has read has changed.
  @GraphActor
  func callClosing() throws {
    guard !handlers.closing.isEmpty else { return }
    passes(.callsAtCommit)
    catchUpWithCommitted()
    isClosing = true
    try Participation.$ambient.withValue(.transaction(self)) {
      try Graph.shared.acting(in: self) {
        for (_, body) in handlers.closing { try body() }
      }
    }
    handlers.closing = []
  }

  /// Calls the handlers of the outcome, and lets go of all.
  @GraphActor
  func callHandlers(_ outcome: TransactionHandlers.Outcome) {
    let ended = handlers
    handlers = TransactionHandlers(outcome: outcome)
    Graph.shared.withoutOwnWrites { letGo() }
    switch outcome {
    case .committed:
      guard !ended.committed.isEmpty else { return }
      Graph.shared.handling(nil, label: Self.handlerLabel) {
        for (_, handler) in ended.committed { handler() }
      }
    case .discarded(let reason): call(ended.discarded, reason)
    }
  }

  /// Forgets what was asked for in a savepoint, which has been undone, and says so.
  @GraphActor
  func callHandlers(of savepoint: Savepoint, _ reason: RollbackReason) {
    handlers.closing.removeAll { $0.savepoint?.resolved === savepoint }
    handlers.committed.removeAll { $0.savepoint?.resolved === savepoint }
    let discarded = handlers.discarded.filter { $0.savepoint?.resolved === savepoint }
    handlers.discarded.removeAll { $0.savepoint?.resolved === savepoint }
    Graph.shared.actingForNobody { call(discarded, reason) }
  }

  @GraphActor
  private func call(
    _ discarded: [TransactionHandlers.Entry<RollbackReason>], _ reason: RollbackReason
  ) {
    guard !discarded.isEmpty else { return }
    Graph.shared.handling(nil, label: Self.handlerLabel) {
      for (_, handler) in discarded { handler(reason) }
    }
  }
}

/// What a transaction calls at its end.
struct TransactionHandlers {
  /// How a transaction has ended.
  enum Outcome {
    case committed
    case discarded(GraphTransaction.RollbackReason)
  }

  /// A handler, and the savepoint in which it was asked for.
  typealias Entry<Input> = (
    savepoint: Savepoint?, handler: @GraphActor @Sendable (Input) -> Void
  )

  /// How the transaction has ended; nil until the handlers are called.
  var outcome: Outcome?
  /// Called in the committing step.
  var closing: [(savepoint: Savepoint?, handler: @GraphActor @Sendable () throws -> Void)] = []
  /// Called after the commit.
  var committed: [(savepoint: Savepoint?, handler: @GraphActor @Sendable () -> Void)] = []
  /// Called after a rollback.
  var discarded: [Entry<GraphTransaction.RollbackReason>] = []
}
