// What a commit does with the staged write of each kind of node.

extension StagedWrite {
  /// Makes a write of a node.
  @inlinable
  convenience init(_ value: Value, to cell: StoredCell<Value>) {
    self.init(value, to: cell as NodeCell) { write, part in
      // SAFETY: A step is only ever called with the write that it was made for.
      let write = unsafeDowncast(write, to: StagedWrite<Value>.self)
      // SAFETY: The initialiser takes no other cell.
      let cell = unsafeDowncast(write.cell, to: StoredCell<Value>.self)
      switch part {
      case .compare:
        guard cell.updateTarget != .staged else { cell.failReentrantRead() }
        return write.isAssigned && !cell.isSame(cell.value, write.value)
      case .compareWithVersion(let version):
        guard cell.updateTarget != .staged else { cell.failReentrantRead() }
        return write.isAssigned && !cell.isSame(cell.value(at: version), write.value)
      case .install:
        cell.keepReplaced()
        cell.replace(by: write.value)
        return true
      }
    }
  }

  /// Makes a write of a node whose values are not compared.
  convenience init(_ value: Value, to cell: StoredInPlaceCell<Value>) {
    self.init(value, to: cell as NodeCell) { write, part in
      // SAFETY: A step is only ever called with the write that it was made for.
      let write = unsafeDowncast(write, to: StagedWrite<Value>.self)
      // SAFETY: The initialiser takes no other cell.
      let cell = unsafeDowncast(write.cell, to: StoredInPlaceCell<Value>.self)
      switch part {
      case .compare, .compareWithVersion:
        guard cell.updateTarget != .staged else { cell.failReentrantRead() }
        return true
      case .install:
        cell.keepReplaced()
        // The transaction lets go of the old value when everybody has been told, and holds no
        // reference to the new one, which would make the next change in place copy it.
        swap(&cell.value, &write.value)
        return true
      }
    }
  }
}
