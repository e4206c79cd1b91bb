// Commits: the atomic step that makes new stored values visible, and the deliveries it causes.

extension Graph {
  /// Traps if a write is a mistake at the moment, and begins a visit of the actor otherwise.
  @GraphActor
  @usableFromInline
  func prepareToWrite(_ cell: NodeCell) {
    let running = core.pointee.engine.running
    if running != .none, !core.pointee.engine.isWatcher(running) {
      failWrite(to: cell, inRuleOf: running)
    }
    if let ban = core.pointee.writeBan { failWrite(to: cell, during: ban) }
    enter()
  }

  /// Commits one value that its cell has just replaced.
  @GraphActor
  @usableFromInline
  func commit(_ cell: NodeCell) {
    core.pointee.version += 1
    if cell.id != .none { core.pointee.engine.markDependents(of: cell.id) }
    announce { [cell.identity] }
    flush()
  }

  /// Commits values that their cells have just replaced, as one version.
  @GraphActor
  func commit(_ cells: [NodeCell]) {
    core.pointee.version += 1
    for cell in cells where cell.id != .none {
      core.pointee.engine.markDependents(of: cell.id)
    }
    announce { cells.map(\.identity) }
    flush()
  }

  /// Tells the streams of commits, if there are any.
  @GraphActor
  private func announce(_ changedNodes: () -> [GraphNodeID]) {
    admitCommitWatchers()
    guard !core.pointee.commitWatchers.isEmpty else { return }
    let commit = GraphCommit(version: core.pointee.version, changedNodes: changedNodes())
    for watcher in core.pointee.commitWatchers { watcher.committed(commit) }
  }

  /// Takes in the streams of commits that have begun since the last commit.
  @GraphActor
  func admitCommitWatchers() {
    var next = core.pointee.arrivals.takeAllIfAny()
    while let unmanaged = next {
      let arrival = unmanaged.takeRetainedValue()
      next = arrival.nextInStack.map { Unmanaged.fromOpaque($0) }
      core.pointee.commitWatchers.append(arrival.watcher)
    }
  }

  /// Makes the deliveries that are due.
  ///
  /// A delivery that commits does not deliver on top of itself: what it causes is delivered after
  /// it, by the loop that is already under way.
  @GraphActor
  func flush() {
    guard !core.pointee.isFlushing else { return }
    guard var next = core.pointee.engine.takeNotified() else { return }
    core.pointee.isFlushing = true
    // Whoever wrote must not become a reader of what deliveries read.
    withoutTracking {
      while true {
        // SAFETY: Only watchers are queued.
        unsafeDowncast(cell(of: next), to: WatcherCell.self).notified()
        guard let following = core.pointee.engine.takeNotified() else { return }
        next = following
      }
    }
    core.pointee.isFlushing = false
  }
}
