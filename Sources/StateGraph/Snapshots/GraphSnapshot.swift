public import Synchronization

/// The graph at one version.
///
/// ```swift
/// let (balance, limit) = await withGraphSnapshot { ($0[balance], $0[limit]) }
/// ```
public struct GraphSnapshot: ~Copyable {
  /// The version of the graph to which everything belongs that is read.
  public let version: UInt64

  @usableFromInline
  init(version: UInt64) {
    self.version = version
  }

  /// The value of a node.
  ///
  /// In a transaction it is what the transaction sees; an async rule depends on it.
  ///
  /// - Complexity: As for the `wrappedValue` of the node.
  @inlinable
  public subscript<Node: GraphNode>(node: Node) -> Node.Value {
    Self.onActor { node.wrappedValue }
  }

  /// The value of a stored node.
  @inlinable
  public subscript<Value>(node: Stored<Value>) -> Value {
    Self.onActor { node.wrappedValue }
  }

  /// The value of a computed node.
  @inlinable
  public subscript<Value>(node: Computed<Value>) -> Value {
    Self.onActor { node.wrappedValue }
  }

  /// Reads in the body that the actor runs.
  ///
  /// A snapshot is borrowed by that body, and can neither be copied nor sent elsewhere.
  @inlinable
  static func onActor<Value>(_ read: @GraphActor () -> Value) -> Value {
    withoutActuallyEscaping(read) { read in
      // SAFETY: See above. Isolation is no part of a closure's representation.
      unsafeBitCast(read, to: (() -> Value).self)()
    }
  }
}

@available(*, unavailable)
extension GraphSnapshot: Sendable {}

/// Reads nodes at one version.
///
/// Nothing is committed between the first and the last read, so what the body sees fits together.
///
/// The body visits the actor once, because it may read a computed node that nobody has computed
/// yet. To read nodes that are known beforehand, `GraphSnapshot.values(of:)` is quicker: it mostly
/// needs no visit.
///
/// - Parameter body: Reads nodes through the snapshot. It runs once.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
public nonisolated(nonsending) func withGraphSnapshot<R: Sendable>(
  _ body: @Sendable (borrowing GraphSnapshot) throws -> R
) async rethrows -> R {
  try await Graph.shared.withSnapshot(body)
}

extension GraphSnapshot {
  /// The values of nodes at one version.
  ///
  /// ```swift
  /// let (balance, limit) = await GraphSnapshot.values(of: balance, limit)
  /// ```
  ///
  /// If all of them are published, this neither enters the actor nor waits for anybody.
  ///
  /// - Parameter nodes: Stored and computed nodes.
  /// - Returns: Their values, in the same order.
  /// - Complexity: O(nodes) if all are published; see `Stored.value` and `Computed.value`.
  @inlinable
  public nonisolated(nonsending) static func values<each Node: GraphNode>(
    of nodes: repeat each Node
  ) async -> (repeat (each Node).Value) {
    if Graph.shared.isYieldDue() { await Task.yield() }
    if let values = Graph.shared.publishedValues(of: repeat each nodes) {
      passes(.readsSnapshot)
      return values
    }
    passes(.visitsForSnapshot)
    return await Graph.shared.values(of: repeat each nodes).values
  }
}

// Code over any number of nodes is not specialised for their types, and looks them up in each call.
extension GraphSnapshot {
  /// The values of two nodes at one version; see `values(of:)` for any number of nodes.
  @inlinable
  public nonisolated(nonsending) static func values<First: GraphNode, Second: GraphNode>(
    of first: First, _ second: Second
  ) async -> (First.Value, Second.Value) {
    let graph = Graph.shared
    if graph.isYieldDue() { await Task.yield() }
    if graph.readsPublished, !graph.hasReleased {
      let readers = graph.core.pointee.readers
      let counter = readers.begin()
      defer { readers.end(counter) }
      let version = readers.version
      if let one = first._publishedValue(at: version),
        let two = second._publishedValue(at: version)
      {
        passes(.readsSnapshot)
        return (one, two)
      }
    }
    passes(.visitsForSnapshot)
    return await graph.values(of: first, second).values
  }

  /// The values of three nodes at one version; see `values(of:)` for any number of nodes.
  @inlinable
  public nonisolated(nonsending) static func values<
    First: GraphNode, Second: GraphNode, Third: GraphNode
  >(
    of first: First, _ second: Second, _ third: Third
  ) async -> (First.Value, Second.Value, Third.Value) {
    let graph = Graph.shared
    if graph.isYieldDue() { await Task.yield() }
    if graph.readsPublished, !graph.hasReleased {
      let readers = graph.core.pointee.readers
      let counter = readers.begin()
      defer { readers.end(counter) }
      let version = readers.version
      if let one = first._publishedValue(at: version),
        let two = second._publishedValue(at: version),
        let three = third._publishedValue(at: version)
      {
        passes(.readsSnapshot)
        return (one, two, three)
      }
    }
    passes(.visitsForSnapshot)
    return await graph.values(of: first, second, third).values
  }
}

extension Graph {
  @GraphActor
  fileprivate func withSnapshot<R>(
    _ body: (borrowing GraphSnapshot) throws -> R
  ) rethrows -> R {
    arrive()
    if isMutated(.removesInSnapshot) { return try body(GraphSnapshot(version: versionOfReads)) }
    // The end of a node could change what a rule finds, at the same version.
    return try withoutRemovals { try body(GraphSnapshot(version: versionOfReads)) }
  }

  /// The version that the running code sees.
  @GraphActor private var versionOfReads: UInt64 { currentTransaction?.beginVersion ?? version }

  /// The values of nodes that are all published.
  ///
  /// - Returns: Nil if some are not, or the current task has a view of its own.
  @inlinable
  func publishedValues<each Node: GraphNode>(
    of nodes: repeat each Node
  ) -> (repeat (each Node).Value)? {
    guard readsPublished, !hasReleased else { return nil }
    let readers = core.pointee.readers
    let counter = readers.begin()
    defer { readers.end(counter) }
    let version = readers.version
    do throws(NotPublished) {
      return (repeat try published(each nodes, at: version))
    } catch {
      return nil
    }
  }

  @inlinable
  func published<Node: GraphNode>(
    _ node: Node, at version: UInt64
  ) throws(NotPublished) -> Node.Value {
    guard let value = node._publishedValue(at: version) else { throw NotPublished() }
    return value
  }

  @usableFromInline
  struct NotPublished: Error {
    @inlinable
    init() {}
  }

  @GraphActor
  @usableFromInline
  func values<each Node: GraphNode>(
    of nodes: repeat each Node
  ) -> NodeValues<repeat (each Node).Value> {
    arrive()
    return withoutRemovals { NodeValues(values: (repeat visited(each nodes))) }
  }

  @GraphActor
  private func visited<Node: GraphNode>(_ node: Node) -> Node.Value {
    node._visitedValue
  }
}

/// Values of nodes on their way from the actor: the compiler does not know of a tuple of any length
/// that it is Sendable.
@usableFromInline
// SAFETY: A tuple of Sendable values.
struct NodeValues<each Value: Sendable>: @unchecked Sendable {
  @usableFromInline let values: (repeat each Value)
}
