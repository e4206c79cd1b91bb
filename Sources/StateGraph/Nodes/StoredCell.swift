/// The cell of a stored node.
@usableFromInline
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
package final class StoredCell<Value: Sendable>: NodeCell, ValueCell, @unchecked Sendable {
  /// The committed value.
  ///
  /// No exclusivity checks: no code of the user runs during an access.
  @exclusivity(unchecked)
  @usableFromInline var value: Value
  /// When a new value counts as unchanged; never, if nil.
  @usableFromInline package let isEqual: Comparison<Value>?
  /// The handler of assignments.
  @exclusivity(unchecked)
  @usableFromInline var didSet: (@GraphActor (_ old: Value, _ new: Value) -> Void)?
  /// Whether an `update` of this node is under way, which would overwrite any other write.
  @exclusivity(unchecked)
  @usableFromInline var isUpdating = false

  @usableFromInline
  init(_ value: Value, origin: NodeOrigin, isEqual: Comparison<Value>?) {
    self.value = value
    self.isEqual = isEqual
    super.init(origin: origin)
  }

  /// The value that the running code sees; a tracked read.
  @GraphActor
  @inlinable
  package func read() -> Value {
    if graph.core.pointee.engine.reader != .none {
      if id == .none { graph.register(self) }
      graph.core.pointee.engine.recordRead(of: id)
    }
    if graph.mayParticipate { return readParticipating() }
    return value
  }

  /// Assigns: commits, or stages if a transaction is open.
  @GraphActor
  @inlinable
  package func write(_ newValue: Value) {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    if graph.mayParticipate, let transaction = graph.currentTransaction {
      return stage(newValue, in: transaction)
    }
    let old = value
    if isEqual.map({ $0(old, newValue) }) != true {
      if graph.mayParticipate { keepReplaced() }
      value = newValue
      graph.commit(self)
    }
    if let handler = didSet { graph.withoutTracking { handler(old, newValue) } }
  }

  /// Reads for code that has come from outside.
  @GraphActor
  func visit() -> Value {
    graph.enter()
    return read()
  }

  /// Assigns for code that has come from outside.
  @GraphActor
  func assign(_ newValue: Value) {
    write(newValue)
  }

  /// Replaces the value by one that the body makes from it.
  @GraphActor
  func update<R>(_ body: @GraphActor (inout Value) throws -> R) rethrows -> R {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    var new = graph.withoutTracking { read() }
    isUpdating = true
    let result: R
    do {
      defer { isUpdating = false }
      result = try body(&new)
    }
    write(new)
    return result
  }

  /// Modifies the committed value and tells nobody.
  @GraphActor
  func modifyInPlace<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    return try graph.withWriteBan(.modifying(origin)) { try body(&value) }
  }

  @usableFromInline
  func failReentrantWrite() -> Never {
    fatalError("StateGraph: \(origin) is written by the body of its own update")
  }
}

// MARK: - Transactions

extension StoredCell {
  /// The value as the transaction sees it that may be open; for an async rule, a tracked read.
  @GraphActor
  @usableFromInline
  func readParticipating() -> Value {
    guard let transaction = graph.currentTransaction else {
      graph.recordAsyncRead(of: self)
      return value
    }
    return read(in: transaction)
  }

  /// The value as a transaction sees it.
  @GraphActor
  private func read(in transaction: GraphTransaction) -> Value {
    if let write = transaction.write(to: self) {
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      return unsafeDowncast(write, to: StagedWrite<Value>.self).value
    }
    guard let replaced = transaction.read(self) else { return value }
    // SAFETY: `keepReplaced` is the only one to make such a value for a cell.
    return unsafeDowncast(replaced, to: ReplacedValue<Value>.self).value
  }

  /// Assigns in a transaction.
  @GraphActor
  @usableFromInline
  func stage(_ newValue: Value, in transaction: GraphTransaction) {
    // A write without a handler reads nothing, and so meets no conflict.
    let old = didSet == nil ? nil : read(in: transaction)
    if let write = transaction.write(to: self) {
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      unsafeDowncast(write, to: StagedWrite<Value>.self).value = newValue
      transaction.writesChanged()
    } else {
      transaction.add(StagedWrite(newValue, to: self))
    }
    if let handler = didSet, let old { graph.withoutTracking { handler(old, newValue) } }
  }

  /// Keeps the committed value, which the next version replaces, if an open transaction can still
  /// need it.
  @GraphActor
  @usableFromInline
  func keepReplaced() {
    guard !graph.core.pointee.replaced.isIdle else { return }
    graph.core.pointee.replaced.keep(ReplacedValue(value, of: self, until: graph.version + 1))
  }
}
