// Running rules: the engine says which, this runs them.

import Synchronization

extension Graph {
  /// Brings a derived node up to date and records that the running rule has read it.
  ///
  /// This function, the step and the getter of `wrappedValue` are on the stack once for every rule
  /// that is nested in another. They are small on purpose: debug builds keep all temporaries of a
  /// function apart.
  ///
  /// - Returns: Inside a transaction the staged value, unless the cached value holds there too;
  ///   otherwise nil.
  /// - Complexity: O(1) if it is up to date.
  @GraphActor
  @usableFromInline
  func evaluate(_ cell: RuleCell) -> AnyStagedValue? {
    let run = beginRun(for: cell)
    if run != .none { end(run, changed: cell.step(cell, run.evaluation)) }
    return recordRead(of: cell)
  }

  /// A run of a node's own rule that a read of the node has begun.
  @usableFromInline
  enum BegunRun {
    /// None: all is done.
    case none
    /// For the committed graph.
    case committed
    /// For the transaction in whose synchronous code the actor is.
    case staged
    /// For a transaction in whose synchronous code the actor is until the run ends.
    case stagedApart
    /// For those that wait for the node, which waits for them: see `meetCycle`.
    case provisional

    /// Where the result goes.
    var evaluation: RuleCell.Evaluation {
      switch self {
      case .committed: .committed
      case .provisional: .provisional
      case .none, .staged, .stagedApart: .staged
      }
    }
  }

  /// Does all that can be done for a read without running the node's own rule.
  @GraphActor
  private func beginRun(for cell: RuleCell) -> BegunRun {
    if !isOrdinary {
      if core.pointee.engine.running == .none { enter() }
      if let transaction = openTransaction {
        if cell.id == .none { register(cell) }
        return transaction.beginRun(for: cell)
      }
    }
    if cell.id == .none { register(cell) }
    guard !core.pointee.engine.isCurrent(cell.id) else { return .none }
    if core.pointee.engine.isBusy(cell.id) { return beginProvisionalRun(for: cell) }
    if core.pointee.engine.running != .none { passes(.runsNested) }
    if core.pointee.engine.isDirty(cell.id) {
      passes(.readsDirty)
      begin(cell.id)
      return .committed
    }
    passes(.readsPending)
    bringUpToDate(cell.id, isRead: true)
    return .none
  }

  /// Derives the provisional value of a node that is read by a rule that it waits for.
  @GraphActor
  func beginProvisionalRun(for cell: RuleCell) -> BegunRun {
    let run = meetCycle(at: cell)
    if run == .provisional { deriveProvisionally(cell) }
    return .none
  }

  /// Ends a run that may be nested in others; apart, because its temporaries must not be on the stack
  /// of `evaluate` while the rule runs.
  @GraphActor
  private func end(_ run: BegunRun, changed: Bool) {
    if run == .committed {
      end(changed: changed, isRead: true)
    } else {
      openTransaction?.endRun(run)
    }
  }

  @GraphActor
  private func recordRead(of cell: RuleCell) -> AnyStagedValue? {
    if core.pointee.cycles.provisional != nil { return recordProvisionalRead(of: cell) }
    if mayParticipate {
      if let transaction = openTransaction {
        noteStagedRead(of: cell.id, in: transaction)
        return transaction.stagedValue(of: cell)
      }
      recordAsyncRead(of: cell)
    }
    core.pointee.engine.recordRead(of: cell.id)
    return nil
  }

  @GraphActor
  private func recordProvisionalRead(of cell: RuleCell) -> AnyStagedValue? {
    if let transaction = openTransaction {
      noteStagedRead(of: cell.id, in: transaction)
    } else {
      core.pointee.engine.recordRead(of: cell.id)
    }
    return core.pointee.cycles.provisional.take()
  }

  @GraphActor
  @inline(__always)
  private func begin(_ id: NodeID) {
    core.pointee.engine.beginRun(id)
    core.pointee.currentRun.store(
      core.pointee.engine.currentRun.rawValue, ordering: .relaxed)
    if core.pointee.engine.runDepth == 1 { noteRunningTask() }
    guardStack(of: id)
  }

  @GraphActor
  @inline(__always)
  private func end(changed: Bool, isRead: Bool) {
    core.pointee.engine.endRun(changed: changed || isMutated(.missesCutoff), isRead: isRead)
    core.pointee.currentRun.store(
      core.pointee.engine.currentRun.rawValue, ordering: .relaxed)
  }

  /// Runs rules until a node is up to date.
  ///
  /// - Parameters:
  ///   - id: The node.
  ///   - isRead: Whether the running code reads it.
  /// - Returns: Whether the node is a watcher and something that it watches has changed.
  @GraphActor
  @discardableResult
  @usableFromInline
  func bringUpToDate(_ id: NodeID, isRead: Bool = false) -> Bool {
    let walk = core.pointee.engine.beginWalk(to: id)
    while true {
      switch core.pointee.engine.advance(walk) {
      case .finished:
        if core.pointee.engine.isWatcher(id) { passes(.sparesWatcher) }
        return false
      case .cycle(let met, let checked):
        breakCycle(met: met, checked: checked)
      case .run(var next):
        while true {
          if next == id, core.pointee.engine.isWatcher(id) {
            passes(.wakesWatcher)
            core.pointee.engine.clearMarks(id)
            return true
          }
          begin(next)
          let changed = step(of: core.pointee.engine.payload(of: next))
          end(changed: changed, isRead: isRead && next == id)
          guard let needing = core.pointee.engine.climb(walk, changed: changed) else { break }
          next = needing
        }
      }
    }
  }

  /// Runs the rule of a node and keeps its value, on the actor.
  ///
  /// Without a reference to the cell, which would have to be counted.
  @inline(__always)
  private nonisolated func step(of payload: UnsafeRawPointer?) -> Bool {
    guard let payload else { preconditionFailure("a node without a cell was marked (I1)") }
    // SAFETY: Only watchers and cells with a rule are ever marked; the graph keeps them alive.
    return Unmanaged<RuleCell>.fromOpaque(payload)._withUnsafeGuaranteedRef {
      $0.step($0, .committed)
    }
  }

  /// Evaluates the expression of a watcher, records what it reads, and delivers what it has caused.
  @GraphActor
  func run<R, E: Error>(
    watcher cell: NodeCell, _ expression: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    // It may have queued itself by what it wrote.
    defer { deliver() }
    return try track(cell, expression)
  }

  /// Evaluates the expression of a watcher and records what it reads.
  @GraphActor
  func track<R, E: Error>(
    _ cell: NodeCell, _ expression: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    begin(cell.id)
    defer {
      if core.pointee.engine.hasOwnChanges(cell.id) { absorbOwnChanges(of: cell.id) }
      end(changed: false, isRead: false)
    }
    return try expression()
  }

  /// Runs a body without recording what it reads.
  @GraphActor
  @usableFromInline
  package func withoutTracking<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let suspended = core.pointee.engine.suspendTracking()
    if suspended.reader != .none { passes(.suspendsTracking) }
    defer { core.pointee.engine.resumeTracking(suspended) }
    return try body()
  }

  /// Runs a body during which a write is a mistake, without recording what it reads.
  @GraphActor
  func withWriteBan<R, E: Error>(
    _ ban: WriteBan, _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let outer = core.pointee.machine.beginBan(ban)
    defer { core.pointee.machine.endRestriction(to: outer) }
    return try withoutTracking(body)
  }

  /// The run that makes what the running code makes, from any thread; none if it is part of no rule.
  ///
  /// - Complexity: O(1); asks for the task only while async rules or transactions are under way.
  var makingRun: RunNumber {
    let run = RunNumber(rawValue: core.pointee.currentRun.load(ordering: .relaxed))
    guard core.pointee.openMakers.load(ordering: .relaxed) != 0 else { return run }
    // The run of the actor, if there is one, is none of a task on another thread.
    if run != .none, core.pointee.runningTask.load(ordering: .relaxed) == identityOfTask() {
      return run
    }
    return Participation.runNumber
  }

  /// Notes that the run of an async rule, or an attempt of a transaction, begins.
  ///
  /// - Returns: Tells the nodes that it makes from others, see `NodeCell.madeInRun`.
  @GraphActor
  func makerBegan() -> RunNumber {
    participantBegan()
    core.pointee.openMakers.add(1, ordering: .relaxed)
    noteRunningTask()
    core.pointee.asyncRunCount += 1
    return RunNumber(asyncRun: core.pointee.asyncRunCount)
  }

  /// Notes that one of them ends.
  @GraphActor
  func makerEnded() {
    participantEnded()
    core.pointee.openMakers.subtract(1, ordering: .relaxed)
  }

  /// Notes in which task the actor runs rules, while async rules or transactions are under way.
  @GraphActor
  @inline(__always)
  func noteRunningTask() {
    if core.pointee.openMakers.load(ordering: .relaxed) != 0 { storeRunningTask() }
  }

  @GraphActor
  @inline(never)
  private func storeRunningTask() {
    core.pointee.runningTask.store(identityOfTask(), ordering: .relaxed)
  }

  /// A number that tells the current task from others that run at the same time; 0 outside of tasks.
  private func identityOfTask() -> Int {
    withUnsafeCurrentTask { $0?.hashValue ?? 0 }
  }
}
