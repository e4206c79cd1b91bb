// Walks: a read brings what it needs up to date, dependencies first, in the order in which they
// were read, and stops at the first that changed. So a rule such as `list.count > 5 ? item : nil`
// never has `item` evaluated for it after the list shrank.

extension Engine {
  /// The state of one walk over what a node depends on.
  ///
  /// Walks nest: a rule that runs in the middle of one may read a node that needs another.
  @usableFromInline
  package struct Walk {
    /// The node that is to be brought up to date.
    let target: NodeID
    /// The height of `descents` when the walk began.
    let bottom: Int
  }

  /// Begins to bring a node up to date.
  package mutating func beginWalk(to target: NodeID) -> Walk {
    live(target).pointee.caller = running
    return Walk(target: target, bottom: descents.count)
  }

  /// What a walk needs from the owner of the engine.
  @usableFromInline
  package enum Step: Equatable {
    /// The target is clean.
    case finished
    /// This dirty node has to run before the walk can go on.
    case run(NodeID)
    /// The walk needs `met` to check `checked`, and `met` is itself waiting for the walk.
    case cycle(met: NodeID, checked: NodeID)
  }

  /// Goes on with a walk until a rule has to run.
  ///
  /// The owner runs it and asks again. When the target is a watcher, being told the target means
  /// that something it watches has changed, and ends the walk.
  ///
  /// A busy node that comes up in a check is a true cycle: dependencies are checked in reading
  /// order and everything read before it is unchanged, so the rule would read it again.
  ///
  /// - Complexity: O(edges checked); over a whole walk, each edge of a marked node once.
  package mutating func advance(_ walk: Walk) -> Step {
    var node =
      descents.count > walk.bottom
      ? edges[descents[descents.count - 1].index].pointee.dependency : walk.target
    // The edge behind which the check of `node` goes on; none for the start of its list.
    var checked = EdgeID.none
    while true {
      let flags = nodes[node.index].pointee.flags
      if flags.contains(.dirty) { return .run(node) }
      if flags.contains(.pending) {
        nodes[node.index].pointee.flags.insert(.checking)
        if let next = nextStaleDependency(of: node, after: checked) {
          let dependency = edges[next.index].pointee.dependency
          if !nodes[dependency.index].pointee.flags.isDisjoint(with: .busy) {
            return .cycle(met: dependency, checked: node)
          }
          passes(.checksUpstream)
          descents.push(next)
          node = dependency
          checked = .none
          continue
        }
        if flags.contains(.fallback), cyclicCount > 0, !isMutated(.keepsFallback) {
          // It may have become a member of a cycle although what it reads is as before.
          nodes[node.index].pointee.flags.insert(.dirty)
          nodes[node.index].pointee.flags.remove(.checking)
          return .run(node)
        }
        passes(.verifiesClean)
        nodes[node.index].pointee.flags.subtract([.pending, .checking])
      }
      // The node is clean: go back to who wanted to know.
      guard descents.count > walk.bottom, let back = descents.pop() else { return .finished }
      node = edges[back.index].pointee.dependent
      if nodes[node.index].pointee.flags.contains(.dirty) {
        passes(.stopsAtChange)
        nodes[node.index].pointee.flags.remove(.checking)
      }
      checked = back
    }
  }

  /// Goes on with a walk after the rule has run that it needed, without looking at more than it must.
  ///
  /// - Parameters:
  ///   - walk: The walk.
  ///   - changed: Whether the node that has run has a new value.
  /// - Returns: Who needed it, if that has to run next for certain; nil to ask `advance`.
  @inline(__always)
  package mutating func climb(_ walk: Walk, changed: Bool) -> NodeID? {
    guard changed, descents.count > walk.bottom, let back = descents.pop() else { return nil }
    passes(.stopsAtChange)
    // What has changed has made dirty whoever was checking it.
    let node = edges[back.index].pointee.dependent
    nodes[node.index].pointee.flags.remove(.checking)
    return node
  }

  /// The first dependency behind an edge, or behind the start of the list, that is not current.
  ///
  /// Inlined: a call of a method that does not change the engine makes the compiler copy it first.
  @inline(__always)
  private func nextStaleDependency(of id: NodeID, after edge: EdgeID) -> EdgeID? {
    var next =
      edge == .none
      ? nodes[id.index].pointee.firstDependency : edges[edge.index].pointee.nextDependency
    while next != .none {
      let record = edges[next.index].pointee
      let isSkipped = isMutated(.checksLastOnly) && record.nextDependency != .none
      let isCurrent = nodes[record.dependency.index].pointee.flags.isDisjoint(with: .notCurrent)
      if !isCurrent, !isSkipped { return next }
      next = record.nextDependency
    }
    return nil
  }

  /// Finds the way from a busy node through those that wait for each other back to it.
  ///
  /// - Parameters:
  ///   - id: A busy node that is needed again.
  ///   - last: The node that needs it: the running one, or the one that a walk is checking.
  /// - Returns: Nodes of which each reads the next; the first and the last are the same.
  package func cyclePath(to id: NodeID, from last: NodeID) -> [NodeID] {
    var path = [id]
    var height = descents.count
    var node = last
    while node != .none {
      path.append(node)
      if node == id { break }
      if height > 0, edges[descents[height - 1].index].pointee.dependency == node {
        height -= 1
        node = edges[descents[height].index].pointee.dependent
      } else {
        node = nodes[node.index].pointee.caller
      }
    }
    return path.reversed()
  }
}

// MARK: - Walks of others

extension Engine {
  /// Notes that somebody else's walk is checking a node.
  ///
  /// - Parameters:
  ///   - id: The node that is checked.
  ///   - caller: The node that needs this one, or none if it is the walk's target.
  package mutating func beginCheck(_ id: NodeID, caller: NodeID) {
    let node = live(id)
    node.pointee.flags.insert(.checking)
    node.pointee.caller = caller == .none ? running : caller
  }

  /// Notes the end of what `beginCheck` began.
  package mutating func endCheck(_ id: NodeID) {
    nodes[id.index].pointee.flags.remove(.checking)
  }

  /// Collects the nodes that a change of a node can reach.
  ///
  /// - Complexity: O(edges of the nodes that are not in `reached` before the call).
  package mutating func collectDownstream(of source: NodeID, into reached: inout Set<NodeID>) {
    unvisited.push(live(source).pointee.firstDependent)
    while let first = unvisited.pop() {
      var edge = first
      while edge != .none {
        let record = edges[edge.index].pointee
        if reached.insert(record.dependent).inserted {
          unvisited.push(nodes[record.dependent.index].pointee.firstDependent)
        }
        edge = record.nextDependent
      }
    }
  }
}
