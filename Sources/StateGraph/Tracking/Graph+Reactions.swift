// When groups and maps run.

extension Graph {
  /// Lets a reaction run in a visit of the actor of its own.
  @GraphActor
  func postpone(_ reaction: Reaction) {
    guard !reaction.isPostponed else { return passes(.isPostponedAlready) }
    passes(.postponesReaction)
    reaction.isPostponed = true
    if reaction.outermost.mustPause(reaction) { return }
    visit(core.pointee.machine.postpone(reaction))
  }

  /// Lets reactions run whose pause is over.
  @GraphActor
  fileprivate func resume(_ paused: PausedReactions) {
    for (reaction, generation) in paused.take() {
      if let reaction {
        visit(core.pointee.machine.resume(reaction, generation: generation))
      } else {
        core.pointee.machine.abandon(generation: generation)
      }
    }
  }

  @GraphActor
  private func visit(_ action: DeliveryStateMachine<NodeCell>.PostponedAction) {
    switch action {
    case .wait: return
    case .startVisit: GraphTasks.start("groups and maps") { runPostponed() }
    }
  }

  /// Runs the reactions that have been postponed, and those that they cause.
  @GraphActor
  private func runPostponed() {
    arrive()
    core.pointee.machine.visitBegan()
    repeat {
      while let (cell, generation) = core.pointee.machine.nextOfVisit() {
        passes(.runsPostponed)
        // SAFETY: Only `postpone` lets a cell wait for a visit.
        let reaction = unsafeDowncast(cell, to: Reaction.self)
        reaction.isPostponed = false
        if !isMutated(.skipsPostponed) {
          let outermost = reaction.outermost
          let begin = outermost.share.begins()
          react(reaction, inVisit: true)
          outermost.share.ended(begin)
        }
        core.pointee.machine.visited(generation)
      }
      arrive()
    } while !core.pointee.machine.visitEnds()
  }

  /// Runs a reaction if something that it has read has really changed.
  ///
  /// What it is nested in comes first: a new run of that would end it.
  @GraphActor
  func react(_ reaction: Reaction, inVisit isVisited: Bool = false) {
    if reaction.scope.isCancelled { return passes(.meetsCancelled) }
    // The run to come answers what the cleanups before it write.
    if reaction.isEndingRun { return passes(.isAboutToRun) }
    let isNested = reaction.outer != nil && !isMutated(.runsInnerFirst)
    if isNested, !runEnclosing(reaction, inVisit: isVisited) { return }
    guard !reaction.scope.isCancelled, reaction.id != .none else { return passes(.meetsCancelled) }
    guard bringUpToDate(reaction.id) else { return passes(.sparesReaction) }
    run(reaction)
  }

  /// Runs the reactions in whose runs a reaction was made, if something has changed for them.
  ///
  /// - Returns: False if one of them has to wait, and so the reaction waits.
  @GraphActor
  private func runEnclosing(_ reaction: Reaction, inVisit isVisited: Bool) -> Bool {
    for outer in enclosing(reaction) {
      guard outer.id != .none, !outer.scope.isCancelled,
        !core.pointee.engine.isClean(outer.id)
      else { continue }
      if outer.delivery == .coalesced, !isVisited {
        passes(.waitsForOuter)
        postpone(reaction)
        return false
      }
      passes(.runsOuterFirst)
      if bringUpToDate(outer.id) { run(outer) }
    }
    return true
  }

  /// Puts a reaction that is about to run back into its queue, if what has been written since it was
  /// taken out, by its cleanups or by destructors, concerns one that comes before it.
  ///
  /// - Returns: Whether it has to wait.
  @GraphActor
  func waitsForOuter(_ reaction: Reaction) -> Bool {
    guard reaction.outer != nil, reaction.id != .none else { return false }
    let isWaiting = enclosing(reaction).contains { outer in
      outer.id != .none && !core.pointee.engine.isClean(outer.id)
    }
    guard isWaiting else { return false }
    passes(.waitsForOuterAgain)
    core.pointee.engine.invalidate(reaction.id)
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
}

// MARK: - Pauses

extension Reaction {
  /// The reaction that is nested in no other, whose time counts for all that it has made.
  @GraphActor final var outermost: Reaction {
    var reaction = self
    while let outer = reaction.outer { reaction = outer }
    return reaction
  }

  /// Whether a reaction that this one has made, or itself, has to wait because the run before took long.
  @GraphActor
  fileprivate final func mustPause(_ reaction: Reaction) -> Bool {
    let paused = paused ?? PausedReactions()
    let isPaused = share.mustPause { [weak self, graph] in
      await self?.endPause()
      await graph.resume(paused)
    }
    guard isPaused else { return false }
    self.paused = paused
    paused.add(reaction, generation: graph.core.pointee.machine.pause())
    return true
  }

  @GraphActor
  private final func endPause() {
    share.wasWokenUp()
    paused = nil
  }
}

/// Reactions that wait for the end of a pause.
final class PausedReactions: Sendable {
  private struct Entry {
    weak var reaction: Reaction?
    let generation: UInt64
  }

  @GraphActor private var entries: [Entry] = []

  /// Adds a reaction, which is not kept.
  @GraphActor
  func add(_ reaction: Reaction, generation: UInt64) {
    entries.append(Entry(reaction: reaction, generation: generation))
  }

  /// Takes all of them out.
  @GraphActor
  func take() -> [(reaction: Reaction?, generation: UInt64)] {
    defer { entries = [] }
    return entries.map { ($0.reaction, $0.generation) }
  }
}
