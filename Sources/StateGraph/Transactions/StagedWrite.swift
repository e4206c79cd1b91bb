/// A staged write, without the type of its value.
@usableFromInline
class AnyStagedWrite {
  /// The node that is written.
  @usableFromInline final let cell: NodeCell
  /// Does what needs the type of the value.
  ///
  /// A closure for the same reason as `RuleCell.step`.
  @usableFromInline final let step: Step
  /// Whether the staged value differs from the committed one, as found out at the commit.
  @exclusivity(unchecked)
  final var isChange = false

  /// What `isChange(of:)` has found out.
  @exclusivity(unchecked)
  private final var isKnownChange: Bool?

  @usableFromInline
  typealias Step = @GraphActor @Sendable (AnyStagedWrite, Part) -> Bool

  /// The parts of a commit that need the type of the value.
  @usableFromInline
  enum Part: Sendable {
    /// Says whether the staged value differs from the committed one.
    case compare
    /// Says whether the staged value differs from the one that the node had at a version.
    case compareWithVersion(UInt64)
    /// Makes the staged value the one of the next version.
    case install
  }

  @usableFromInline
  init(cell: NodeCell, step: @escaping Step) {
    self.cell = cell
    self.step = step
  }

  /// Whether the staged value differs from the committed one.
  @GraphActor var differs: Bool { step(self, .compare) }

  /// Whether the staged value is a change of what a transaction has found, so that rules see it.
  ///
  /// It is found out once for each staged value.
  @GraphActor
  func isChange(of version: UInt64) -> Bool {
    if let isKnownChange { return isKnownChange }
    let isChange = step(self, .compareWithVersion(version))
    isKnownChange = isChange
    return isChange
  }

  /// Notes that the staged value has been replaced.
  @usableFromInline
  final func valueChanged() { isKnownChange = nil }
}

/// A staged write.
@usableFromInline
final class StagedWrite<Value: Sendable>: AnyStagedWrite {
  /// The value that was assigned last.
  @exclusivity(unchecked)
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value, to cell: StoredCell<Value>) {
    self.value = value
    super.init(cell: cell) { write, part in
      // SAFETY: A step is only ever called with the write that it was made for.
      let write = unsafeDowncast(write, to: StagedWrite<Value>.self)
      // SAFETY: The initialiser takes no other cell.
      let cell = unsafeDowncast(write.cell, to: StoredCell<Value>.self)
      switch part {
      case .compare:
        return !cell.isSame(cell.value, write.value)
      case .compareWithVersion(let version):
        return !cell.isSame(cell.value(at: version), write.value)
      case .install:
        cell.keepReplaced()
        cell.replace(by: write.value)
        return true
      }
    }
  }
}
