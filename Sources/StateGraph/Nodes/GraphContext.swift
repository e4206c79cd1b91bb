/// What a rule can ask for.
public struct GraphContext {
  @usableFromInline
  init() {}

  /// Reads nodes without depending on them.
  ///
  /// Computed nodes that are read in the body are brought up to date as usual and track what they
  /// read themselves.
  ///
  /// - Parameter body: Reads nodes.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @GraphActor
  public func withoutTracking<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    try Graph.shared.withoutTracking(body)
  }

  /// Values by key; a rule that reads one depends on it.
  @GraphActor public var environment: GraphEnvironment { GraphEnvironment() }
}

@available(*, unavailable)
extension GraphContext: Sendable {}
