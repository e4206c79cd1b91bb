// Cycles of nodes of which some have fallbacks: edges are data, so they may form one.

extension Engine {
  /// Makes a node run that a walk is checking, because it is a member of a cycle.
  package mutating func breakCheck(of id: NodeID) {
    let node = live(id)
    guard !node.pointee.flags.contains(.running) else { return }
    node.pointee.flags.insert(.dirty)
    node.pointee.flags.remove(.checking)
  }

  /// Notes that a node has a fallback for cycles.
  package mutating func noteFallback(_ id: NodeID) {
    live(id).pointee.flags.insert(.fallback)
    fallbackCount += 1
  }

  /// Whether some node has a fallback for cycles.
  package var hasFallbacks: Bool { fallbackCount > 0 }

  /// Whether a node has a fallback for cycles.
  package func hasFallback(_ id: NodeID) -> Bool { live(id).pointee.flags.contains(.fallback) }

  /// Notes whether a node has its fallback for a value.
  package mutating func setCyclic(_ id: NodeID, _ isCyclic: Bool) {
    let node = live(id)
    guard node.pointee.flags.contains(.cyclic) != isCyclic else { return }
    if isCyclic {
      node.pointee.flags.insert(.cyclic)
      cyclicCount += 1
    } else {
      node.pointee.flags.remove(.cyclic)
      cyclicCount -= 1
    }
  }

  /// Whether some node has its fallback for a value.
  package var hasCycles: Bool { cyclicCount > 0 }

  /// A cycle of which the running node is a member: what it has read leads to a node that waits for it.
  ///
  /// - Parameter reads: What each node has read.
  /// - Returns: Nodes of which each reads the next, and the last the first, which is the running node;
  ///   nil if there is no such cycle.
  /// - Complexity: O(nodes and edges upstream).
  package func cycleOfRunning(reads: (NodeID) -> [NodeID]) -> [NodeID]? {
    var callers: [NodeID: NodeID] = [:]
    var unvisited: [NodeID] = [running]
    while let id = unvisited.popLast() {
      for read in reads(id) {
        if read == running { return cycle(through: id, callers, closedBy: nil) }
        guard callers[read] == nil else { continue }
        callers[read] = id
        // Whoever is busy waits for the running node.
        if !nodes[read.index].pointee.flags.isDisjoint(with: .busy) {
          return cycle(through: read, callers, closedBy: cyclePath(to: read, from: running))
        }
        unvisited.append(read)
      }
    }
    return nil
  }

  /// What the running node has read so far; what is behind that belongs to its run before.
  package var dependenciesOfRunning: [NodeID] {
    var result: [NodeID] = []
    guard readerTail != .none, reader == running else { return result }
    var edge = nodes[running.index].pointee.firstDependency
    while edge != .none {
      result.append(edges[edge.index].pointee.dependency)
      if edge == readerTail { break }
      edge = edges[edge.index].pointee.nextDependency
    }
    return result
  }

  /// The way from the running node to one that it has led to, and from there back.
  private func cycle(
    through last: NodeID, _ callers: [NodeID: NodeID], closedBy back: [NodeID]?
  ) -> [NodeID] {
    var way: [NodeID] = [last]
    while let last = way.last, last != running, let caller = callers[last] { way.append(caller) }
    way.reverse()
    // The way back begins with `last`, and ends with the running node and `last` again.
    return way + (back.map { Array($0.dropFirst().dropLast(2)) } ?? [])
  }
}
