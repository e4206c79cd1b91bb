/// The cell of a stored node whose value is changed in place.
///
/// The value is not published: only code on the actor reads it, so nobody can be reading while it
/// changes.
@usableFromInline
// SAFETY: Mutable state is isolated to GraphActor; the rest is what `NodeCell` has.
package final class StoredInPlaceCell<Value: Sendable>: NodeCell, ValueCell, @unchecked Sendable {
  /// The committed value.
  ///
  /// No exclusivity checks: `updateTarget` guards it while code of the user changes it.
  @exclusivity(unchecked)
  var value: Value
  /// What a change in place works on at the moment, which nobody can read.
  @exclusivity(unchecked)
  var updateTarget = UpdateTarget.nothing

  init(_ value: Value, origin: NodeOrigin) {
    self.value = value
    super.init(origin: origin)
  }

  /// Nothing counts as unchanged.
  @usableFromInline package var isEqual: Comparison<Value>? { nil }

  // MARK: - Reads

  /// The value that the running code sees; a tracked read.
  @GraphActor
  @usableFromInline
  package func read() -> Value {
    recordRead()
    guard graph.mayParticipate else { return committed }
    guard let transaction = graph.currentTransaction else {
      graph.recordAsyncRead(of: self)
      return committed
    }
    return read(in: transaction)
  }

  /// Reads for code that has come from outside.
  @GraphActor
  func visit() -> Value {
    graph.arrive()
    return read()
  }

  @GraphActor
  private func recordRead() {
    guard graph.core.pointee.engine.reader != .none else { return }
    if id == .none { graph.register(self) }
    graph.core.pointee.engine.recordRead(of: id)
  }

  /// The committed value, if it is not being changed.
  @GraphActor private var committed: Value {
    guard updateTarget != .committed else { failReentrantRead() }
    return value
  }

  /// The value as a transaction sees it.
  @GraphActor
  private func read(in transaction: GraphTransaction) -> Value {
    if let write = transaction.write(to: self) {
      guard updateTarget != .staged else { failReentrantRead() }
      passes(.readsOwnWrite)
      // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
      return unsafeDowncast(write, to: StagedWrite<Value>.self).value
    }
    guard let replaced = transaction.read(self) else {
      passes(.readsCommitted)
      return committed
    }
    passes(.readsReplaced)
    // SAFETY: `keepReplaced` is the only one to make such a value for a cell.
    return unsafeDowncast(replaced, to: ReplacedValue<Value>.self).value
  }

  // MARK: - Writes

  /// Assigns: commits, or stages if a transaction is open.
  @GraphActor
  func write(_ newValue: Value) {
    prepareToChange()
    if let transaction = graph.currentTransaction { return stage(newValue, in: transaction) }
    keepReplaced()
    var old: Value? = value
    value = newValue
    graph.commit(self)
    // The destructor of the old value may write. It follows the commit, and is no own write.
    graph.withoutOwnWrites { _ = old.take() }
  }

  /// Assigns for code that has come from outside.
  @GraphActor
  func assign(_ newValue: Value) {
    write(newValue)
  }

  @GraphActor
  private func stage(_ newValue: Value, in transaction: GraphTransaction) {
    guard let write = transaction.write(to: self) else {
      passes(.stagesFirst)
      return transaction.add(StagedWrite(newValue, to: self))
    }
    passes(.stagesAgain)
    transaction.willReplace(write)
    // SAFETY: The write that a transaction keeps for a cell is of the cell's type.
    unsafeDowncast(write, to: StagedWrite<Value>.self).value = newValue
    write.valueChanged()
    transaction.writesChanged()
  }

  @GraphActor
  private func prepareToChange() {
    guard updateTarget == .nothing else { failReentrantWrite() }
    graph.prepareToWrite(self)
  }

  /// Keeps the committed value if an open transaction can still need it: then a change in place has
  /// to copy it.
  @GraphActor
  func keepReplaced() {
    guard graph.hasParticipants, !graph.transactions.replaced.isIdle,
      !isMutated(.updatesNeeded)
    else { return }
    graph.transactions.replaced.keep(ReplacedValue(value, of: self, until: graph.version + 1))
  }

  private func failReentrantWrite() -> Never {
    fatalError("StateGraph: \(origin) is written while it is changed in place")
  }

  func failReentrantRead() -> Never {
    fatalError("StateGraph: \(origin) is read while it is changed in place")
  }
}

// MARK: - Changes in place

extension StoredInPlaceCell {
  /// Changes the value in place, and commits also if the body throws.
  @GraphActor
  func update<R, E: Error>(
    _ body: @GraphActor (inout Value) throws(E) -> R
  ) throws(E) -> R {
    let write = beginChange()
    defer { endChange(write) }
    guard let write else { return try body(&value) }
    return try body(&write.value)
  }

  /// Makes the value, or the one that a transaction stages, unreadable until `endChange`.
  ///
  /// Until then nothing can be written, so the version stays what it is.
  ///
  /// - Returns: The staged write whose value is to be changed; nil outside of transactions.
  @GraphActor
  func beginChange() -> StagedWrite<Value>? {
    prepareToChange()
    var write: StagedWrite<Value>?
    if let transaction = graph.currentTransaction {
      passes(.updatesStaged)
      write = stagedWrite(in: transaction)
      updateTarget = .staged
    } else {
      passes(.updatesInPlace)
      keepReplaced()
      // A computed node that is read meanwhile must not be served from its cache, or it would depend
      // on the cache whether a body may read it.
      if id != .none, !isMutated(.marksUpdateLate) {
        graph.mark { graph.core.pointee.engine.markDependents(of: id, madeIn: madeInRun) }
      }
      updateTarget = .committed
    }
    graph.core.pointee.machine.beginModifying(origin)
    return write
  }

  /// Commits a change in place, unless a transaction has staged it.
  @GraphActor
  func endChange(_ write: StagedWrite<Value>?) {
    graph.core.pointee.machine.endModifying()
    updateTarget = .nothing
    if write == nil { graph.commit(self) }
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
    transaction.add(write)
    return write
  }

  /// The value for an access that changes it in place; a tracked read, and a write.
  @GraphActor var changing: Value {
    get { read() }
    _modify {
      recordRead()
      let write = beginChange()
      defer { endChange(write) }
      if let write {
        yield &write.value
      } else {
        yield &value
      }
    }
  }

  /// Modifies the committed value in place and tells nobody.
  @GraphActor
  func unsafeModify<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    prepareToChange()
    passes(.modifiesInPlace)
    updateTarget = .committed
    defer { updateTarget = .nothing }
    return try graph.withWriteBan(.modifying(origin)) { try body(&value) }
  }
}
