import Synchronization

/// The result and the rule of an async node.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class AsyncRuleCell<Value: Sendable>: AsyncNodeCell, @unchecked Sendable {
  typealias Rule = @Sendable () async throws -> Value

  /// To which generation of the inputs the result belongs, and what else it depends on.
  let settlement: StoredCell<AsyncSettlement>
  /// The last settled result; replaced only by one that differs.
  let result: StoredCell<AsyncResult<Value>>
  /// When a new value counts as unchanged; never, if nil.
  let isEqual: Comparison<Value>?
  /// How long a result holds, and what becomes of a run that fails or takes long.
  private let policy: AsyncPolicy
  /// The rule, until the node is removed.
  @GraphActor private var rule: Rule?
  /// The task that waits for the result to become stale.
  @GraphActor private var staleTimer: Task<Void, Never>?

  init(origin: NodeOrigin, isEqual: Comparison<Value>?, policy: AsyncPolicy, rule: @escaping Rule) {
    settlement = StoredCell(AsyncSettlement(), origin: origin, isEqual: nil)
    result = StoredCell(AsyncResult(), origin: origin, isEqual: nil)
    self.isEqual = isEqual
    self.policy = policy
    self.rule = rule
    super.init(origin: origin)
  }

  override var resultCells: [NodeCell] { [settlement, result] }

  override var settledReads: [AsyncLink] {
    settlement.value.generation == generation ? settlement.value.reads : []
  }

  override func wasRemoved() {
    rule = nil
    staleTimer.take()?.cancel()
    super.wasRemoved()
  }

  /// The state that the running code sees; begins a run if one is needed.
  ///
  /// - Precondition: The rule of the state node is running.
  @GraphActor
  func snapshot() -> AsyncSnapshot<Value> {
    let isStagedChange = graph.evaluate(self) != nil
    let settlement = settlement.read()
    let result = result.read()
    // What a later run has read says nothing of an older result, which a transaction may see.
    let isOfLatestRun = settlement.run == runCount
    if isStagedChange || settlement.generation != generation || settlement.isRefreshDue
      || !isOfLatestRun
    {
      // What a transaction sees begins nothing: a run reads what is committed.
      if graph.core.pointee.transaction == nil { startIfIdle() }
      let isChanged =
        isStagedChange || settlement.generation != generation || formerInputsHaveChanged
      return AsyncSnapshot(result: result, validity: isChanged ? .inputsChanged : .refreshing)
    }
    var validity = AsyncValidity.valid
    // All are asked, so that those that need a run begin it together.
    for link in settlement.reads {
      switch link.validity() {
      case .valid: continue
      case .refreshing: if validity == .valid { validity = .refreshing }
      case .inputsChanged: validity = .inputsChanged
      }
      passes(.isPendingWithOther)
    }
    return AsyncSnapshot(result: result, validity: validity)
  }

  /// Makes the result stale, so that the rule runs again.
  ///
  /// - Parameter isRunIncluded: Whether a run that is under way is too old, too.
  @GraphActor
  func refresh(includingRun isRunIncluded: Bool) {
    graph.prepareToWrite(settlement)
    var refreshed = settlement.value
    if isRunIncluded, run != nil {
      cancelRun()
    } else if run != nil || refreshed.generation == 0 || refreshed.isRefreshDue {
      // There is nothing that could be older than the run that is under way, or than the next.
      return
    }
    passes(.refreshesAsync)
    staleTimer.take()?.cancel()
    refreshed.isRefreshDue = true
    settlement.keepReplaced()
    settlement.replace(by: refreshed)
    graph.commit([settlement], as: identity)
  }

  override func startIfIdle() {
    guard run == nil, rule != nil, !isReleased.load(ordering: .relaxed) else { return }
    passes(.startsAsyncRun)
    staleTimer.take()?.cancel()
    // What the last run has read does not count any more, if nothing of it has changed.
    dropReads()
    startAttempt(of: beginRun())
  }

  /// Runs the rule in a task of its own.
  @GraphActor
  private func startAttempt(of run: AsyncRun) {
    guard let rule else { return }
    run.attempt += 1
    run.isPausing = false
    let attempt = run.attempt
    let errand = AsyncErrand(rule)
    // The preference tells the rule and its child tasks from tasks that it does not wait for.
    run.task = GraphTasks.launch("the rule of \(origin)", on: globalConcurrentExecutor) { [self] in
      await ended(attempt, of: run, with: errand.result(in: run))
    }
    guard let timeout = policy.timeout else { return }
    run.timer = GraphTasks.launch("the time limit of \(origin)") { [self, policy] in
      guard await policy.sleep(for: timeout) else { return }
      await isLate(attempt, of: run, limit: timeout)
    }
  }

  /// Ends an attempt that has taken too long: its task may go on, but nobody hears of its result.
  @GraphActor
  private func isLate(_ attempt: Int, of run: AsyncRun, limit: Duration) {
    guard run.isOpen, run.attempt == attempt, !run.isPausing else { return }
    passes(.limitsAsyncRun)
    run.task?.cancel()
    ended(
      attempt, of: run, with: .failure(AsyncTimeoutError(node: origin.description, limit: limit)))
  }

  /// Takes what an attempt has come to: the run ends, or tries again.
  @GraphActor
  private func ended(
    _ attempt: Int, of run: AsyncRun, with new: Result<Value, any Error>
  ) {
    graph.arrive()
    guard run.attempt == attempt, !run.isPausing else { return passes(.dropsAsyncResult) }
    run.timer.take()?.cancel()
    if run.isOpen, case .failure(let error) = new,
      let delay = policy.retry?.delay(after: error, attempt: attempt)
    {
      passes(.retriesAsync)
      run.isPausing = true
      run.task = GraphTasks.launch("the next attempt of \(origin)") { [self, policy] in
        guard await policy.sleep(for: delay) else { return }
        await endPause(of: run)
      }
      return
    }
    ended(run, with: new)
  }

  @GraphActor
  private func endPause(of run: AsyncRun) {
    if run.isOpen { startAttempt(of: run) }
  }

  /// Publishes what a run has come to, unless something that it has read has changed.
  @GraphActor
  private func ended(_ run: AsyncRun, with new: Result<Value, any Error>) {
    // A mutant: it publishes only to a node that has not been removed.
    let isMistaken = isMutated(.publishesSuperseded) && id != .none
    guard run.isOpen || isMistaken else { return passes(.dropsAsyncResult) }
    graph.bringUpToDate(id)
    // Whoever follows the state has been told, and reads it again; that begins the next run.
    guard run.isOpen || isMistaken else { return }
    var changed: [NodeCell] = [settlement]
    if let outcome = outcome(of: new) {
      changed.append(result)
      result.keepReplaced()
      result.replace(by: AsyncResult(outcome: outcome, number: result.value.number + 1))
    }
    settlement.keepReplaced()
    settlement.replace(
      by: AsyncSettlement(
        generation: generation, run: runCount, reads: run.reads))
    closeRun()
    forgetFormerInputs()
    startStaleTimer()
    graph.commit(changed, as: identity)
  }

  /// Makes the result stale when its time is up.
  @GraphActor
  private func startStaleTimer() {
    guard let staleAfter = policy.staleAfter, rule != nil else { return }
    let number = runCount
    staleTimer = GraphTasks.launch("the end of a result of \(origin)") { [self, policy] in
      guard await policy.sleep(for: staleAfter) else { return }
      await becomeStale(sinceRun: number)
    }
  }

  @GraphActor
  private func becomeStale(sinceRun number: UInt64) {
    graph.arrive()
    guard number == runCount, run == nil, !isReleased.load(ordering: .relaxed) else { return }
    passes(.becomesStale)
    staleTimer = nil
    refresh(includingRun: false)
  }

  /// The new outcome; nil if it counts as the one before.
  @GraphActor
  private func outcome(of new: Result<Value, any Error>) -> AsyncResult<Value>.Outcome? {
    switch new {
    case .failure(let error):
      passes(.failsAsync)
      return .failure(error, previous: result.value.value)
    case .success(let value):
      if case .success(let old) = result.value.outcome, let isEqual, isEqual(old, value) {
        passes(.succeedsEqual)
        return nil
      }
      passes(.succeedsChanged)
      return .success(value)
    }
  }
}

/// The rule in the hands of the task that runs it.
///
/// The task must not hold what the rule has captured when others have its result already.
// SAFETY: Only the task touches the rule.
private final class AsyncErrand<Value: Sendable>: @unchecked Sendable {
  private var rule: AsyncRuleCell<Value>.Rule?

  init(_ rule: @escaping AsyncRuleCell<Value>.Rule) {
    self.rule = rule
  }

  /// Runs the rule and lets go of it.
  func result(in run: AsyncRun) async -> Result<Value, any Error> {
    guard let rule = rule.take() else { preconditionFailure("an async rule was run twice") }
    do {
      return .success(
        try await Participation.$ambient.withValue(.rule(run)) { try await rule() })
    } catch {
      return .failure(error)
    }
  }
}

/// What a settled result belongs to.
struct AsyncSettlement: Sendable {
  /// The generation of the inputs; 0 before the first result.
  var generation: UInt64 = 0
  /// The number of the run that has come to the result.
  var run: UInt64 = 0
  /// The async nodes that the run has awaited: while one of them is pending, so is the result.
  var reads: [AsyncLink] = []
  /// Whether the result is to be derived anew, although nothing has changed.
  var isRefreshDue = false
}

/// Gives up the cells of an async node when its state node is gone.
///
/// The rule of the state node holds it, and reads these cells up to its own end.
final class AsyncParts<Value: Sendable>: Sendable {
  let node: AsyncRuleCell<Value>

  init(_ node: AsyncRuleCell<Value>) {
    self.node = node
  }

  deinit {
    let graph = node.graph
    graph.release(node)
    graph.release(node.sentinel)
    graph.release(node.settlement)
    graph.release(node.result)
  }
}
