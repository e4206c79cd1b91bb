/// A cell that has no value: it reads others and is told when they may have changed.
@usableFromInline
// SAFETY: Adds no state; that of the subclasses is isolated to GraphActor.
package class WatcherCell: NodeCell, @unchecked Sendable {
  /// Makes a watcher.
  ///
  /// - Parameter label: What messages call it.
  init(label: String) {
    super.init(origin: NodeOrigin(name: label, fileID: #fileID, line: #line))
  }

  /// Makes a watcher that messages call by its place or its name.
  @usableFromInline
  override init(origin: NodeOrigin) {
    super.init(origin: origin)
  }

  override var kind: Engine.Kind { .watcher }

  /// Whether somebody wants to know what the watcher reads, so that async rules upstream have to run.
  @GraphActor var isDemanding: Bool { true }

  /// Something that the watcher reads, or something upstream of it, has been marked.
  ///
  /// Called during the flush of a commit. The watcher is not told again until it has looked.
  @GraphActor func notified() {
    preconditionFailure("a watcher that cannot be notified was notified")
  }

  /// A node that the watcher reads has lost its last owner and is about to be removed.
  ///
  /// Whoever follows the node can take its value for the last time. Afterwards the watcher is
  /// notified like after a change.
  @GraphActor func dependencyWillGo() {}
}

extension Graph {
  /// Makes a watcher follow a node.
  ///
  /// - Precondition: The node is current.
  @GraphActor
  @usableFromInline
  func watch(_ cell: NodeCell, by watcher: WatcherCell) {
    if cell.id == .none { register(cell) }
    if watcher.id == .none { register(watcher) }
    core.pointee.engine.watch(cell.id, by: watcher.id)
  }
}
