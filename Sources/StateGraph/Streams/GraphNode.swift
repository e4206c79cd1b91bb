/// A vertex of the graph: a value that can be read, tracked and followed.
///
/// `Stored`, `StoredInPlace`, `Computed` and `AsyncComputed`, whose values are its states, are the nodes;
/// the protocol is for code that takes any of them.
public protocol GraphNode<Value>: AnyObject, Sendable, Identifiable where ID == GraphNodeID {
  /// The type of the node's value.
  associatedtype Value: Sendable

  /// The identity of the node.
  nonisolated var id: GraphNodeID { get }

  /// The current value.
  ///
  /// A rule or a tracked expression that reads it depends on the node from then on. Inside a
  /// transaction this is the value as if the transaction's writes had been committed.
  @GraphActor var wrappedValue: Value { get }

  /// The current value, from any isolation; without entering the actor if it is published.
  nonisolated(nonsending) var value: Value { get async }

  /// What `GraphSnapshot.values(of:)` needs; not for use elsewhere.
  nonisolated func _publishedValue(at version: UInt64) -> Value?

  /// What `GraphSnapshot.values(of:)` needs; not for use elsewhere.
  @GraphActor var _visitedValue: Value { get }

  /// The changes of the value, with what is to be kept for a consumer that is behind.
  ///
  /// - Parameter buffering: What happens to changes that the consumer has not taken yet.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  nonisolated func changes(buffering: GraphBuffering) -> GraphChanges<Value>
}

extension GraphNode {
  /// The current value, from any isolation; enters the actor.
  ///
  /// - Complexity: As for `wrappedValue`.
  public nonisolated(nonsending) var value: Value {
    get async { await _visitedValue }
  }

  /// The current value, then every value that the node changes to, the latest only for a consumer
  /// that is behind.
  ///
  /// Each loop over the sequence has a subscription of its own. It ends when the task is cancelled
  /// and when the node has been released: a sequence does not keep its node alive.
  @inlinable
  public nonisolated var values: GraphValues<Value> {
    GraphValues(changes(buffering: .latest))
  }

  /// The changes of the value, the latest only for a consumer that is behind.
  @inlinable
  public nonisolated func changes() -> GraphChanges<Value> {
    changes(buffering: .latest)
  }

  /// Derives a node from this one, which it keeps alive.
  ///
  /// - Parameters:
  ///   - name: What messages call the new node.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - transform: Turns a value of this node into one of the new node.
  /// - Returns: A computed node; a result equal to the one before counts as unchanged.
  public nonisolated func map<Mapped: Sendable & Equatable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @GraphActor @Sendable (Value) -> Mapped
  ) -> Computed<Mapped> {
    Computed(name: name, fileID: fileID, line: line) { _ in transform(self.wrappedValue) }
  }

  /// Derives a node from this one, which it keeps alive.
  ///
  /// - Parameters:
  ///   - name: What messages call the new node.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - transform: Turns a value of this node into one of the new node.
  /// - Returns: A computed node.
  public nonisolated func map<Mapped: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @GraphActor @Sendable (Value) -> Mapped
  ) -> Computed<Mapped> {
    Computed(name: name, fileID: fileID, line: line) { _ in transform(self.wrappedValue) }
  }
}
