// How nodes are followed.

extension Stored: GraphNode {
  /// The changes of the value, with what is to be kept for a consumer that is behind.
  ///
  /// - Parameter buffering: What happens to changes that the consumer has not taken yet.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  @inlinable
  public nonisolated func changes(buffering: GraphBuffering) -> GraphChanges<Value> {
    GraphChanges(buffering: buffering) { [weak self] in
      guard let self else { return nil }
      return (self, cell.source)
    }
  }
}

extension StoredInPlace: GraphNode {
  /// The changes of the value, with what is to be kept for a consumer that is behind.
  ///
  /// Each change that waits for the consumer holds a value, which makes the next change in place
  /// copy it.
  ///
  /// - Parameter buffering: What happens to changes that the consumer has not taken yet.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  public nonisolated func changes(buffering: GraphBuffering) -> GraphChanges<Value> {
    GraphChanges(buffering: buffering) { [weak self] in
      guard let self else { return nil }
      return (self, cell.source)
    }
  }
}

extension Computed: GraphNode {
  /// The changes of the value, with what is to be kept for a consumer that is behind.
  ///
  /// While somebody waits for a change, every commit that may have caused one evaluates the rule.
  ///
  /// - Parameter buffering: What happens to changes that the consumer has not taken yet.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  @inlinable
  public nonisolated func changes(buffering: GraphBuffering) -> GraphChanges<Value> {
    GraphChanges(buffering: buffering) { [weak self] in
      guard let self else { return nil }
      return (self, cell.source)
    }
  }
}
