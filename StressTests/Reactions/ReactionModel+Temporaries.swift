// Nodes that a run has made.

extension ReactionModel {
  /// A stored node, the computed node over it that holds it, and the groups that do.
  struct Temporary {
    let stored: Int
    let computed: Int
    let holders: [Instance]
    var isComputedRemoved = false
    var isLetGo = false

    /// Whether nobody holds the stored node.
    var isEnded: Bool { isLetGo && holders.allSatisfy { $0.isCancelled } }
  }

  /// Makes nodes and uses them; the computed one ends with this.
  func use(_ temporary: ReactionProgram.Temporary, _ variable: inout Int) {
    let stored = vertices.count
    let computed = stored + 1
    vertices.append(Vertex(value: variable % 4, maker: writer))
    vertices.append(Vertex(rule: .sum(stored, temporary.addend), maker: writer))
    var holders: [Instance] = []
    for use in temporary.uses {
      switch use {
      case .readStored: see(temporary: stored, &variable)
      case .readComputed: see(temporary: computed, &variable)
      case .assign(let number): write((variable + number) % 5, to: stored)
      case .assignInGroup(let number):
        let group = beginGroup { [variable, unowned self] in
          write((variable + number) % 5, to: stored)
        }
        if let group { holders.append(group) }
      case .writeInGroup(let assignment):
        beginGroup { [variable, unowned self] in
          write(assignment.value(of: variable), to: assignment.node)
        }
      }
    }
    temporaries.append(Temporary(stored: stored, computed: computed, holders: holders))
  }

  private func see(temporary: Int, _ variable: inout Int) {
    let value = read(temporary)
    trace.append("a temporary is seen: \(value)")
    ReactionProgram.mix(value, into: &variable)
  }

  /// Makes a group that reads nothing, and so runs once.
  @discardableResult
  private func beginGroup(_ body: @escaping () -> Void) -> Instance? {
    begin(ReactionProgram.Reaction(number: -1, isImmediate: false, body: []), variable: 0, body)
  }

  /// Removes the nodes that nobody holds: who has read a computed one has read what that has read.
  ///
  /// - Parameter isArrival: Whether what the computed ones hold is let go of, too.
  func removeReleased(isArrival: Bool) {
    for place in temporaries.indices where !temporaries[place].isComputedRemoved {
      let node = temporaries[place].computed
      for dependent in vertices[node].dependents { bequeath(node, to: dependent) }
      vertices[node].dependents = []
      forgetReadings(of: node)
      temporaries[place].isComputedRemoved = true
    }
    for place in temporaries.indices where isArrival { temporaries[place].isLetGo = true }
    for temporary in temporaries where temporary.isEnded {
      for dependent in vertices[temporary.stored].dependents {
        vertices[dependent.vertex].readings.removeAll { $0.number == dependent.reading }
      }
      vertices[temporary.stored].dependents = []
    }
    temporaries.removeAll { $0.isEnded }
  }

  private func bequeath(_ node: Int, to dependent: Dependent) {
    let heir = dependent.vertex
    guard
      let place = vertices[heir].readings.firstIndex(where: { $0.number == dependent.reading })
    else { return }
    let reading = vertices[heir].readings.remove(at: place)
    // What is out of date when it goes is news.
    if vertices[node].isStale || reading.change != vertices[node].changes {
      vertices[heir].isForced = true
      if let reaction = vertices[heir].reaction, !reaction.isMarked {
        reaction.isMarked = true
        held.append(reaction)
      }
    }
    if vertices[node].isStale { return }
    var next = place
    for inherited in vertices[node].readings
    where !vertices[heir].readings.contains(where: { $0.node == inherited.node }) {
      readingCount += 1
      vertices[heir].readings.insert(
        Reading(number: readingCount, node: inherited.node, change: inherited.change), at: next)
      vertices[inherited.node].dependents.append(
        Dependent(reading: readingCount, vertex: heir))
      next += 1
    }
  }

  /// Whether a node was made in a run, or in one that is nested in it.
  func wasMade(_ node: Int, in reaction: Instance) -> Bool {
    var maker = vertices[node].maker
    while let next = maker {
      if next === reaction { return true }
      maker = next.outer
    }
    return false
  }

  /// Takes for read what running reactions have changed by nodes that they have made, before a write
  /// that is news to them.
  func settleTemporaries(beforeWriteTo node: Int) {
    for place in runs.indices.reversed() {
      guard let reaction = vertices[runs[place].vertex].reaction, reaction.isUnsettled,
        !wasMade(node, in: reaction)
      else { continue }
      settleTemporaries(at: place)
    }
  }

  /// Takes for read what a running reaction has changed by nodes that it has made.
  func settleTemporaries(at place: Int) {
    guard let reaction = vertices[runs[place].vertex].reaction, reaction.isUnsettled else { return }
    reaction.isUnsettled = false
    if reaction.isMarked { return }
    for index in runs[place].readings.indices {
      let node = runs[place].readings[index].node
      untracked { bringUpToDate(node) }
      runs[place].readings[index].change = vertices[node].changes
    }
  }
}
