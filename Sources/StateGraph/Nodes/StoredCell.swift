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
    if graph.core.pointee.transaction != nil { return readStaged() }
    return value
  }

  /// Assigns: commits, or stages if a transaction is open.
  @GraphActor
  @inlinable
  package func write(_ newValue: Value) {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    guard graph.core.pointee.transaction == nil else { return stage(newValue) }
    let old = value
    if isEqual.map({ $0(old, newValue) }) != true {
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
  /// The value as the open transaction sees it.
  @GraphActor
  @usableFromInline
  func readStaged() -> Value {
    guard let write = graph.core.pointee.transaction?.write(to: self) else { return value }
    // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
    return unsafeDowncast(write, to: StagedWrite<Value>.self).value
  }

  /// Assigns in the open transaction.
  @GraphActor
  @usableFromInline
  func stage(_ newValue: Value) {
    guard let transaction = graph.core.pointee.transaction else {
      preconditionFailure("a write was staged without a transaction")
    }
    let old: Value
    if let write = transaction.write(to: self) {
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      let write = unsafeDowncast(write, to: StagedWrite<Value>.self)
      old = write.value
      write.value = newValue
      transaction.writesChanged()
    } else {
      old = value
      transaction.add(StagedWrite(newValue, to: self))
    }
    if let handler = didSet { graph.withoutTracking { handler(old, newValue) } }
  }
}
