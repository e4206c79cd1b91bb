/// Decides which values of a map reach its handler.
public protocol GraphFilter<Value>: Sendable {
  /// The type of the values.
  associatedtype Value: Sendable

  /// Takes the next value in.
  ///
  /// - Parameter value: The value that the map has got.
  /// - Returns: What the handler is to be given; nil if it is to hear nothing.
  @GraphActor mutating func send(_ value: Value) -> Value?
}

/// Lets through what differs from the value let through before.
///
/// What counts as equal: `==` for an `Equatable` type, `===` for other classes, otherwise nothing.
public struct GraphDistinctFilter<Value: Sendable>: GraphFilter {
  private var last: Value?
  private let isEqual: Comparison<Value>?

  /// Makes a filter that has let nothing through.
  public init() {
    isEqual = Comparisons.inferred(for: Value.self)
  }

  /// Makes a filter with a comparison of its own.
  ///
  /// - Parameter isEqual: Says whether a value counts as the one before.
  public init(
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool
  ) {
    self.isEqual = isEqual
  }

  /// Takes the next value in.
  public mutating func send(_ value: Value) -> Value? {
    if let last, let isEqual, isEqual(last, value) { return nil }
    last = value
    return value
  }
}

/// Lets everything through.
public struct GraphPassthroughFilter<Value: Sendable>: GraphFilter {
  /// Makes a filter.
  public init() {}

  /// Takes the next value in.
  public func send(_ value: Value) -> Value? { value }
}
