/// The global actor that serialises the graph.
///
/// Every node belongs to it. Code that is isolated to `GraphActor` reads and writes nodes
/// synchronously; all other code awaits.
///
/// ```swift
/// @GraphActor final class Counter {
///   @GraphStored var count = 0
/// }
/// let counter = await Counter()
/// await counter.$count.set(5)
/// print(await counter.count)
/// ```
@globalActor
public actor GraphActor {
  /// The one instance.
  public static let shared = GraphActor()

  /// Runs a body on the actor in one step.
  ///
  /// Between its first and its last statement nothing is committed but what it writes itself, and
  /// what handlers, and destructors of replaced values, write because of that. So everything that it
  /// reads, if it writes nothing, belongs to one version. What it gives up is freed after it. Each of
  /// its writes is a commit of its own; use `withGraphTransaction(_:)` to make them one.
  ///
  /// - Parameter body: Code that reads or writes nodes.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; writes made before stay.
  public static func run<R: Sendable>(_ body: @GraphActor () throws -> R) async rethrows -> R {
    try await perform(body)
  }

  @GraphActor
  private static func perform<R>(_ body: @GraphActor () throws -> R) rethrows -> R {
    Graph.shared.arrive()
    return try body()
  }

  /// Reads nodes without depending on them.
  ///
  /// For the code of tracked expressions, groups and async rules; a rule of a computed node can also
  /// ask its context. Computed nodes that are read in the body are brought up to date as usual and
  /// track what they read themselves. In a transaction the reads belong to it all the same.
  ///
  /// - Parameter body: Reads nodes.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  @GraphActor
  public static func withoutTracking<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    try Graph.shared.withoutTracking(body)
  }
}

// MARK: - Isolation

extension GraphActor {
  /// Runs a body that is known to run on the actor already.
  ///
  /// - Precondition: The current code runs on the actor.
  static func assumingIsolation<R>(_ body: @GraphActor () -> R) -> R {
    shared.preconditionIsolated()
    return withoutActuallyEscaping(body) { body in
      // SAFETY: The isolation has been verified; it is no part of a closure's representation.
      unsafeBitCast(body, to: (() -> R).self)()
    }
  }
}
