/// A property that is a stored node.
///
/// ```swift
/// @GraphActor final class Counter {
///   @GraphStored var count = 0 { didSet { print(oldValue, count) } }
/// }
/// ```
///
/// A native observer runs after each assignment, when that has been committed or staged. It may assign
/// the property again, which is another commit, and for which Swift calls the observer again: it has to
/// come to rest. So an observer can correct what has been assigned, but others may see the value in
/// between; in a transaction only the corrected one is committed.
///
/// `$count` is the node. Two models share one node by assigning it: `$items = service.$items`.
/// An optional property needs no initial value. For a property at the top level of a file, and in
/// a class that is not isolated to `GraphActor`, hold the node itself: `let count = Stored(0)`.
@propertyWrapper
public struct GraphStored<Value: Sendable>: Sendable {
  /// The node behind the property.
  public var projectedValue: Stored<Value>

  /// The value of the node, see `Stored.wrappedValue`.
  @GraphActor
  @inlinable
  public var wrappedValue: Value {
    get { projectedValue.wrappedValue }
    nonmutating set { projectedValue.wrappedValue = newValue }
  }

  /// Makes the node; a write of a value that is not equal (`==`) to the one before is a change.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the place of the property.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  @inlinable
  public nonisolated init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) where Value: Equatable {
    projectedValue = Stored(wrappedValue, name: name, fileID: fileID, line: line)
  }

  /// Makes the node; for a class a write of another object is a change, otherwise every write is.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the place of the property.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    projectedValue = Stored(wrappedValue, name: name, fileID: fileID, line: line)
  }

  /// Makes the node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - name: What messages call the node; without it, they name the place of the property.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new value counts as unchanged; the old one is kept then.
  public nonisolated init(
    wrappedValue: Value, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool
  ) {
    projectedValue = Stored(
      wrappedValue, name: name, fileID: fileID, line: line, isEqual: isEqual)
  }

  /// Makes the node of an optional property, with nil.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the place of the property.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  public nonisolated init<Wrapped: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) where Value == Wrapped? {
    projectedValue = Stored(nil, name: name, fileID: fileID, line: line)
  }
}
