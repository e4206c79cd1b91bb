import Synchronization

/// The inputs of an async node: the run that is under way, and what it or the last one has read.
///
/// To the engine this is a derived node. Its dependencies are what the run reads, added while the
/// run goes on, so a write marks it and everything downstream in one step, and a read of the state
/// is never older than the reads of its sources. When a walk finds that something has really
/// changed, it "runs" this node: that ends the run and drops the edges. What the run returns does
/// not come back to this node but is committed to the stored nodes of `AsyncRuleCell`.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
class AsyncNodeCell: RuleCell, @unchecked Sendable {
  /// Sees to it that a run ends at once when something changes that it has read.
  final let sentinel: RunSentinel
  /// Whether the node has lost its owner: then it begins nothing any more.
  final let isReleased = Atomic(false)
  /// How often the inputs have changed; a result holds as long as this is what it was at the start.
  @GraphActor final private(set) var generation: UInt64 = 0
  /// The run that is under way.
  @GraphActor final private(set) var run: AsyncRun?
  /// The task of the run that the removal of the node has ended, until it is cancelled.
  @GraphActor private final var removedTask: Task<Void, Never>?
  /// The number of the run that is under way or was the last.
  @GraphActor final private(set) var latestRunNumber: RunNumber = .none
  /// How many runs have begun.
  @GraphActor final private(set) var runCount: UInt64 = 0
  /// Whether the dependencies are dropped although none has changed.
  @GraphActor private final var isDroppingReads = false
  /// What the result depends on that a run refreshes.
  @GraphActor private final var former: FormerInputs?

  init(origin: NodeOrigin) {
    sentinel = RunSentinel(origin)
    super.init(origin: origin) { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      let cell = unsafeDowncast(cell, to: AsyncNodeCell.self)
      return GraphActor.assumingIsolation { cell.inputsChanged(evaluation) }
    }
  }

  /// The stored nodes that the last settled result depends on, also through async nodes.
  ///
  /// - Parameter run: A run; the results of async nodes that it has made are no such nodes.
  /// - Returns: The nodes, each once.
  /// - Complexity: O(nodes and edges upstream).
  @GraphActor
  final func sources(whenMadeIn run: RunNumber) -> [NodeCell] {
    var sources: [NodeCell] = []
    var results: Set<NodeID> = []
    var seen: Set<NodeID> = []
    var unvisited: [NodeCell] = [self]
    while let cell = unvisited.popLast() {
      guard cell.id != .none, seen.insert(cell.id).inserted else { continue }
      guard graph.core.pointee.engine.isDerived(cell.id) else {
        sources.append(cell)
        continue
      }
      unvisited += graph.core.pointee.engine.dependencies(of: cell.id).map(graph.cell(of:))
      guard let node = cell as? AsyncNodeCell else { continue }
      if node.madeInRun == run { results.formUnion(node.resultCells.map(\.id)) }
      unvisited += node.settledReads.compactMap { $0.node() }
    }
    return sources.filter { !results.contains($0.id) }
  }

  /// The stored nodes that have the results.
  @GraphActor var resultCells: [NodeCell] { [] }

  /// The async nodes that the last settled run has awaited.
  @GraphActor var settledReads: [AsyncLink] { [] }

  /// The async nodes that this one waits for, or has waited for.
  @GraphActor final var awaited: [AsyncLink] { run?.reads ?? settledReads }

  /// Begins a run, unless one is under way or the node has lost its owner.
  ///
  /// - Precondition: The inputs are current.
  @GraphActor func startIfIdle() {}

  /// Notes that a run begins.
  ///
  /// - Precondition: No run is under way, and the inputs are current.
  @GraphActor
  final func beginRun() -> AsyncRun {
    let run = AsyncRun(of: self)
    self.run = run
    latestRunNumber = run.number
    runCount += 1
    graph.core.pointee.engine.noteAsyncRun(above: id)
    if sentinel.id == .none {
      graph.watch(self, by: sentinel)
    } else {
      graph.core.pointee.engine.clearMarks(sentinel.id)
    }
    return run
  }

  /// Makes room for what the next run reads; what the result depends on is followed apart.
  ///
  /// - Precondition: No run is under way, and the inputs are current.
  @GraphActor
  final func dropReads() {
    guard id != .none, !isMutated(.keepsFormerReads) else { return }
    let reads = graph.core.pointee.engine.dependencies(of: id)
    guard !reads.isEmpty else { return }
    passes(.dropsAsyncReads)
    let former = former ?? FormerInputs(origin: origin)
    self.former = former
    former.follow(reads)
    isDroppingReads = true
    graph.core.pointee.engine.keepDirty(id)
    _ = graph.withoutTracking { graph.evaluate(self) }
    isDroppingReads = false
  }

  /// Whether something may have changed that the result depends on that a run refreshes; a tracked
  /// read.
  @GraphActor final var formerInputsHaveChanged: Bool {
    guard let former, former.id != .none else { return false }
    return graph.evaluate(former) != nil || former.haveChanged
  }

  /// Ends the run that is under way because its result is in.
  @GraphActor
  final func closeRun() {
    run?.close()
    run = nil
  }

  /// Follows what the result depends on by what the node itself depends on, from now on.
  @GraphActor
  final func forgetFormerInputs() {
    former?.follow([])
  }

  /// Ends the run that is under way, if there is one, because nobody wants its result.
  @GraphActor
  final func cancelRun() {
    let task = run?.task
    closeRun()
    if !isMutated(.keepsSupersededRun) { task?.cancel() }
  }

  /// Ends the run that is under way because nobody waits for it; the next read begins another.
  @GraphActor
  final func stop() {
    passes(.stopsAsyncRun)
    cancelRun()
    graph.invalidateDerived(id)
  }

  override final var isPart: Bool { true }

  override final func inherits(fromMadeIn run: RunNumber) -> Bool { latestRunNumber == run }

  override final func followerWillGo() {
    if run != nil { graph.core.pointee.machine.mayBeAbandoned(self) }
  }

  override final func stopIfAbandoned() {
    // A node that has been removed meanwhile has no run any more.
    if run != nil, !graph.isInDemand(self) { stop() }
  }

  override final func willBeRemoved() {
    removedTask = run?.task
    closeRun()
  }

  override func wasRemoved() {
    if let former = former.take() { graph.release(former) }
    // Calls the cancellation handlers of the user.
    removedTask.take()?.cancel()
  }

  /// Something that the run has read is not what it was.
  @GraphActor
  private final func inputsChanged(_ evaluation: Evaluation) -> Bool {
    switch evaluation {
    case .committed where isDroppingReads: break
    case .committed:
      generation += 1
      if run != nil { passes(.supersedesAsyncRun) }
      cancelRun()
    case .staged:
      graph.openTransaction?.memoise(StagedValue(()), differs: true, of: self)
    case .provisional:
      graph.keepProvisional(StagedValue(()))
    }
    return true
  }
}

/// What the last result of an async node depends on, while a run refreshes it that has not read as much.
// SAFETY: Mutable state is isolated to GraphActor.
private final class FormerInputs: RuleCell, @unchecked Sendable {
  /// Whether one of them may have changed.
  @GraphActor private(set) var haveChanged = false

  init(origin: NodeOrigin) {
    super.init(origin: origin) { cell, evaluation in
      // SAFETY: A step is only ever called with the cell that it was made for.
      let cell = unsafeDowncast(cell, to: FormerInputs.self)
      return GraphActor.assumingIsolation { cell.inputsChanged(evaluation) }
    }
  }

  /// Follows nodes, which are current, instead of those before.
  @GraphActor
  func follow(_ ids: [NodeID]) {
    if id == .none { graph.register(self) }
    graph.core.pointee.engine.keepDirty(id)
    _ = graph.withoutTracking { graph.evaluate(self) }
    haveChanged = false
    for read in ids { graph.core.pointee.engine.recordLateRead(of: read, by: id) }
  }

  override var isPart: Bool { true }

  @GraphActor
  private func inputsChanged(_ evaluation: Evaluation) -> Bool {
    switch evaluation {
    case .committed: haveChanged = true
    case .staged: graph.openTransaction?.memoise(StagedValue(()), differs: true, of: self)
    case .provisional: graph.keepProvisional(StagedValue(()))
    }
    return true
  }
}

/// Watches the inputs of an async node while a run is under way.
///
/// What is downstream of the node asks for its state after a change and so ends the run. But there
/// may be nobody, or one who is busy.
// SAFETY: Adds no state to what `WatcherCell` has.
final class RunSentinel: WatcherCell, @unchecked Sendable {
  init(_ origin: NodeOrigin) {
    super.init(origin: origin)
  }

  /// What the run reads is in demand, even if others do not follow it.
  override var isDemanding: Bool { node?.run != nil }

  override func notified() {
    // Without a run the marks stay, and later commits pass by.
    guard let node, node.run != nil else { return }
    graph.bringUpToDate(id)
    // Those who wait have asked for the state by now or are about to; one who is busy has not.
    if node.run == nil, graph.isInDemand(node) {
      passes(.restartsAsyncRun)
      node.startIfIdle()
    }
  }

  @GraphActor private var node: AsyncNodeCell? {
    guard id != .none else { return nil }
    return graph.core.pointee.engine.dependencies(of: id).first.map {
      // SAFETY: A sentinel watches nothing but the inputs of an async node.
      unsafeDowncast(graph.cell(of: $0), to: AsyncNodeCell.self)
    }
  }
}
