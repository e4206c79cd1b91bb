public import Synchronization

/// The cell of a computed node.
@usableFromInline
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
package final class ComputedCell<Value: Sendable>: RuleCell, ValueCell, @unchecked Sendable {
  /// The value that the rule returned last; nil before the first run.
  ///
  /// No exclusivity checks: no code of the user runs during an access.
  @exclusivity(unchecked)
  @usableFromInline var cached: Value?
  /// When a new value counts as unchanged; never, if nil.
  @usableFromInline package let isEqual: Comparison<Value>?
  /// The address of the box that readers outside of the actor can see, or 0.
  @usableFromInline let published: Atomic<UInt>
  /// Whether somebody reads the node who cannot await, so that every result has to be published.
  @usableFromInline let isReadSynchronously = Atomic(false)
  /// Whether the value was given and there is no rule.
  private let isConstant: Bool

  @usableFromInline
  init(origin: NodeOrigin, isEqual: Comparison<Value>?, step: @escaping Step) {
    self.isEqual = isEqual
    self.isConstant = false
    published = Atomic(BoxLink.none.address)
    super.init(origin: origin, step: step)
  }

  init(constant: Value, origin: NodeOrigin) {
    cached = constant
    isEqual = nil
    isConstant = true
    // Never marked, so published for good.
    published = Atomic(
      BoxLink(ValueBox.allocate(constant, from: 0, previous: .none)).address)
    super.init(origin: origin) { cell, _ in
      preconditionFailure("the constant \(cell.origin) was marked (I4)")
    }
  }

  override func unpublish() {
    let link = BoxLink(address: published.load(ordering: .relaxed))
    published.store(BoxLink.none.address, ordering: .relaxed)
    if let box = link.box(of: Value.self) { graph.retire(box) }
  }

  deinit {
    ValueBox<Value>.free(BoxLink(address: published.load(ordering: .relaxed)))
  }

  override var kind: Engine.Kind { isConstant ? .source : .derived }

  /// Makes the typed step of a node: run the rule, compare, store.
  ///
  /// - Returns: A closure that expects a cell of this type.
  @inlinable
  static func step(
    _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Value,
    isEqual: Comparison<Value>?
  ) -> Step {
    let rule = unisolated(rule)
    let isEqual = isEqual.map(unisolated)
    return { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      let cell = unsafeDowncast(cell, to: ComputedCell<Value>.self)
      var context = GraphContext()
      return cell.accept(rule(&context), isEqual: isEqual, evaluation)
    }
  }

  /// Makes the typed step of a node whose values are compared by `==`.
  ///
  /// - Returns: A closure that expects a cell of this type.
  @inlinable
  static func step(
    _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Value
  ) -> Step where Value: Equatable {
    let rule = unisolated(rule)
    return { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      let cell = unsafeDowncast(cell, to: ComputedCell<Value>.self)
      var context = GraphContext()
      return cell.accept(rule(&context), evaluation)
    }
  }

  @inlinable
  static func unisolated(
    _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Value
  ) -> @Sendable (inout GraphContext) -> Value {
    // SAFETY: Steps are called on the actor. Isolation is no part of a closure's representation.
    unsafeBitCast(rule, to: (@Sendable (inout GraphContext) -> Value).self)
  }

  @inlinable
  static func unisolated(
    _ isEqual: @escaping Comparison<Value>
  ) -> @Sendable (Value, Value) -> Bool {
    // SAFETY: See above.
    unsafeBitCast(isEqual, to: (@Sendable (Value, Value) -> Bool).self)
  }

  /// Makes the typed step of a node whose rule takes no context.
  ///
  /// - Returns: A closure that expects a cell of this type.
  @inlinable
  static func step(
    _ rule: @escaping @GraphActor @Sendable () -> Value, isEqual: Comparison<Value>?
  ) -> Step {
    // SAFETY: As for `unisolated`.
    let rule = unsafeBitCast(rule, to: (@Sendable () -> Value).self)
    let isEqual = isEqual.map(unisolated)
    return { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      unsafeDowncast(cell, to: ComputedCell<Value>.self).accept(
        rule(), isEqual: isEqual, evaluation)
    }
  }

  /// Makes the typed step of a node whose rule takes no context and whose values are compared by `==`.
  ///
  /// - Returns: A closure that expects a cell of this type.
  @inlinable
  static func step(_ rule: @escaping @GraphActor @Sendable () -> Value) -> Step
  where Value: Equatable {
    // SAFETY: As for `unisolated`.
    let rule = unsafeBitCast(rule, to: (@Sendable () -> Value).self)
    return { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      unsafeDowncast(cell, to: ComputedCell<Value>.self).accept(rule(), evaluation)
    }
  }

  /// Makes the typed step of a node that says what its value is in a cycle.
  ///
  /// - Returns: A closure that expects a cell of this type.
  static func step(
    _ rule: @escaping @GraphActor @Sendable (inout GraphContext) -> Value,
    onCycle fallback: @escaping @GraphActor @Sendable ([GraphNodeID]) -> Value,
    isEqual: Comparison<Value>?
  ) -> Step {
    let rule = unisolated(rule)
    let isEqual = isEqual.map(unisolated)
    return { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      let cell = unsafeDowncast(cell, to: ComputedCell<Value>.self)
      if case .provisional = evaluation {
        GraphActor.assumingIsolation {
          cell.graph.keepProvisional(StagedValue(fallback(cell.graph.cycle)))
        }
        return true
      }
      var context = GraphContext()
      let derived = rule(&context)
      let decided = GraphActor.assumingIsolation { cell.graph.fallback(of: cell) }
      return cell.accept(
        decided.map { cell.content(of: $0) } ?? derived, isEqual: isEqual, evaluation)
    }
  }

  /// Keeps what the rule has returned, if it differs from the cached value; on the actor.
  ///
  /// Apart from the step, so that its temporaries are not on the stack while the rule runs.
  ///
  /// - Returns: Whether it differs.
  @inlinable
  func accept(
    _ new: Value, isEqual: (@Sendable (Value, Value) -> Bool)?, _ evaluation: Evaluation
  ) -> Bool {
    let isUnchanged =
      if let isEqual, let old = cached { isEqual(old, new) } else { false }
    accept(new, isUnchanged: isUnchanged, evaluation)
    return !isUnchanged
  }

  /// The same for values that are compared by `==`.
  @inlinable
  func accept(_ new: Value, _ evaluation: Evaluation) -> Bool where Value: Equatable {
    let isUnchanged = cached == new
    accept(new, isUnchanged: isUnchanged, evaluation)
    return !isUnchanged
  }

  @inlinable
  func accept(_ new: Value, isUnchanged: Bool, _ evaluation: Evaluation) {
    guard case .committed = evaluation else {
      return keep(isUnchanged ? cached ?? new : new, differs: !isUnchanged, evaluation)
    }
    passes(isUnchanged ? .cutsOffAtComputed : .changesComputed)
    if !isUnchanged || isMutated(.replacesEqual) { cached = new }
    if isReadSynchronously.load(ordering: .relaxed) { publishResult() }
  }

  /// The value that the running code sees; a tracked read.
  @GraphActor
  @inlinable
  package func read() -> Value {
    if let value = readIfCurrent() { return value }
    return value(graph.evaluate(self))
  }

  /// The value if a rule that runs for the committed graph can have it as it is; a tracked read.
  ///
  /// Apart from `read`, which is on the stack once for every rule that is nested in another: debug
  /// builds keep all temporaries of a function apart.
  @GraphActor
  @inlinable
  func readIfCurrent() -> Value? {
    guard graph.isOrdinary || graph.core.pointee.engine.running != .none && !graph.mayParticipate,
      id != .none, graph.core.pointee.engine.isCurrent(id)
    else { return nil }
    passes(.readsCurrent)
    graph.core.pointee.engine.recordRead(of: id)
    return cached
  }

  /// The staged value that a transaction has found out, or the cached one.
  @GraphActor
  @inlinable
  func value(_ staged: AnyStagedValue?) -> Value {
    if let staged { return content(of: staged) }
    guard let cached else { failWithoutValue() }
    return cached
  }

  @inlinable
  func content(of staged: AnyStagedValue) -> Value {
    // SAFETY: The staged value of a cell is made by the cell's step.
    unsafeDowncast(staged, to: StagedValue<Value>.self).value
  }

  /// Reads for code that has come from outside.
  @GraphActor
  @inlinable
  func visit() -> Value {
    let value = read()
    if graph.currentTransaction == nil, graph.core.pointee.engine.isCurrent(id) {
      passes(.publishesOnVisit)
      publish()
    }
    return value
  }

  @usableFromInline
  func failWithoutValue() -> Never {
    preconditionFailure("\(origin) is current and has no value (I5)")
  }
}

// MARK: - Transactions

extension ComputedCell {
  /// Keeps a result that is not the value for everybody, on the actor.
  @usableFromInline
  func keep(_ value: Value, differs: Bool, _ evaluation: Evaluation) {
    GraphActor.assumingIsolation {
      if case .provisional = evaluation { return graph.keepProvisional(StagedValue(value)) }
      graph.openTransaction?.memoise(StagedValue(value), differs: differs, of: self)
    }
  }
}
