// What tests ask the graph.

import Synchronization

extension Graph {
  /// The number of nodes that have been met by the actor and not been removed.
  @GraphActor package var nodeCount: Int { core.pointee.engine.nodeCount }

  /// The number of edges between them.
  @GraphActor package var edgeCount: Int { core.pointee.engine.edgeCount }

  /// The number of async transactions and of runs of async rules that are under way.
  @GraphActor package var participantCount: Int {
    core.pointee.participants.load(ordering: .relaxed)
  }

  /// Those who read outside of the actor, so that a test can be one.
  package var readers: ReaderEpochs { core.pointee.readers }

  /// Verifies the invariants of the dependency structure.
  ///
  /// - Returns: What is wrong, one sentence each; empty if nothing is.
  /// - Complexity: O(nodes + edges).
  @GraphActor package func brokenInvariants() -> [String] {
    core.pointee.engine.brokenInvariants()
  }
}

extension Stored {
  /// The number of streams, waits, groups and maps that read the node itself.
  @GraphActor package var watcherCount: Int {
    guard cell.id != .none else { return 0 }
    let core = cell.graph.core
    return core.pointee.engine.dependents(of: cell.id)
      .filter { core.pointee.engine.isWatcher($0) }.count
  }
}

extension Graph {
  /// The number of replaced values that open transactions can still read.
  @GraphActor package var replacedValueCount: Int { transactions.replaced.count }

  /// Whether transactions that have met a conflict go first on some nodes.
  @GraphActor package var hasClaims: Bool { !transactions.claims.isEmpty }

  /// The number of replaced values of one node that open transactions can still read.
  @GraphActor package func replacedValueCount(of id: GraphNodeID) -> Int {
    transactions.replaced.count(of: id)
  }
}
