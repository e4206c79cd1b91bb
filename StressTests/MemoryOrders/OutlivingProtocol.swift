/// A task that still carries a transaction while that ends, as `GraphTransaction` has it: if it acts
/// outside because the transaction is over, it sees what the transaction has committed.
struct OutlivingProtocol {
  let orders: AtomicOrders

  // MARK: - Locations

  private static let version = 0
  private static let isOver = 1

  /// All executions.
  var executions: Executions {
    Executions(values: [0, 0], threads: [commit, read])
  }

  private func commit(_ strand: inout Strand) throws {
    try strand.store(1, to: Self.version, orders[.storeVersion])
    try strand.store(1, to: Self.isOver, orders[.close])
  }

  private func read(_ strand: inout Strand) throws {
    guard try strand.load(Self.isOver, orders[.askWhetherOpen]) == 1 else { return }
    guard try strand.load(Self.version, orders[.loadVersion]) == 1 else {
      throw Fault("the transaction is over, and its commit is not seen")
    }
  }
}
