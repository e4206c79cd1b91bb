// When groups and maps run.

extension Graph {
  /// Lets a reaction run in a visit of the actor of its own.
  @GraphActor
  func postpone(_ reaction: Reaction) {
    guard reaction.postponed == nil else { return passes(.isPostponedAlready) }
    passes(.postponesReaction)
    reaction.postponed = core.pointee.deliveries.began()
    core.pointee.postponed.append(reaction)
    guard core.pointee.postponed.count == 1 else { return }
    GraphTasks.start("groups and maps") { runPostponed() }
  }

  /// Runs the reactions that have been postponed, and those that they cause.
  @GraphActor
  private func runPostponed() {
    arrive()
    core.pointee.isRunningPostponed = true
    var next = 0
    while next < core.pointee.postponed.count {
      let reaction = core.pointee.postponed[next]
      next += 1
      guard let generation = reaction.postponed else {
        preconditionFailure("\(reaction.origin) was postponed and does not know")
      }
      passes(.runsPostponed)
      reaction.postponed = nil
      core.pointee.deliveries.enter(generation)
      if !isMutated(.skipsPostponed) { react(reaction) }
      core.pointee.deliveries.leave()
      core.pointee.deliveries.ended(generation)
    }
    core.pointee.postponed.removeAll(keepingCapacity: next < 1_000)
    core.pointee.isRunningPostponed = false
    arrive()
  }

  /// Runs a reaction if something that it has read has really changed.
  ///
  /// What it is nested in comes first: a new run of that would end it.
  @GraphActor
  func react(_ reaction: Reaction) {
    let isNested = reaction.outer != nil && !isMutated(.runsInnerFirst)
    if isNested, !settleEnclosing(reaction) { return }
    guard !reaction.scope.isCancelled, reaction.id != .none else { return passes(.meetsCancelled) }
    guard settle(reaction.id) else { return passes(.sparesReaction) }
    run(reaction)
  }

  /// Runs the reactions in whose runs a reaction was made, if something has changed for them.
  ///
  /// - Returns: False if one of them has to wait, and so the reaction waits.
  @GraphActor
  private func settleEnclosing(_ reaction: Reaction) -> Bool {
    for outer in enclosing(reaction) {
      guard outer.id != .none, !core.pointee.engine.isClean(outer.id) else { continue }
      if outer.delivery == .coalesced, !core.pointee.isRunningPostponed {
        passes(.waitsForOuter)
        postpone(reaction)
        return false
      }
      passes(.runsOuterFirst)
      if settle(outer.id) { run(outer) }
    }
    return true
  }

  /// The reactions in whose runs a reaction was made, the outermost first.
  @GraphActor
  private func enclosing(_ reaction: Reaction) -> [Reaction] {
    guard var outer = reaction.outer else { return [] }
    var enclosing = [outer]
    while let next = outer.outer {
      enclosing.append(next)
      outer = next
    }
    return enclosing.reversed()
  }

  @GraphActor
  private func run(_ reaction: Reaction) {
    guard !reaction.scope.isCancelled else { return }
    reaction.run()
  }

  /// Calls the cleanups of the reactions that have ended.
  @GraphActor
  func cleanUpEndedReactions() {
    while let reaction = core.pointee.endedReactions.popLast() {
      passes(.cleansUpAtEnd)
      reaction.cleanUp()
      reaction.outer?.noteEndOfInner()
    }
  }
}
