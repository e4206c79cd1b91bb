// When reactions run, and what a run is.

extension ReactionModel {
  /// Runs the immediate reactions that are queued, and postpones the others.
  func emptyQueue() {
    guard !isEmptyingQueue, runs.isEmpty else { return }
    isEmptyingQueue = true
    while !queue.isEmpty {
      let reaction = queue.removeFirst()
      reaction.isQueued = false
      if reaction.isCancelled, !unlinking.contains(where: { $0 === reaction }) { continue }
      if reaction.reaction.isImmediate { react(reaction) } else { postpone(reaction) }
    }
    isEmptyingQueue = false
  }

  private func postpone(_ reaction: Instance) {
    guard !reaction.isPostponed else { return }
    reaction.isPostponed = true
    postponed.append(reaction)
  }

  /// Runs those that wait for a visit, and those that join them meanwhile.
  private func visit() {
    var next = 0
    while next < postponed.count {
      let reaction = postponed[next]
      next += 1
      reaction.isPostponed = false
      react(reaction, inVisit: true)
    }
    postponed = []
  }

  /// Runs a reaction if one of its readings is not as it was, after those that it was made in.
  private func react(_ reaction: Instance, inVisit isVisited: Bool = false) {
    // The run to come answers what the cleanups before it write.
    if reaction.isCancelled || reaction.isEndingRun { return }
    for outer in enclosing(reaction) where outer.isMarked && !outer.isCancelled {
      if !outer.reaction.isImmediate, !isVisited { return postpone(reaction) }
      runIfChanged(outer)
    }
    if !reaction.isCancelled { runIfChanged(reaction) }
  }

  /// Those in whose runs a reaction was made, the outermost first.
  private func enclosing(_ reaction: Instance) -> [Instance] {
    var enclosing: [Instance] = []
    var outer = reaction.outer
    while let next = outer {
      enclosing.insert(next, at: 0)
      outer = next.outer
    }
    return enclosing
  }

  private func runIfChanged(_ reaction: Instance) {
    guard reaction.isMarked else { return }
    let mustRun = hasChanged(for: reaction.vertex)
    reaction.isMarked = false
    guard mustRun else { return }
    takeNote(for: reaction.vertex)
    if !reaction.isCancelled { run(reaction) }
  }

  private func run(_ reaction: Instance) {
    precondition(trace.count < 100_000, "the program does not come to rest")
    let hasMade = !reaction.inner.isEmpty || !reaction.cleanups.isEmpty
    for inner in reaction.inner.reversed() { cancel(inner) }
    reaction.isEndingRun = true
    cleanUp(reaction)
    reaction.isEndingRun = false
    guard !reaction.isCancelled else { return }
    if hasMade, enclosing(reaction).contains(where: { $0.isMarked && !$0.isCancelled }) {
      // What the cleanups have written concerns one that comes first.
      reaction.isMarked = true
      vertices[reaction.vertex].isForced = true
      enqueue(reaction)
      return emptyQueue()
    }
    let outer = maker
    maker = reaction
    let value = track(reaction)
    if let handler = reaction.reaction.handler { deliver(value, of: reaction, to: handler) }
    maker = outer
    // What its own writes have changed is found out at once.
    if reaction.isMarked, !reaction.isCancelled {
      let mustRun = hasChanged(for: reaction.vertex)
      if mustRun { enqueue(reaction) } else { reaction.isMarked = false }
    }
    emptyQueue()
  }

  /// Runs what is tracked.
  ///
  /// - Returns: The variable at the end.
  private func track(_ reaction: Instance) -> Int {
    let outer = (isTracking, writer)
    if reaction.body == nil { trace.append("reaction \(reaction.reaction.number) runs") }
    reaction.isMarked = false
    vertices[reaction.vertex].isForced = false
    begin(reaction.vertex)
    writer = reaction
    let value = perform(reaction.reaction.body, beginningWith: reaction.variable)
    reaction.body?()
    settleTemporaries(at: runs.count - 1)
    end()
    (isTracking, writer) = outer
    if reaction.isMarked {
      let readings = vertices[reaction.vertex].readings
      if differs(for: reaction.vertex) || readings.contains(where: { vertices[$0.node].isStale }) {
        enqueue(reaction)
      } else {
        reaction.isMarked = false
      }
    }
    return value
  }

  /// Gives the handler of a map a value that differs from the one before.
  private func deliver(
    _ value: Int, of reaction: Instance, to handler: [ReactionProgram.Statement]
  ) {
    guard reaction.latest != value else { return }
    reaction.latest = value
    reaction.undelivered.append(value)
    // A handler that is running further up the call stack gets it next.
    guard !reaction.isDelivering else { return }
    reaction.isDelivering = true
    while !reaction.undelivered.isEmpty {
      let value = reaction.undelivered.removeFirst()
      if reaction.isCancelled { continue }
      trace.append("handler of reaction \(reaction.reaction.number): \(value)")
      handling { perform(handler, beginningWith: value) }
    }
    reaction.isDelivering = false
  }
}

// MARK: - Beginnings and ends

extension ReactionModel {
  /// Makes a group or a map and runs it.
  ///
  /// - Parameters:
  ///   - reaction: What it is.
  ///   - variable: With what its closure begins.
  ///   - body: What it does, if that is not data.
  /// - Returns: The group or map; nil if what would end it has ended.
  @discardableResult
  func begin(
    _ reaction: ReactionProgram.Reaction, variable: Int, _ body: (() -> Void)? = nil
  ) -> Instance? {
    if let maker, maker.isCancelled { return nil }
    let instance = Instance(reaction, vertex: vertices.count, variable: variable, outer: maker)
    vertices.append(Vertex(reaction: instance))
    instance.body = body
    maker?.inner.append(instance)
    run(instance)
    return instance
  }

  /// Ends a reaction and what its run has made: the latest first, the innermost first.
  func cancel(_ reaction: Instance) {
    guard !reaction.isCancelled else { return }
    reaction.isCancelled = true
    for inner in reaction.inner.reversed() { cancel(inner) }
    ended.append(reaction)
    unlinking.append(reaction)
  }

  /// Begins something that finds no reaction any more that has ended.
  func enter(isArrival: Bool = false) {
    guard runs.isEmpty, staged == nil, !isEmptyingQueue else { return }
    removeReleased(isArrival: isArrival)
    for reaction in unlinking {
      forgetReadings(of: reaction.vertex)
      reaction.isMarked = false
    }
    unlinking = []
  }

  private func cleanUp(_ reaction: Instance) {
    for inner in reaction.inner.reversed() { cleanUp(inner) }
    reaction.inner = []
    let due = reaction.cleanups.reversed()
    reaction.cleanups = []
    for cleanup in due {
      trace.append("cleanup of reaction \(reaction.reaction.number)")
      handling { perform(cleanup.statements, beginningWith: cleanup.variable) }
    }
  }

  /// Does what is to be done when code comes from outside.
  func arrive() {
    enter(isArrival: true)
    for reaction in held { enqueue(reaction) }
    held = []
    while !ended.isEmpty { cleanUp(ended.removeFirst()) }
    emptyQueue()
  }

  /// Delivers all.
  func settle() {
    arrive()
    while !postponed.isEmpty {
      visit()
      arrive()
    }
  }
}
