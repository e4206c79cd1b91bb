// What causes what: each reaction that is queued knows the run or the handler that wrote what it
// answers, so a feedback is a reaction that is among its own causes again and again.

extension Graph {
  /// How often a reaction or a handler may be among its own causes.
  static var feedbackLimit: Int { 100 }

  /// Runs the closure of a reaction, or what belongs to its run.
  @GraphActor
  func running<R>(_ reaction: ReactionCell, _ body: @GraphActor () -> R) -> R {
    let cause = reaction.cause.take()
    if let cause { failIfFeedback(reaction, answering: cause) }
    core.pointee.machine.beginActivity(.run, of: reaction, answering: cause)
    defer { core.pointee.machine.endActivity() }
    return body()
  }

  /// Runs a handler: its reads are not tracked, and its writes are not own writes of a watcher.
  ///
  /// - Parameters:
  ///   - member: Whose handler it is, for messages.
  ///   - label: What messages call it if it belongs to no cell.
  ///   - cause: What it is a part of; nil if that is the code around the call.
  ///   - handler: The handler.
  /// - Returns: What the handler returns.
  @GraphActor
  func handling<R>(
    _ member: NodeCell?, label: StaticString = "", partOf cause: Cause? = nil,
    _ handler: @GraphActor () -> R
  ) -> R {
    core.pointee.machine.beginActivity(.handler, of: member, label: label, partOf: cause)
    defer { core.pointee.machine.endActivity() }
    return withoutOwnWrites { withoutTracking(handler) }
  }

  /// Runs the handler of the assignments of a node.
  ///
  /// A handler that assigns its own node another value again and again ends
  /// with a message.
  @GraphActor
  @usableFromInline
  func handlingAssignment(to cell: NodeCell, _ handler: @GraphActor () -> Void) {
    if core.pointee.machine.activities.handlerCount(of: cell) >= Self.feedbackLimit {
      failFeedback(
        ObjectIdentifier(cell), answering: core.pointee.machine.currentCause())
    }
    core.pointee.machine.beginActivity(.handlerOfAssignments, of: cell)
    defer { core.pointee.machine.endActivity() }
    withoutOwnWrites { withoutTracking(handler) }
  }

  /// Whether an equal assignment to a node is caused by the handler of its assignments.
  @GraphActor
  @usableFromInline
  func isHandlingAssignment(to cell: NodeCell) -> Bool {
    !core.pointee.machine.activities.isEmpty
      && core.pointee.machine.activities.handlerCount(of: cell) > 0
  }

  /// Runs a body whose writes are not the own writes of a watcher around it.
  @GraphActor
  func withoutOwnWrites<R>(_ body: @GraphActor () -> R) -> R {
    let interrupted = core.pointee.engine.beginHandler()
    defer { core.pointee.engine.endHandler(interrupted) }
    return body()
  }

  /// Marks what depends on nodes whose values have just been replaced, and notes who causes what.
  @GraphActor
  @inline(__always)
  func mark(_ body: @GraphActor () -> Void) {
    let count = core.pointee.engine.queuedReactionCount
    body()
    if !core.pointee.machine.activities.isEmpty { noteCauses(ofReactionsFrom: count) }
  }

  /// Tells the reactions that have just been marked what causes their next run.
  @GraphActor
  private func noteCauses(ofReactionsFrom first: Int) {
    while let id = core.pointee.engine.takeNewlyMarked() { noteCause(of: id) }
    for index in first..<max(first, core.pointee.engine.queuedReactionCount) {
      noteCause(of: core.pointee.engine.queuedReaction(at: index))
    }
  }

  @GraphActor
  private func noteCause(of id: NodeID) {
    // SAFETY: Only reactions are in their queue.
    let reaction = unsafeDowncast(cell(of: id), to: ReactionCell.self)
    if reaction.cause == nil { reaction.cause = core.pointee.machine.currentCause() }
  }

  @GraphActor
  private func failIfFeedback(_ reaction: ReactionCell, answering cause: Cause) {
    // What has caused nothing under this root is not among the causes.
    guard reaction.latestRoot == cause.root else { return }
    let member = ObjectIdentifier(reaction)
    if Cause.repetitions(of: member, in: cause) >= Self.feedbackLimit {
      failFeedback(member, answering: cause)
    }
  }

  @GraphActor
  private func failFeedback(_ member: ObjectIdentifier, answering cause: Cause) -> Never {
    failFeedback(of: Cause.cycle(of: member, from: cause), limit: Self.feedbackLimit)
  }
}

// MARK: - Nodes that a run has made

extension Graph {
  /// Brings up to date what a running watcher has read and then changed by nodes that it has made:
  /// that is no news to it.
  @GraphActor
  func absorbOwnChanges(of watcher: NodeID) {
    // If others have changed something, too, it is news all the same.
    if core.pointee.engine.marks(of: watcher).isEmpty {
      for id in core.pointee.engine.staleDependencies(of: watcher) { bringUpToDate(id) }
    }
    core.pointee.engine.noteAbsorbed(watcher)
  }

  /// Does the same for all running watchers to whom a write is news, before it is made.
  @GraphActor
  func absorbOwnChanges(beforeWriteTo cell: NodeCell) {
    for watcher in core.pointee.engine.runningWatchers
    where core.pointee.engine.hasOwnChanges(watcher)
      && !core.pointee.engine.wasMade(in: cell.madeInRun, byRunOf: watcher)
    {
      passes(.absorbsOwnChanges)
      absorbOwnChanges(of: watcher)
    }
  }
}
