// What tests ask the graph.

extension Graph {
  /// The number of nodes that have been met by the actor and not been removed.
  @GraphActor package var nodeCount: Int { core.pointee.engine.nodeCount }

  /// The number of edges between them.
  @GraphActor package var edgeCount: Int { core.pointee.engine.edgeCount }

  /// The number of async transactions and of runs of async rules that are under way.
  @GraphActor package var participantCount: Int { core.pointee.participantCount }

  /// Verifies the invariants of the dependency structure.
  ///
  /// - Returns: What is wrong, one sentence each; empty if nothing is.
  /// - Complexity: O(nodes + edges).
  @GraphActor package func brokenInvariants() -> [String] {
    core.pointee.engine.brokenInvariants()
  }
}
