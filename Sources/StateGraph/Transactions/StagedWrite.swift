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
  /// Whether the transaction has assigned a value; an `update` that threw leaves what it has read.
  @exclusivity(unchecked)
  @usableFromInline final var isAssigned = true

  /// The watcher whose closure has assigned last; none if that was other code.
  @exclusivity(unchecked)
  private(set) final var writer: NodeID

  /// The savepoint in whose body the value was assigned.
  @exclusivity(unchecked)
  @GraphActor final var savepoint: Savepoint?

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
    writer = cell.graph.core.pointee.engine.writer
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

  /// Forgets what `isChange(of:)` has found out: the transaction reads another version.
  @GraphActor
  func forgetComparison() {
    isKnownChange = nil
  }

  /// Copies the staged value.
  ///
  /// - Returns: What brings it back.
  @GraphActor
  func copy() -> @GraphActor () -> Void {
    preconditionFailure("a staged write without a value was copied")
  }

  /// Notes that the staged value has been replaced.
  @usableFromInline
  final func valueChanged() {
    valueChanged(by: cell.graph.core.pointee.engine.writer)
  }

  /// Notes that the staged value has been replaced by one that a watcher has assigned.
  final func valueChanged(by writer: NodeID) {
    isKnownChange = nil
    self.writer = writer
  }
}

/// A staged write.
@usableFromInline
final class StagedWrite<Value: Sendable>: AnyStagedWrite {
  /// The value that was assigned last; an `update` changes it in place.
  @exclusivity(unchecked)
  @usableFromInline var value: Value

  /// Makes a write.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - cell: The node.
  ///   - step: Does what needs the type of the node.
  @inlinable
  init(_ value: Value, to cell: NodeCell, step: @escaping Step) {
    self.value = value
    super.init(cell: cell, step: step)
  }

  override func copy() -> @GraphActor () -> Void {
    let (value, isAssigned, savedWriter) = (value, isAssigned, writer)
    return {
      self.value = value
      self.isAssigned = isAssigned
      self.valueChanged(by: savedWriter)
    }
  }
}
