/// A node whose value is derived from other nodes by a rule.
///
/// ```swift
/// let price = Stored(100), amount = Stored(2)
/// let total = Computed { _ in price.wrappedValue * amount.wrappedValue }
/// print(await total.value)   // 200
/// ```
///
/// Lazy and cached: the rule runs when the node is read and a node that it read last time has
/// changed. What it reads is tracked in every run anew. A result that is equal to the one before
/// counts as unchanged; what counts as equal: `==` for an `Equatable` type, `===` for other
/// classes, otherwise nothing.
///
/// A rule must not write nodes, open transactions or read its own node; this ends the process with
/// a message. It should depend on nothing but the nodes that it reads.
///
/// **Isolation:** Belongs to `GraphActor`; may be made, passed around and released anywhere.
/// **Lifetime:** Alive as long as somebody holds it. Dependents and streams do not; the rule keeps
/// alive what it captures.
public final class Computed<Value: Sendable>: Sendable {
  /// What a rule can ask for.
  public typealias Context = GraphContext

  @usableFromInline let cell: ComputedCell<Value>

  @usableFromInline
  init(cell: ComputedCell<Value>) {
    self.cell = cell
  }

  deinit {
    cell.graph.release(cell)
  }

  /// The identity of the node.
  public nonisolated var id: GraphNodeID { cell.identity }

  /// The current value.
  ///
  /// A rule or a tracked expression that reads it depends on the node from then on. Inside a
  /// transaction this is the value as if the transaction's writes had been committed.
  ///
  /// - Complexity: O(1) if nothing upstream has been written since the last read; otherwise the
  ///   rules that have to run, and O(dependencies) for each marked node that does not have to.
  /// - Precondition: The read is not part of a cycle.
  @GraphActor
  @inlinable
  public var wrappedValue: Value {
    let value = cell.read()
    // The graph may remove a node without an owner as soon as it is entered.
    extendLifetime(self)
    return value
  }

  /// The current value, from any isolation.
  ///
  /// The first reader after a write upstream enters the actor, where the rule runs if it has to, and
  /// publishes the value. Those who come later do not enter it, until the next write upstream.
  ///
  /// - Complexity: As for `wrappedValue`; O(1), without entering the actor, if it is published.
  @inlinable
  public nonisolated(nonsending) var value: Value {
    get async {
      if cell.graph.readsPublished {
        if cell.graph.isYieldDue() { await Task.yield() }
        // A node that has lost its owner must not be read any more by a rule.
        if !cell.graph.hasReleased, let value = cell.publishedValue() {
          extendLifetime(self)
          return value
        }
      }
      let value = await cell.visit()
      extendLifetime(self)
      return value
    }
  }

  /// The committed value if it is known: nil while the rule has to run, or has never run.
  ///
  /// Not a tracked read: a rule or a group that uses it does not depend on the node.
  ///
  /// From anywhere, without waiting. The first use makes the node publish every result from then
  /// on; a result that is older than that use can be missed by it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public nonisolated var committedValue: Value? {
    let value = cell.committedValue()
    extendLifetime(self)
    return value
  }

  /// The value, if readers outside of the actor can see it and it belongs to a version.
  @inlinable
  public nonisolated func _publishedValue(at version: UInt64) -> Value? {
    cell.publishedValue(at: version)
  }

  /// The value, which is published if it can be.
  @GraphActor public var _visitedValue: Value {
    let value = cell.visit()
    extendLifetime(self)
    return value
  }
}

// MARK: - Making computed nodes

extension Computed {
  /// Makes a node; a result that is not equal (`==`) to the one before is a change.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping @GraphActor @Sendable (inout Context) -> Value
  ) where Value: Equatable {
    self.init(
      cell: ComputedCell(
        origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: Comparisons.equality(),
        step: ComputedCell<Value>.step(rule)))
  }

  /// Makes a node; for a class another object is a change, otherwise every result is.
  ///
  /// In generic code that knows nothing of the type, an `Equatable` type is found at run time.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping @GraphActor @Sendable (inout Context) -> Value
  ) {
    let isEqual = Comparisons.inferred(for: Value.self)
    self.init(
      cell: ComputedCell(
        origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: isEqual,
        step: ComputedCell<Value>.step(rule, isEqual: isEqual)))
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new result counts as unchanged; the old one is kept then. It may
  ///     read nodes, untracked, and must not write.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool,
    _ rule: @escaping @GraphActor @Sendable (inout Context) -> Value
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    let isEqual = Comparisons.guarded(isEqual, of: origin)
    self.init(
      cell: ComputedCell(
        origin: origin, isEqual: isEqual, step: ComputedCell<Value>.step(rule, isEqual: isEqual)))
  }

  /// Makes a node whose value never changes.
  ///
  /// - Parameters:
  ///   - constant: The value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  @_disfavoredOverload  // A closure behind the name of the type is a rule, and no constant.
  public nonisolated convenience init(
    constant: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      cell: ComputedCell(
        constant: constant, origin: NodeOrigin(name: name, fileID: fileID, line: line)))
  }
}

// MARK: - Rules without a context

extension Computed {
  /// Makes a node; a result that is not equal (`==`) to the one before is a change.
  ///
  /// ```swift
  /// let sum = Computed { a.wrappedValue + b.wrappedValue }
  /// ```
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping @GraphActor @Sendable () -> Value
  ) where Value: Equatable {
    self.init(
      cell: ComputedCell(
        origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: Comparisons.equality(),
        step: ComputedCell<Value>.step(rule)))
  }

  /// Makes a node; for a class another object is a change, otherwise every result is.
  ///
  /// In generic code that knows nothing of the type, an `Equatable` type is found at run time.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping @GraphActor @Sendable () -> Value
  ) {
    let isEqual = Comparisons.inferred(for: Value.self)
    self.init(
      cell: ComputedCell(
        origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: isEqual,
        step: ComputedCell<Value>.step(rule, isEqual: isEqual)))
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new result counts as unchanged; the old one is kept then. It may
  ///     read nodes, untracked, and must not write.
  ///   - rule: Derives the value.
  @inlinable
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool,
    _ rule: @escaping @GraphActor @Sendable () -> Value
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    let isEqual = Comparisons.guarded(isEqual, of: origin)
    self.init(
      cell: ComputedCell(
        origin: origin, isEqual: isEqual, step: ComputedCell<Value>.step(rule, isEqual: isEqual)))
  }
}
