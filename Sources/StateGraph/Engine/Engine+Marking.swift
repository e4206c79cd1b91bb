// Marking: a write pushes marks downstream and runs nothing.

extension Engine {
  /// Marks the dependents of a node that has changed.
  ///
  /// Direct dependents become dirty, the rest pending; a node that is marked already is not
  /// entered again. Watchers that become marked are queued.
  ///
  /// - Parameter source: The node whose value has just been replaced.
  /// - Complexity: O(direct dependents + edges of the nodes not marked before the call).
  /// - Precondition: No rule is running but a watcher's (I7).
  package mutating func markDependents(of source: NodeID) {
    mark(from: nodes[source.index].pointee.firstDependent, as: .dirty)
    while let next = unvisited.pop() {
      mark(from: next, as: .pending)
    }
  }

  /// Marks the dependents in one list, and goes down as long as the path does not fork.
  private mutating func mark(from first: EdgeID, as firstMark: NodeFlags) {
    var edge = first
    var mark = firstMark
    while edge != .none {
      let record = edges[edge.index].pointee
      let node = nodes[record.dependent.index]
      let flags = node.pointee.flags
      node.pointee.flags = flags.union(mark)
      edge = record.nextDependent
      guard flags.isDisjoint(with: .marked) else { continue }
      if flags.contains(.watcher) {
        if !flags.contains(.running) { enqueue(record.dependent) }
      } else if node.pointee.firstDependent != .none {
        if edge == .none {
          edge = node.pointee.firstDependent
          mark = .pending
        } else {
          unvisited.push(node.pointee.firstDependent)
        }
      }
    }
  }

  /// Makes dirty whoever waits to hear whether a node has changed: it has.
  ///
  /// - Complexity: O(dependents).
  mutating func promoteDependents(of id: NodeID) {
    var edge = nodes[id.index].pointee.firstDependent
    while edge != .none {
      let record = edges[edge.index].pointee
      let node = nodes[record.dependent.index]
      if node.pointee.flags.contains(.pending) { node.pointee.flags.insert(.dirty) }
      edge = record.nextDependent
    }
  }
}

// MARK: - Watchers

extension Engine {
  /// Puts a watcher into the queue, once.
  mutating func enqueue(_ id: NodeID) {
    let node = nodes[id.index]
    guard !node.pointee.flags.contains(.queued) else { return }
    node.pointee.flags.insert(.queued)
    notified.push(id)
  }

  /// Takes the watcher out of the queue that was marked first, if there is one.
  ///
  /// It keeps its marks: `nextToRun` tells whether something has really changed.
  package mutating func takeNotified() -> NodeID? {
    while notifiedTaken < notified.count {
      let id = notified[notifiedTaken]
      notifiedTaken += 1
      guard id != .none else { continue }
      nodes[id.index].pointee.flags.remove(.queued)
      return id
    }
    notified.removeAll()
    notifiedTaken = 0
    return nil
  }

  /// Forgets the marks of a watcher that has taken notice of them.
  package mutating func clearMarks(_ id: NodeID) {
    nodes[id.index].pointee.flags.subtract(.marked)
  }

  /// Makes a watcher read a node, after what it reads already.
  package mutating func watch(_ id: NodeID, by watcher: NodeID) {
    _ = link(watcher, to: id, after: .none)
  }
}
