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
  /// Whether an `update` of this node is under way, which would overwrite any other write.
  @exclusivity(unchecked)
  @usableFromInline var isUpdating = false
  /// Whether the comparison is code of the user, which belongs to the actor.
  @usableFromInline let isOwnComparison: Bool
  /// Whether somebody reads the node who cannot wait, so that there must always be a value.
  @usableFromInline let isReadSynchronously = Atomic(false)
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
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
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
    if let handler = didSet, let old { tell(handler, old, newValue, isEqual: isEqual) }
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

  /// Replaces the value by one that the body makes from it.
  @GraphActor
  func update<R, E: Error>(
    _ body: @GraphActor (inout Value) throws(E) -> R
  ) throws(E) -> R {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    // Also if the body throws, or makes no change.
    defer { graph.updateEnded() }
    // What a body that throws has changed could not be taken back.
    if E.self == Never.self, canUpdateInPlace, let box = take() {
      passes(.updatesInPlace)
      return try updateInPlace(box, body)
    }
    passes(.updatesCopy)
    var new = graph.withoutTracking { read() }
    let result = try whileUpdating { () throws(E) -> R in try body(&new) }
    write(new)
    return result
  }

  @usableFromInline
  func failReentrantWrite() -> Never {
    fatalError("StateGraph: \(origin) is written by the body of its own update")
  }
}

// MARK: - Changing in place

extension StoredCell {
  /// Modifies the committed value and tells nobody.
  @GraphActor
  func modifyInPlace<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    graph.prepareToWrite(self)
    guard !isUpdating else { failReentrantWrite() }
    return try graph.withWriteBan(.modifying(origin)) {
      if let box = take() {
        passes(.modifiesInPlace)
        defer { giveBack(box) }
        return try whileChangingInPlace { () throws in try body(&box.pointee.value) }
      }
      passes(.modifiesCopy)
      var new = value
      defer { replace(by: new, from: graph.version) }
      return try body(&new)
    }
  }

  /// Whether nobody needs the value that an update replaces.
  @GraphActor private var canUpdateInPlace: Bool {
    guard self.didSet == nil, graph.currentTransaction == nil else { return false }
    return !graph.core.pointee.replaced.needsValue(of: self) || isMutated(.updatesNeeded)
  }

  @GraphActor
  private func updateInPlace<R, E: Error>(
    _ box: UnsafeMutablePointer<ValueBox<Value>>,
    _ body: @GraphActor (inout Value) throws(E) -> R
  ) throws(E) -> R {
    let result = try whileUpdating { () throws(E) -> R in
      try whileChangingInPlace { () throws(E) -> R in try body(&box.pointee.value) }
    }
    box.pointee.from = graph.version + 1
    box.pointee.previous = .taken
    giveBack(box)
    graph.commit(self)
    return result
  }

  @GraphActor
  private func whileUpdating<R, E: Error>(_ body: @GraphActor () throws(E) -> R) throws(E) -> R {
    isUpdating = true
    graph.core.pointee.updateDepth += 1
    defer {
      isUpdating = false
      graph.core.pointee.updateDepth -= 1
    }
    return try body()
  }

  /// Runs a body during which nobody can read the value.
  @GraphActor
  private func whileChangingInPlace<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let core = graph.core
    let outer = core.pointee.placeOfUpdate.exchange(placeOnStack(), ordering: .relaxed)
    defer { core.pointee.placeOfUpdate.store(outer, ordering: .relaxed) }
    return try body()
  }
}

// MARK: - Handlers of assignments

extension StoredCell {
  /// Tells a handler of an assignment; after the update, if one is under way.
  ///
  /// An equal assignment that the handler causes itself, directly or through others, is not told to
  /// it again: so two nodes that copy each other come to rest.
  @GraphActor
  @usableFromInline
  func tell(
    _ handler: @escaping @GraphActor (Value, Value) -> Void, _ old: Value, _ new: Value,
    isEqual: Bool
  ) {
    if isEqual, graph.isHandlingAssignment(to: self) { return passes(.sparesHandler) }
    guard graph.core.pointee.updateDepth == 0 else {
      graph.core.pointee.postponedAssignments.append { [self] in
        graph.handlingAssignment(to: self) { handler(old, new) }
      }
      return
    }
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
    guard let replaced = graph.core.pointee.replaced.value(of: self, at: version) else {
      return value
    }
    // SAFETY: `keepReplaced` is the only one to make such a value for a cell.
    return unsafeDowncast(replaced, to: ReplacedValue<Value>.self).value
  }

  /// Assigns in a transaction.
  @GraphActor
  @inlinable
  func stage(_ newValue: Value, in transaction: GraphTransaction) {
    // A write without a handler reads nothing, and so meets no conflict.
    let old = didSet == nil ? nil : read(in: transaction)
    if let write = transaction.write(to: self) {
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      unsafeDowncast(write, to: StagedWrite<Value>.self).value = newValue
      write.valueChanged()
      passes(.stagesAgain)
      transaction.writesChanged()
    } else {
      passes(.stagesFirst)
      transaction.add(StagedWrite(newValue, to: self))
    }
    if let handler = didSet, let old {
      tell(handler, old, newValue, isEqual: isSame(old, newValue))
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
    guard !graph.core.pointee.replaced.isIdle else { return }
    graph.core.pointee.replaced.keep(ReplacedValue(value, of: self, until: graph.version + 1))
  }
}
