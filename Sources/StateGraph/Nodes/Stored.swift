/// A node that holds a value: a source of the graph.
///
/// ```swift
/// let count = Stored(0)
/// await count.set(5)
/// print(await count.value)
/// ```
///
/// Outside a transaction every assignment is a commit of its own; inside one it is staged. A value
/// that is equal to the one before makes no commit and notifies nobody. What counts as equal: `==`
/// for an `Equatable` type, `===` for other classes, otherwise nothing.
///
/// **Isolation:** Belongs to `GraphActor`; may be made, passed around and released anywhere.
/// **Lifetime:** Alive as long as somebody holds it. Dependents and streams do not.
public final class Stored<Value: Sendable>: Sendable {
  @usableFromInline let cell: StoredCell<Value>

  @usableFromInline
  init(cell: StoredCell<Value>) {
    self.cell = cell
  }

  deinit {
    cell.graph.release(cell)
  }

  /// The identity of the node.
  public nonisolated var id: GraphNodeID { cell.identity }

  /// The current value; assigning to it commits, or stages in a transaction.
  ///
  /// A rule or a tracked expression that reads it depends on the node from then on. Inside a
  /// transaction a read returns what the transaction has assigned last.
  ///
  /// - Complexity: O(1) to read; O(*n*) to assign, where *n* is the number of nodes downstream that
  ///   no earlier write has marked since they were last read.
  /// - Precondition: No rule and no comparison is running when it is assigned to.
  @GraphActor
  @inlinable
  public var wrappedValue: Value {
    get {
      let value = cell.read()
      extendLifetime(self)
      return value
    }
    set {
      cell.write(newValue)
      extendLifetime(self)
    }
  }

  /// The current value, from any isolation.
  ///
  /// Does not enter the actor, except in a transaction or an async rule.
  ///
  /// - Complexity: O(1).
  @inlinable
  public nonisolated(nonsending) var value: Value {
    get async {
      if cell.graph.readsPublished {
        if cell.graph.isYieldDue() { await Task.yield() }
        let value = cell.publishedValue()
        extendLifetime(self)
        return value
      }
      let value = await cell.visit()
      extendLifetime(self)
      return value
    }
  }

  /// The committed value, from anywhere, at once; also inside a transaction, which may see another.
  ///
  /// Not a tracked read: a rule or a group that uses it does not depend on the node. It neither
  /// suspends nor waits, so a loop that waits for a value should await `value`.
  ///
  /// - Complexity: O(1).
  @inlinable
  public nonisolated var committedValue: Value {
    let value = cell.publishedValue()
    extendLifetime(self)
    return value
  }

  /// The value that readers outside of the actor see, at a version.
  @inlinable
  public nonisolated func _publishedValue(at version: UInt64) -> Value? {
    cell.publishedValue(at: version)
  }

  /// The value.
  @GraphActor public var _visitedValue: Value {
    let value = cell.visit()
    extendLifetime(self)
    return value
  }

  /// Assigns a value, from any isolation.
  ///
  /// - Parameter newValue: The value to commit.
  @inlinable
  public func set(_ newValue: Value) async {
    await cell.assign(newValue)
  }

  /// Replaces the value by one made from it, in one step.
  ///
  /// The body changes a copy of the value. When it returns, the copy is compared with the value and
  /// assigned, whatever its size: the first change of a collection in the body costs O(its size), as
  /// does `wrappedValue.append`. `StoredInPlace` is the node for large collections that change often.
  ///
  /// The body runs as any code on the actor. While it runs, a read of the node returns the value
  /// before; what it writes to other nodes is committed and delivered at once, as ever. A write of the
  /// node itself, by the body or by a handler that one of its writes calls, ends the process with a
  /// message, because the update would overwrite it.
  ///
  /// In a transaction the body changes the staged value itself, so only the first write of the node
  /// copies it, and further ones if the body can throw or the node has an `onDidSet` handler. The body
  /// must not read the node there, nor a computed node that depends on it; this ends the process with
  /// a message.
  ///
  /// An object is not copied: a body that changes the properties of an object and keeps the object
  /// changes nothing as far as the node is concerned, because it is the same (`===`) afterwards. Nobody
  /// is told, and readers elsewhere see the object in between. Assign another object, or hold a struct.
  ///
  /// - Parameter body: Modifies the value.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; the node then keeps its value.
  /// - Complexity: That of the body, of a copy and of an assignment.
  public func update<R: Sendable, E: Error>(
    _ body: @GraphActor @Sendable (inout Value) throws(E) -> R
  ) async throws(E) -> R {
    let result = try await cell.update(body)
    extendLifetime(self)
    return result
  }

  /// Replaces the value by one made from it, from code on the actor.
  ///
  /// What holds for the asynchronous `update` holds here. The old value is not a tracked read.
  ///
  /// - Parameter body: Modifies the value.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; the node then keeps its value.
  /// - Complexity: That of the body, of a copy and of an assignment.
  @GraphActor
  public func update<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let result = try cell.update { (value) throws(E) -> R in try body(&value) }
    extendLifetime(self)
    return result
  }

  /// Modifies the committed value and tells nobody.
  ///
  /// For values that are invisible to rules, or caches that rules must not react to. It makes no
  /// commit, leaves cached computed values as they are, and is not part of a transaction. The body
  /// works on a copy, which replaces the value when it is through.
  ///
  /// Every read from then on has the modified value, and so has a rule that runs for another reason. A
  /// computed node that has been evaluated keeps its value until something else changes that it has
  /// read. A stream does not deliver the modification; its next element, after a commit, contains it. A
  /// later assignment is compared with the modified value. A transaction that is open meets no
  /// conflict, and reads the modified value.
  ///
  /// - Parameter body: Modifies the value. It must not write any node, open a transaction or begin to
  ///   track.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; what it has modified by then stays modified.
  @GraphActor
  public func unsafeModify<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    try cell.unsafeModify(body)
  }

  /// Sets the handler that is called after every assignment, also of an equal value.
  ///
  /// Inside a transaction it is called for each staged assignment, and what it writes joins the
  /// transaction; outside, it is called after the commit, and what it writes is committed next.
  /// Its reads are not tracked.
  ///
  /// - Parameter handler: Gets the value before and the value assigned. Replaces the handler set
  ///   before; nil removes it.
  @GraphActor
  public func onDidSet(_ handler: (@GraphActor (_ old: Value, _ new: Value) -> Void)?) {
    cell.didSet = handler
  }
}

// MARK: - Making stored nodes

extension Stored {
  /// Makes a node; a write of a value that is not equal (`==`) to the one before is a change.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  @inlinable
  public nonisolated convenience init(
    _ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) where Value: Equatable {
    self.init(
      cell: StoredCell(
        value, origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: Comparisons.equality()))
  }

  /// Makes a node; for a class a write of another object is a change, otherwise every write is.
  ///
  /// In generic code that knows nothing of the type, an `Equatable` type is found at run time.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated convenience init(
    _ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      cell: StoredCell(
        value, origin: NodeOrigin(name: name, fileID: fileID, line: line),
        isEqual: Comparisons.inferred(for: Value.self)))
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new value counts as unchanged; the old one is kept then. It may
  ///     read nodes, untracked, and must not write.
  public nonisolated convenience init(
    _ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    self.init(
      cell: StoredCell(
        value, origin: origin, isEqual: Comparisons.guarded(isEqual, of: origin),
        isOwnComparison: true))
  }

  /// Makes a node; a write of a value that is not equal (`==`) to the one before is a change.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  @inlinable
  public nonisolated convenience init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) where Value: Equatable {
    self.init(wrappedValue, name: name, fileID: fileID, line: line)
  }

  /// Makes a node; for a class a write of another object is a change, otherwise every write is.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated convenience init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(wrappedValue, name: name, fileID: fileID, line: line)
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new value counts as unchanged; the old one is kept then.
  public nonisolated convenience init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool
  ) {
    self.init(wrappedValue, name: name, fileID: fileID, line: line, isEqual: isEqual)
  }
}
