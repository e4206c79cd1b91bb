/// Tells a transaction that has to wait when something that it has read has changed.
// SAFETY: Adds a Sendable constant to what `WatcherCell` has.
final class ReadSetWatcher: WatcherCell, @unchecked Sendable {
  private let slot = WaitSlot<Void>()
  /// Tells the nodes that the attempt has made from others.
  private let attempt: RunNumber

  /// Begins to watch, in the same step in which the transaction is discarded.
  @GraphActor
  init(of transaction: GraphTransaction) {
    attempt = transaction.number
    super.init(label: "a transaction that waits")
    graph.register(self)
    if !transaction.changedReads.isEmpty {
      passes(.missesNoChangeBeforeWait)
      slot.signal()
    }
    for cell in transaction.reads.values where !cell.isRemoved { graph.watch(cell, by: self) }
    for cell in transaction.awaited where !cell.isRemoved {
      // An edge needs a node that is up to date.
      graph.withoutRemovals { graph.actingForNobody { _ = graph.evaluate(cell) } }
      graph.core.pointee.engine.recordLateRead(of: cell.id, by: id)
    }
  }

  /// Waits until something has changed since the attempt began.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, at once.
  func waitForChange() async throws {
    defer { graph.release(self) }
    if case .cancelled = await slot.wait(isolation: nil) { throw CancellationError() }
  }

  /// The end of a node that the attempt has made is no change of what it has read.
  override func inherits(fromMadeIn run: RunNumber) -> Bool { run == attempt }

  override func notified() {
    guard graph.bringUpToDate(id) else { return }
    passes(.wakesFromWait)
    graph.core.pointee.engine.keepDirty(id)
    slot.signal()
  }
}
