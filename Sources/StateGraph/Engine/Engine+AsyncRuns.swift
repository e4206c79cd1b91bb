// Which nodes are downstream of async rules that run: only there does the end of a watcher matter.

extension Engine {
  /// Notes that an async rule runs whose results a node depends on, and so does everything downstream.
  ///
  /// - Complexity: O(edges of the nodes of which that was not known).
  @inline(never)
  package mutating func noteAsyncRun(above id: NodeID) {
    var rest = [id]
    while let next = rest.popLast() {
      let node = live(next)
      guard !node.pointee.flags.contains(.belowRun) else { continue }
      node.pointee.flags.insert(.belowRun)
      belowRuns.append(next)
      var edge = node.pointee.firstDependent
      while edge != .none {
        let record = edges[edge.index].pointee
        rest.append(record.dependent)
        edge = record.nextDependent
      }
    }
  }

  /// Notes that no async rule is running.
  ///
  /// - Complexity: O(nodes that have been noted).
  package mutating func asyncRunsEnded() {
    for id in belowRuns where nodes[id.index].pointee.flags.belong(to: id) {
      nodes[id.index].pointee.flags.remove(.belowRun)
    }
    belowRuns = []
  }

  /// Whether a node may be downstream of an async rule that is running.
  package func isBelowRun(_ id: NodeID) -> Bool { live(id).pointee.flags.contains(.belowRun) }
}
