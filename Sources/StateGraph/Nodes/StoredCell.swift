public import Synchronization

/// The cell of a stored node.
///
/// Its value is in a box that readers outside of the actor find through `published`. A node of plain
/// data that has not been written since it was made needs none.
@usableFromInline
// SAFETY: Mutable state is isolated to GraphActor; the rest is atomic, or Sendable and constant.
package final class StoredCell<Value: Sendable>: NodeCell, ValueCell, @unchecked Sendable {
  /// The value that the node was made with, if it is plain data; current as long as there is no box.
  @usableFromInline let first: Value?
  /// The number of boxes in the ring.
  @exclusivity(unchecked)
  @usableFromInline var boxCount: UInt8 = 0
  /// What the body of an `update` works on, which would overwrite any other write.
  @exclusivity(unchecked)
  @usableFromInline var updateTarget = UpdateTarget.nothing
  /// Whether the comparison is code of the user, which belongs to the actor.
  @usableFromInline let isOwnComparison: Bool
  /// The address of the box with the committed value; see `BoxLink`.
  @usableFromInline let published: Atomic<UInt>
  /// The oldest box of the ring, which owns its boxes: those that have been replaced, the oldest
  /// first, and the published one.
  @exclusivity(unchecked)
  @usableFromInline var oldest: BoxLink
  /// When a new value counts as unchanged; never, if nil.
  @usableFromInline package let isEqual: Comparison<Value>?
  /// The handler of assignments.
  @exclusivity(unchecked)
  @usableFromInline var didSet: (@GraphActor (_ old: Value, _ new: Value) -> Void)?

  @inlinable
  init(
    _ value: Value, origin: NodeOrigin, isEqual: Comparison<Value>?, isOwnComparison: Bool = false
  ) {
    self.isEqual = isEqual
    self.isOwnComparison = isOwnComparison
    if Self.isPlain {
      first = value
      oldest = .none
    } else {
      first = nil
      oldest = BoxLink(ValueBox.allocate(value, from: 0, previous: .none))
      boxCount = 1
    }
    published = Atomic(oldest.address)
    super.init(origin: origin)
  }

  @inlinable deinit {
    freeBoxes()
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
    guard graph.isOrdinary, updateTarget == .nothing, didSet == nil,
      !isMutated(.publishesVersionEarly)
    else { return writeWithCare(newValue) }
    if isUnchanged(by: newValue) { return passes(.cutOffAtSource) }
    replace(by: newValue)
    graph.commitAlone(self)
  }

  /// Assigns when something is unusual.
  @GraphActor
  @inlinable
  @inline(never)
  func writeWithCare(_ newValue: Value) {
    graph.prepareToWrite(self)
    guard updateTarget == .nothing else { failReentrantWrite() }
    if graph.mayParticipate, let transaction = graph.currentTransaction {
      return stage(newValue, in: transaction)
    }
    guard didSet == nil else { return writeAndTell(newValue) }
    if isUnchanged(by: newValue) { return passes(.cutOffAtSource) }
    keepReplaced()
    replace(by: newValue)
    graph.commit(self)
  }

  /// Assigns, and tells the handler of assignments.
  @GraphActor
  @usableFromInline
  func writeAndTell(_ newValue: Value) {
    var old: Value? = value
    let isEqual = isUnchanged(by: newValue)
    if !isEqual {
      keepReplaced()
      replace(by: newValue)
      graph.commit(self)
    } else {
      passes(.cutOffAtSource)
    }
    if let handler = didSet, let old { callHandler(handler, old, newValue, isEqual: isEqual) }
    // What the end of the value writes is no own write of who assigns.
    graph.withoutOwnWrites { old = nil }
  }

  /// Whether a new value counts as the committed one.
  ///
  /// Apart from `write`, which must not hold the old value when it is replaced: its end may write.
  @GraphActor
  @inlinable
  func isUnchanged(by newValue: Value) -> Bool { isSame(value, newValue) }

  /// Whether a new value counts as unchanged.
  @GraphActor
  @inlinable
  func isSame(_ old: Value, _ new: Value) -> Bool {
    guard let isEqual else { return false }
    return isEqual(old, new) || isMutated(.missesChange)
  }

  /// Reads for code that has come from outside.
  @GraphActor
  @inlinable
  func visit() -> Value {
    graph.arrive()
    return read()
  }

  /// Assigns for code that has come from outside.
  @GraphActor
  @inlinable
  func assign(_ newValue: Value) {
    write(newValue)
  }

  /// Modifies the committed value and tells nobody.
  ///
  /// On a copy: readers outside of the actor may be reading the value.
  @GraphActor
  func unsafeModify<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    graph.prepareToWrite(self)
    guard updateTarget == .nothing else { failReentrantWrite() }
    return try graph.withWriteBan(.modifying(origin)) {
      passes(.modifiesCopy)
      var new = value
      defer { replace(by: new, from: graph.version) }
      return try body(&new)
    }
  }

  @usableFromInline
  func failReentrantWrite() -> Never {
    fatalError("StateGraph: \(origin) is written by the body of its own update")
  }
}

// MARK: - Updates

/// What the body of an `update` works on.
@usableFromInline
enum UpdateTarget: UInt8 {
  /// No body of the node is running.
  case nothing
  /// The committed value, or a copy of it that is assigned when the body has returned.
  case committed
  /// The value that a transaction has staged.
  case staged
}

extension StoredCell {
  /// Replaces the value by one that the body makes from it.
  @GraphActor
  func update<R, E: Error>(
    _ body: @GraphActor (inout Value) throws(E) -> R
  ) throws(E) -> R {
    graph.prepareToWrite(self)
    guard updateTarget == .nothing else { failReentrantWrite() }
    if let transaction = graph.currentTransaction { return try update(in: transaction, body) }
    passes(.updatesCopy)
    var new = value
    let result = try whileUpdating(.committed) { () throws(E) -> R in try body(&new) }
    write(new)
    return result
  }

  /// Changes the staged value in place.
  ///
  /// - Complexity: That of the body, plus one copy for the first write of the node, and one for each
  ///   body that can throw or whose change is told to a handler: these need the value before.
  @GraphActor
  private func update<R, E: Error>(
    in transaction: GraphTransaction, _ body: @GraphActor (inout Value) throws(E) -> R
  ) throws(E) -> R {
    passes(.updatesStaged)
    // Before the body: what it reads of the nodes downstream must not come from memos or the cache.
    let write = stagedWrite(in: transaction)
    let handler = didSet
    let old: Value? = handler == nil && E.self == Never.self ? nil : write.value
    let result: R
    do throws(E) {
      result = try whileUpdating(.staged) { () throws(E) -> R in try body(&write.value) }
    } catch {
      if let old, !isMutated(.keepsThrownUpdate) { write.value = old }
      throw error
    }
    write.isAssigned = true
    if let handler, let old {
      let new = write.value
      callHandler(handler, old, new, isEqual: isSame(old, new))
    }
    return result
  }

  /// The staged write of the node, added with the value that the transaction sees if there is none.
  @GraphActor
  private func stagedWrite(in transaction: GraphTransaction) -> StagedWrite<Value> {
    if let write = transaction.write(to: self) {
      passes(.stagesAgain)
      transaction.willReplace(write)
      write.valueChanged()
      transaction.writesChanged()
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      return unsafeDowncast(write, to: StagedWrite<Value>.self)
    }
    passes(.stagesFirst)
    let write = StagedWrite(read(in: transaction), to: self)
    write.isAssigned = false
    transaction.add(write)
    return write
  }

  @GraphActor
  private func whileUpdating<R, E: Error>(
    _ target: UpdateTarget, _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    updateTarget = target
    defer { updateTarget = .nothing }
    return try body()
  }

  @usableFromInline
  func failReentrantRead() -> Never {
    fatalError(
      "StateGraph: \(origin) is read by the body of its own update, which changes the staged value")
  }
}

// MARK: - Handlers of assignments

extension StoredCell {
  /// Tells a handler of an assignment.
  ///
  /// An equal assignment that the handler causes itself, directly or through others, is not told to
  /// it again: so two nodes that copy each other come to rest.
  @GraphActor
  @usableFromInline
  func callHandler(
    _ handler: @escaping @GraphActor (Value, Value) -> Void, _ old: Value, _ new: Value,
    isEqual: Bool
  ) {
    if isEqual, graph.isHandlingAssignment(to: self) { return passes(.sparesHandler) }
    graph.handlingAssignment(to: self) { handler(old, new) }
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
  @usableFromInline
  func read(in transaction: GraphTransaction) -> Value {
    if let write = transaction.write(to: self), isSeen(write, in: transaction) {
      guard updateTarget != .staged else { failReentrantRead() }
      passes(.readsOwnWrite)
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      return unsafeDowncast(write, to: StagedWrite<Value>.self).value
    }
    guard let replaced = transaction.read(self) else {
      passes(.readsCommitted)
      return value
    }
    passes(.readsReplaced)
    // SAFETY: `keepReplaced` is the only one to make such a value for a cell.
    return unsafeDowncast(replaced, to: ReplacedValue<Value>.self).value
  }

  /// The value as a transaction sees it, without having read it.
  @GraphActor
  @usableFromInline
  func peek(in transaction: GraphTransaction) -> Value {
    guard let write = transaction.write(to: self) else {
      return value(at: transaction.beginVersion)
    }
    // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
    return unsafeDowncast(write, to: StagedWrite<Value>.self).value
  }

  /// Whether the running code sees what a transaction has assigned.
  ///
  /// Code of the transaction does. A rule sees what the commit would make of it: the value before, if
  /// the new one counts as unchanged.
  @GraphActor
  private func isSeen(_ write: AnyStagedWrite, in transaction: GraphTransaction) -> Bool {
    let running = graph.core.pointee.engine.running
    guard running != .none, graph.core.pointee.engine.isDerived(running) else { return true }
    return write.isChange(of: transaction.beginVersion)
  }

  /// The value that the node had at a version, at which an open transaction began.
  @GraphActor
  @usableFromInline
  func value(at version: UInt64) -> Value {
    guard let replaced = graph.transactions.replaced.value(of: self, at: version) else {
      return value
    }
    // SAFETY: `keepReplaced` is the only one to make such a value for a cell.
    return unsafeDowncast(replaced, to: ReplacedValue<Value>.self).value
  }

  /// Assigns in a transaction.
  @GraphActor
  @inlinable
  func stage(_ newValue: Value, in transaction: GraphTransaction) {
    // A write reads nothing, and so meets no conflict; what its handler is told is no read, either.
    let old = didSet == nil ? nil : peek(in: transaction)
    if let write = transaction.write(to: self) {
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      let write = unsafeDowncast(write, to: StagedWrite<Value>.self)
      transaction.willReplace(write)
      write.value = newValue
      write.isAssigned = true
      write.valueChanged()
      passes(.stagesAgain)
      transaction.writesChanged()
    } else {
      passes(.stagesFirst)
      transaction.add(StagedWrite(newValue, to: self))
    }
    if let handler = didSet, let old {
      callHandler(handler, old, newValue, isEqual: isSame(old, newValue))
    }
  }

  /// Keeps the committed value, which the next version replaces, if an open transaction can still
  /// need it.
  @GraphActor
  @inlinable
  func keepReplaced() {
    if graph.hasParticipants { keepReplacedIfNeeded() }
  }

  @GraphActor
  @usableFromInline
  func keepReplacedIfNeeded() {
    guard !graph.transactions.replaced.isIdle else { return }
    graph.transactions.replaced.keep(ReplacedValue(value, of: self, until: graph.version + 1))
  }
}
