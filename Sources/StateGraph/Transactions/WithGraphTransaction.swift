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

extension Graph {
  @GraphActor
  func withTransaction<R>(_ body: @GraphActor () throws -> R) rethrows -> R {
    let running = core.pointee.engine.running
    if running != .none, !core.pointee.engine.isWatcher(running) {
      failTransaction(inRuleOf: running)
    }
    if let ban = core.pointee.writeBan { failTransaction(during: ban) }
    guard core.pointee.transaction == nil else { return try body() }
    enter()
    let transaction = GraphTransaction()
    core.pointee.transaction = transaction
    do {
      let result = try GraphTransaction.$ambient.withValue(transaction) { try body() }
      commit(transaction)
      return result
    } catch {
      transaction.close()
      core.pointee.transaction = nil
      throw error
    }
  }

  /// Publishes what a transaction has staged.
  @GraphActor
  private func commit(_ transaction: GraphTransaction) {
    // The comparisons see what the body saw last, and must not write.
    let changes = transaction.writes.filter(\.isChange)
    transaction.close()
    core.pointee.transaction = nil
    guard !changes.isEmpty else { return }
    for write in changes { write.install() }
    commit(changes.map(\.cell))
  }
}
