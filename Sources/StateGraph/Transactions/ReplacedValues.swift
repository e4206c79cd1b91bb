/// The values that commits have replaced and that open transactions can still read.
///
/// A transaction with an async body reads the graph as of the version at which it began. A value
/// that held from version *f* until version *u* is needed by the transactions that began in
/// [*f*, *u*). So it is kept only if the youngest open transaction began at *f* or later, and that
/// one keeps it; when it ends, the value goes to the next older one if that needs it too, and is
/// dropped otherwise. With no transaction open, nothing is kept and a commit pays one comparison.
struct ReplacedValues {
  /// The open transactions with an async body, the youngest last.
  private var open: [GraphTransaction] = []
  /// What is kept of each cell, the oldest first.
  private var values: [ObjectIdentifier: [AnyReplacedValue]] = [:]

  /// Whether no transaction needs anything.
  var isIdle: Bool { open.isEmpty }

  /// The number of values kept.
  var count: Int { values.values.reduce(0) { $0 + $1.count } }

  /// The number of values kept of one node.
  func count(of id: GraphNodeID) -> Int {
    values.values.first { $0.first?.cell.identity == id }?.count ?? 0
  }

  /// Notes that a transaction reads the graph as of the current version from now on.
  mutating func begin(_ transaction: GraphTransaction) {
    open.append(transaction)
  }

  /// Lets go of what only this transaction could still need.
  ///
  /// - Complexity: O(values that it keeps + open transactions).
  @GraphActor
  mutating func end(_ transaction: GraphTransaction) {
    guard let place = open.lastIndex(where: { $0 === transaction }) else { return }
    open.remove(at: place)
    let older = place > 0 ? open[place - 1] : nil
    for value in transaction.kept {
      if let older, older.beginVersion >= value.from {
        passes(.handsReplacedOn)
        older.kept.append(value)
      } else {
        passes(.letsReplacedGo)
        drop(value)
      }
    }
    transaction.kept = []
  }

  /// Whether an open transaction can still need the current value of a cell.
  @GraphActor
  func needsValue(of cell: NodeCell) -> Bool {
    guard let youngest = open.last else { return false }
    return youngest.beginVersion >= start(of: cell)
  }

  /// The version from which on the current value of a cell has held.
  ///
  /// Without an older value, it has held since before the oldest open transaction began.
  private func start(of cell: NodeCell) -> UInt64 {
    values[ObjectIdentifier(cell)]?.last?.until ?? 0
  }

  /// Keeps a value that the commit of a version replaces, if a transaction can still need it.
  ///
  /// - Complexity: O(1).
  @GraphActor
  mutating func keep(_ value: AnyReplacedValue) {
    guard let youngest = open.last, !isMutated(.dropsReplacedValues) else { return }
    let key = ObjectIdentifier(value.cell)
    value.from = start(of: value.cell)
    guard youngest.beginVersion >= value.from else { return passes(.dropsReplaced) }
    passes(.keepsReplaced)
    values[key, default: []].append(value)
    youngest.kept.append(value)
  }

  /// The value that a cell had at a version, if it has been replaced since.
  ///
  /// - Precondition: A transaction that began at the version is open.
  /// - Complexity: O(values kept of the cell).
  @GraphActor
  func value(of cell: NodeCell, at version: UInt64) -> AnyReplacedValue? {
    guard let kept = values[ObjectIdentifier(cell)] else { return nil }
    return kept.first { $0.until > version }
  }

  @GraphActor
  private mutating func drop(_ value: AnyReplacedValue) {
    let key = ObjectIdentifier(value.cell)
    values[key]?.removeAll { $0 === value }
    if values[key]?.isEmpty == true { values[key] = nil }
  }
}

/// A replaced value, without its type.
@usableFromInline
class AnyReplacedValue {
  /// The node that had it; kept, so that no other cell can take its address meanwhile.
  final let cell: NodeCell
  /// The first version that it belonged to, or an earlier one at which nobody looks.
  @GraphActor final var from: UInt64 = 0
  /// The version that replaced it.
  final let until: UInt64

  init(cell: NodeCell, until: UInt64) {
    self.cell = cell
    self.until = until
  }
}

/// A replaced value.
@usableFromInline
final class ReplacedValue<Value: Sendable>: AnyReplacedValue {
  let value: Value

  init(_ value: Value, of cell: NodeCell, until: UInt64) {
    self.value = value
    super.init(cell: cell, until: until)
  }
}
