// What readers outside of the actor can see.

extension Graph {
  /// Whether the current task should let others have its thread before it reads on.
  @inlinable package func isYieldDue() -> Bool { core.pointee.readers.isYieldDue() }

  /// Takes away from readers what has been published and marked since the last call.
  ///
  /// - Complexity: O(such nodes).
  @GraphActor
  func unpublishMarked() {
    while let id = core.pointee.engine.takeUnpublished() {
      // SAFETY: Only computed nodes are published in the engine.
      unsafeDowncast(cell(of: id), to: RuleCell.self).unpublish()
    }
  }

  /// Makes a derived node look again at its next read, although nothing has been committed, and takes
  /// what depends on it away from readers outside of the actor.
  ///
  /// - Complexity: O(nodes downstream that are not marked).
  @GraphActor
  func invalidateDerived(_ id: NodeID) {
    core.pointee.engine.invalidateDerived(id)
    unpublishMarked()
  }
}
