/// A node that holds a value which is changed in place: for large collections.
///
/// ```swift
/// let log = StoredInPlace<[String]>([])
/// await log.update { $0.append("started") }   // O(1), whatever the size
/// print(await log.value.count)
/// ```
///
/// A `Stored` node publishes its value, so a change of it works on a copy, which is compared with the
/// value before. The value of this node belongs to the actor alone: every read enters it, there is no
/// `committedValue`, and a change neither copies the value nor compares it. Every write counts as a
/// change.
///
/// A change has to copy after all if something else holds the value. A collection is held by the
/// variable that a read has put it in, by a computed node that returns it as it is, and by an element
/// of a stream that its consumer has not let go of. It is also held for a transaction with an async
/// body that began before the change, until that ends; this costs one copy. Follow what is derived
/// from a large collection, its `count` for example, rather than the collection.
///
/// **Isolation:** Belongs to `GraphActor`; may be made, passed around and released anywhere.
/// **Lifetime:** Alive as long as somebody holds it. Dependents and streams do not.
public final class StoredInPlace<Value: Sendable>: Sendable {
  @usableFromInline let cell: StoredInPlaceCell<Value>

  /// Makes a node.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated init(
    _ value: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    cell = StoredInPlaceCell(value, origin: NodeOrigin(name: name, fileID: fileID, line: line))
  }

  /// Makes a node.
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
  /// A call of a mutating method, such as `wrappedValue.append(5)`, changes the value in place like
  /// `update`, and what holds for the body of `update` holds for the method. Unlike `update`, it also
  /// counts as a read, as for every property.
  ///
  /// - Complexity: O(1) to read; O(*n*) to assign, where *n* is the number of nodes downstream that
  ///   no earlier write has marked since they were last read.
  /// - Precondition: No rule and no comparison is running when it is assigned to.
  @GraphActor public var wrappedValue: Value {
    get {
      let value = cell.read()
      extendLifetime(self)
      return value
    }
    set {
      cell.write(newValue)
      extendLifetime(self)
    }
    _modify {
      defer { extendLifetime(self) }
      yield &cell.changing
    }
  }

  /// The current value, from any isolation; always enters the actor.
  ///
  /// - Complexity: O(1).
  public nonisolated(nonsending) var value: Value {
    get async {
      let value = await cell.visit()
      extendLifetime(self)
      return value
    }
  }

  /// Nil: the value is not published.
  public nonisolated func _publishedValue(at version: UInt64) -> Value? { nil }

  /// The value.
  @GraphActor public var _visitedValue: Value {
    let value = cell.visit()
    extendLifetime(self)
    return value
  }

  /// Assigns a value, from any isolation.
  ///
  /// - Parameter newValue: The value to commit.
  public func set(_ newValue: Value) async {
    await cell.assign(newValue)
    extendLifetime(self)
  }

  /// Changes the value in place, in one step.
  ///
  /// The value is neither copied nor compared, except for a copy if something else holds it; see the
  /// type. Every update is a commit, or staged in a transaction, also if the body changes nothing. In
  /// a transaction the first write of the node costs a copy, and further updates none.
  ///
  /// Nobody can read the node while its value changes: the body must not read or write the node, nor
  /// read a computed node that depends on it. Nor may it write another node, open a transaction or
  /// begin to track, and neither may the destructor of an element that it removes. Each of these ends
  /// the process with a message. To change several nodes in one commit, use a transaction.
  ///
  /// - Parameter body: Modifies the value. It may read other nodes.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws. What it has changed by then stays changed, and is committed.
  /// - Complexity: That of the body, plus that of an assignment.
  public func update<R: Sendable, E: Error>(
    _ body: @GraphActor @Sendable (inout Value) throws(E) -> R
  ) async throws(E) -> R {
    let result = try await cell.update(body)
    extendLifetime(self)
    return result
  }

  /// Changes the value in place, from code on the actor.
  ///
  /// What holds for the asynchronous `update` holds here.
  ///
  /// - Parameter body: Modifies the value. It may read other nodes.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws. What it has changed by then stays changed, and is committed.
  /// - Complexity: That of the body, plus that of an assignment.
  @GraphActor
  public func update<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let result = try cell.update { (value) throws(E) -> R in try body(&value) }
    extendLifetime(self)
    return result
  }

  /// Modifies the committed value in place and tells nobody.
  ///
  /// For values that are invisible to rules, or caches that rules must not react to. It makes no
  /// commit, leaves cached computed values as they are, and is not part of a transaction: one that is
  /// open sees the change, unless it has written the node or an older value is kept for it.
  ///
  /// - Parameter body: Modifies the value. It must not read the node, directly or through a computed
  ///   node whose rule has to run, write any node, open a transaction or begin to track.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; what it has modified by then stays modified.
  @GraphActor
  public func unsafeModify<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    try cell.unsafeModify(body)
  }
}

/// A property that is a stored node whose value is changed in place.
///
/// ```swift
/// @GraphActor final class Recorder {
///   @GraphStoredInPlace var samples: [Double] = []
///   func record(_ sample: Double) { samples.append(sample) }   // O(1)
/// }
/// ```
///
/// `$samples` is the node, see `StoredInPlace`. A native observer that uses `oldValue` makes every
/// change copy the value.
@propertyWrapper
public struct GraphStoredInPlace<Value: Sendable>: Sendable {
  /// The node behind the property.
  public var projectedValue: StoredInPlace<Value>

  /// The value of the node, see `StoredInPlace.wrappedValue`.
  @GraphActor public var wrappedValue: Value {
    get { projectedValue.wrappedValue }
    nonmutating set { projectedValue.wrappedValue = newValue }
    nonmutating _modify { yield &projectedValue.wrappedValue }
  }

  /// Makes the node.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the place of the property.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    projectedValue = StoredInPlace(wrappedValue, name: name, fileID: fileID, line: line)
  }
}
