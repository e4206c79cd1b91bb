/// A property that is a computed node.
///
/// The rule is given in the initialiser of the model, where it can capture the nodes that it
/// reads:
///
/// ```swift
/// @GraphActor final class Counter {
///   @GraphStored var count = 0
///   @GraphComputed var isEven: Bool
///
///   init() {
///     $isEven = .init { [$count] _ in $count.wrappedValue.isMultiple(of: 2) }
///   }
/// }
/// ```
@propertyWrapper
public struct GraphComputed<Value: Sendable>: Sendable {
  private var node: Computed<Value>?
  private let origin: NodeOrigin

  /// Makes a property that has no node yet.
  ///
  /// - Parameters:
  ///   - name: What the message calls the property if it is read before it has a node.
  ///   - fileID: The file of the property, for that message.
  ///   - line: The line of the property, for that message.
  public nonisolated init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    origin = NodeOrigin(name: name, fileID: fileID, line: line)
  }

  /// The node behind the property.
  ///
  /// - Precondition: It has been assigned before it is read.
  public var projectedValue: Computed<Value> {
    get {
      guard let node else {
        fatalError(
          "StateGraph: the computed property at \(origin) is read before its node is assigned; "
            + "assign `$property = .init { … }` in the initialiser")
      }
      return node
    }
    set { node = newValue }
  }

  /// The value of the node, see `Computed.wrappedValue`.
  @GraphActor public var wrappedValue: Value { projectedValue.wrappedValue }
}
