// Nodes that have a value although their rules need each other's: for rules that come from outside, such
// as the formulas of a sheet.

extension Computed {
  /// Makes a node that has a fallback for a value while it is a member of a cycle.
  ///
  /// ```swift
  /// let cell = Computed(onCycle: { _ in .failure(.cycle) }) { evaluate(formula.wrappedValue) }
  /// ```
  ///
  /// A node is a member of a cycle if what its rule reads depends on the node itself. *Each* member
  /// that has a fallback has it for its value then, whichever of them is read first; members without one
  /// are derived from the fallbacks, and a cycle in which nobody has one ends the process with a message.
  /// What only reads members is none. When a change breaks the cycle, the members are derived by their
  /// rules again.
  ///
  /// The rule of a member is run when something changes upstream, and so may that of a member without
  /// a fallback, twice: to find out whether the cycle is still there.
  ///
  /// This is the fallback for cycles of Salsa (salsa-rs).
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new result counts as unchanged; if nil, `==` for an `Equatable` type,
  ///     `===` for other classes, otherwise nothing.
  ///   - fallback: Gives the value. Gets the nodes of the cycle: this one first, each reads the
  ///     next, and the last reads the first. It must not write, and what it reads is not tracked.
  ///   - rule: Derives the value.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: (@GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool)? = nil,
    onCycle fallback: @escaping @GraphActor @Sendable (_ path: [GraphNodeID]) -> Value,
    _ rule: @escaping @GraphActor @Sendable (inout Context) -> Value
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    let comparison =
      isEqual.map { Comparisons.guarded($0, of: origin) } ?? Comparisons.inferred(for: Value.self)
    let cell = ComputedCell(
      origin: origin, isEqual: comparison,
      step: ComputedCell<Value>.step(rule, onCycle: fallback, isEqual: comparison))
    cell.hasFallback = true
    self.init(cell: cell)
  }

  /// Makes a node that has a fallback for a value while it is a member of a cycle; see the initialiser
  /// whose rule takes a context.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new result counts as unchanged.
  ///   - fallback: Gives the value; gets the nodes of the cycle, this one first.
  ///   - rule: Derives the value.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: (@GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool)? = nil,
    onCycle fallback: @escaping @GraphActor @Sendable (_ path: [GraphNodeID]) -> Value,
    _ rule: @escaping @GraphActor @Sendable () -> Value
  ) {
    self.init(
      name: name, fileID: fileID, line: line, isEqual: isEqual, onCycle: fallback,
      { (_: inout Context) in rule() })
  }
}
