/// A staged write, without the type of its value.
@usableFromInline
class AnyStagedWrite {
  /// The node that is written.
  final let cell: NodeCell

  init(cell: NodeCell) {
    self.cell = cell
  }

  /// Whether the staged value differs from the committed one.
  @GraphActor var isChange: Bool { preconditionFailure("a write without a value") }

  /// Makes the staged value the one of the next version.
  @GraphActor func install() {}
}

/// A staged write.
@usableFromInline
final class StagedWrite<Value: Sendable>: AnyStagedWrite {
  /// The value that was assigned last.
  @GraphActor var value: Value

  @GraphActor
  init(_ value: Value, to cell: StoredCell<Value>) {
    self.value = value
    super.init(cell: cell)
  }

  private var storedCell: StoredCell<Value> {
    // SAFETY: The initialiser takes no other cell.
    unsafeDowncast(cell, to: StoredCell<Value>.self)
  }

  override var isChange: Bool {
    !storedCell.isSame(storedCell.value, value)
  }

  override func install() {
    storedCell.keepReplaced()
    storedCell.replace(by: value)
  }
}
