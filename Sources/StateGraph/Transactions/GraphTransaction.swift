/// A transaction: writes that become visible together or not at all.
///
/// It is found through a task-local value. That value is an identity with a closed state: a task
/// that outlives the body still carries it and yet acts outside of every transaction.
///
/// **Isolation:** The state belongs to `GraphActor`.
@usableFromInline
package final class GraphTransaction: Sendable {
  /// The transaction in whose body the task was when it was last asked, open or closed.
  @TaskLocal static var ambient: GraphTransaction?

  /// Whether the body is running and writes are staged.
  @GraphActor private(set) var isOpen = true
  /// The staged writes, one per node, in the order of the first write.
  @GraphActor private(set) var writes: [AnyStagedWrite] = []
  /// Where the write of a cell is in `writes`.
  @GraphActor private var places: [ObjectIdentifier: Int] = [:]
  /// What computed nodes look like from inside.
  @GraphActor var view = StagedView()

  nonisolated init() {}

  /// The staged write of a node, if there is one.
  @GraphActor
  func write(to cell: NodeCell) -> AnyStagedWrite? {
    places[ObjectIdentifier(cell)].map { writes[$0] }
  }

  /// Adds the first write of a node.
  @GraphActor
  func add(_ write: AnyStagedWrite) {
    places[ObjectIdentifier(write.cell)] = writes.count
    writes.append(write)
    view.reach(from: write.cell)
    view.forgetMemos()
  }

  /// Notes that a staged value has been replaced.
  @GraphActor
  func writesChanged() {
    view.forgetMemos()
  }

  /// Keeps the staged value of a computed node; nil if it is the cached value.
  @GraphActor
  @usableFromInline
  func memoise(_ value: AnyStagedValue?, of id: NodeID) {
    view.memoise(value, of: id)
  }

  /// Ends the transaction: whoever still carries it acts outside from here on.
  @GraphActor
  func close() {
    isOpen = false
  }
}

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

  /// Makes the staged value the committed one, and keeps the old one until the write is dropped.
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
    storedCell.isEqual.map { $0(storedCell.value, value) } != true
  }

  override func install() {
    swap(&storedCell.value, &value)
  }
}
