// Writes, and what they queue.

extension ReactionModel {
  /// Assigns: commits, or stages in a transaction.
  func write(_ value: Int, to node: Int) {
    enter()
    settleTemporaries(beforeWriteTo: node)
    let old: Int
    if let place = staged?.firstIndex(where: { $0.node == node }) {
      old = staged?[place].value ?? 0
      staged?[place].value = value
      staged?[place].writer = writer
    } else {
      old = vertices[node].value ?? 0
      if staged != nil {
        staged?.append(Write(node: node, value: value, writer: writer))
      } else if old != value {
        commit([Write(node: node, value: value, writer: writer)])
      }
    }
    guard node < program.sources.count, let handler = program.handlers[node] else { return }
    // An equal assignment that a handler causes to its own node is not told to it.
    if old == value, handled.contains(node) { return }
    trace.append("handler of \(node): \(old) -> \(value)")
    handled.append(node)
    handling { perform(handler, beginningWith: value) }
    handled.removeLast()
  }

  /// Runs a body as one commit, or as a part of that which is open.
  func transaction(_ body: () -> Void) {
    guard staged == nil else { return body() }
    enter()
    staged = []
    body()
    let writes = staged ?? []
    staged = nil
    commit(writes.filter { $0.value != vertices[$0.node].value })
  }

  /// Runs a handler: it is not tracked, and its writes are those of no reaction.
  func handling(_ body: () -> Void) {
    let outer = (isTracking, writer, maker)
    (isTracking, writer, maker) = (false, nil, nil)
    body()
    (isTracking, writer, maker) = outer
  }

  private func commit(_ writes: [Write]) {
    if !writes.isEmpty { time += 1 }
    for write in writes {
      vertices[write.node].value = write.value
      vertices[write.node].changes += 1
    }
    for write in writes { mark(from: write) }
    emptyQueue()
  }

  /// Marks and queues the reactions downstream.
  private func mark(from write: Write) {
    var lists = [vertices[write.node].dependents]
    var isDirect = true
    while let dependents = lists.popLast() {
      for dependent in dependents {
        if let reaction = vertices[dependent.vertex].reaction {
          mark(reaction, along: dependent, from: write, isDirect: isDirect)
        } else if !vertices[dependent.vertex].isStale {
          vertices[dependent.vertex].isStale = true
          lists.append(vertices[dependent.vertex].dependents)
        }
      }
      isDirect = false
    }
  }

  private func mark(
    _ reaction: Instance, along dependent: Dependent, from write: Write, isDirect: Bool
  ) {
    guard let run = runs.firstIndex(where: { $0.vertex == reaction.vertex }) else {
      guard !reaction.isMarked else { return }
      reaction.isMarked = true
      return enqueue(reaction)
    }
    // What the run has not read yet, it finds as it is.
    guard
      let place = runs[run].readings.firstIndex(where: { $0.number == dependent.reading })
    else { return }
    if wasMade(write.node, in: reaction) {
      if isDirect { runs[run].readings[place].change += 1 } else { reaction.isUnsettled = true }
    } else if isDirect, write.writer === reaction {
      runs[run].readings[place].change += 1
    } else {
      reaction.isMarked = true
    }
  }

  /// Puts a reaction into the queue, once.
  func enqueue(_ reaction: Instance) {
    guard !reaction.isQueued else { return }
    reaction.isQueued = true
    queue.append(reaction)
  }
}
