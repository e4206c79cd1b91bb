/// What open transactions have in common.
struct TransactionState: ~Copyable {
  /// What they may still read although it has been replaced.
  var replaced = ReplacedValues()
  /// Which of them go first on which nodes, after a conflict.
  var claims = Claims<NodeCell>()
}

extension Graph {
  private static let transactionState = PartState(TransactionState())

  /// What open transactions have in common.
  @GraphActor var transactions: TransactionState {
    _read { yield Self.transactionState.state }
    nonmutating _modify { yield &Self.transactionState.state }
  }

  /// The transaction in which the running code acts.
  @GraphActor
  @usableFromInline
  var currentTransaction: GraphTransaction? {
    openTransaction.map {
      // SAFETY: There are no other transactions.
      unsafeDowncast($0, to: GraphTransaction.self)
    }
  }
}
