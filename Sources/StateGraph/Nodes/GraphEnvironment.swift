/// A key into the environment of the graph.
///
/// ```swift
/// enum Clock: GraphEnvironmentKey {
///   static var defaultValue: @Sendable () -> Date { { Date.now } }
/// }
/// ```
public protocol GraphEnvironmentKey {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The value as long as none has been assigned.
  static var defaultValue: Value { get }
}

/// Values that rules reach by key instead of capturing them.
///
/// Each is a stored node: assigning to one is a commit, staged inside a transaction, and
/// invalidates the rules that have read it. Rules find the environment in their context, other
/// code at `GraphActor.environment`.
@GraphActor
public struct GraphEnvironment {
  nonisolated init() {}

  /// The value for a key.
  ///
  /// - Complexity: O(1).
  public subscript<Key: GraphEnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { node(for: key).wrappedValue }
    nonmutating set { node(for: key).wrappedValue = newValue }
  }

  /// The nodes that hold values, by key.
  private static let environmentNodes = PartState<[ObjectIdentifier: AnyObject]>([:])

  /// The node that holds the value for a key; made with the default value at the first use.
  private func node<Key: GraphEnvironmentKey>(for key: Key.Type) -> Stored<Key.Value> {
    if let node = Self.environmentNodes.state[ObjectIdentifier(key)] {
      // SAFETY: The only entry under a key is the one made below.
      return unsafeDowncast(node, to: Stored<Key.Value>.self)
    }
    let node = Stored(Key.defaultValue, name: "\(key)")
    Self.environmentNodes.state[ObjectIdentifier(key)] = node
    return node
  }
}

extension GraphActor {
  /// Values that rules reach through their context, by key.
  ///
  /// - SeeAlso: `GraphEnvironmentKey`
  @GraphActor public static var environment: GraphEnvironment { GraphEnvironment() }
}
