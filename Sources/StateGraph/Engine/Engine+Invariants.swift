extension Engine {
  /// Verifies every invariant of the engine's data that `Docs/INVARIANTS.md` numbers.
  ///
  /// For tests and stress runs; nothing in the engine calls it.
  ///
  /// - Returns: What is wrong, one sentence each; empty if nothing is.
  /// - Complexity: O(nodes + edges).
  package func brokenInvariants() -> [String] {
    var broken: [String] = []
    let freeNodes = nodes.freeIndices()
    let freeEdges = edges.freeIndices()
    var edgesInDependencies = 0
    var edgesInDependents = 0

    for index in 1..<UInt32(nodes.endIndex) {
      let node = nodes[index].pointee
      let isFree = freeNodes.contains(index)
      if node.flags.contains(.live) == isFree {
        broken.append("I1: node \(index) is both free and live, or neither")
      }
      if isFree { continue }

      var read: Set<NodeID> = []
      var previous = EdgeID.none
      var next = node.firstDependency
      while next != .none {
        let edge = edges[next.index].pointee
        edgesInDependencies += 1
        if freeEdges.contains(next.index) { broken.append("I2: edge \(next.index) is free") }
        if edge.dependent.index != index || edge.previousDependency != previous {
          broken.append("I2: edge \(next.index) is in the wrong place of \(index)'s dependencies")
        }
        if !read.insert(edge.dependency).inserted {
          broken.append("I3: node \(index) has two edges to \(edge.dependency.index)")
        }
        if edgesInDependencies > edges.count {
          return broken + ["I2: the dependencies of \(index) do not end"]
        }
        previous = next
        next = edge.nextDependency
      }

      previous = .none
      next = node.firstDependent
      while next != .none {
        let edge = edges[next.index].pointee
        edgesInDependents += 1
        if edge.dependency.index != index || edge.previousDependent != previous {
          broken.append("I2: edge \(next.index) is in the wrong place of \(index)'s dependents")
        }
        if !node.flags.isDisjoint(with: .marked), isClean(edge.dependent),
          !nodes[edge.dependent.index].pointee.flags.contains(.running)
        {
          broken.append("I4: node \(index) is marked, its dependent \(edge.dependent.index) is not")
        }
        if node.flags.contains(.spread), !isDirty(edge.dependent),
          !nodes[edge.dependent.index].pointee.flags.contains(.running)
        {
          broken.append("I16: node \(index) is spread, \(edge.dependent.index) is not dirty")
        }
        if edgesInDependents > edges.count {
          return broken + ["I2: the dependents of \(index) do not end"]
        }
        previous = next
        next = edge.nextDependent
      }
      if node.lastDependent != previous {
        broken.append("I2: the dependents of \(index) end before their tail")
      }
      if node.flags.contains(.published), !node.flags.isDisjoint(with: .marked) {
        broken.append("I14: node \(index) is published and marked")
      }
      if running == .none, !node.flags.isDisjoint(with: .busy) {
        broken.append("I6: node \(index) is busy while nothing runs")
      }
    }

    if edgesInDependencies != edges.count || edgesInDependents != edges.count {
      broken.append(
        "I2: \(edges.count) edges, \(edgesInDependencies) in lists of dependencies, "
          + "\(edgesInDependents) in lists of dependents")
    }
    if unpublishing.count != 0 {
      broken.append("I14: \(unpublishing.count) marked nodes have not been unpublished")
    }
    if running == .none, descents.count != 0 || unvisited.count != 0 {
      broken.append("I6: a walk has left \(descents.count + unvisited.count) entries behind")
    }
    return broken
  }
}
