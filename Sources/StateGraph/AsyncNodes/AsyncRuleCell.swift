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
  private let isEqual: Comparison<Value>?
  /// The rule, until the node is removed.
  @GraphActor private var rule: Rule?

  init(origin: NodeOrigin, isEqual: Comparison<Value>?, rule: @escaping Rule) {
    settlement = StoredCell(AsyncSettlement(), origin: origin, isEqual: nil)
    result = StoredCell(AsyncResult(), origin: origin, isEqual: nil)
    self.isEqual = isEqual
    self.rule = rule
    super.init(origin: origin)
  }

  override var resultCells: [NodeCell] { [settlement, result] }

  override var settledReads: [AsyncLink] {
    settlement.value.generation == generation ? settlement.value.reads : []
  }

  override func wasRemoved() {
    rule = nil
    super.wasRemoved()
  }

  /// The state that the running code sees; begins a run if one is needed.
  ///
  /// - Precondition: The rule of the state node is running.
  @GraphActor
  func snapshot() -> AsyncSnapshot<Value> {
    let isStagedChange = graph.refresh(self) != nil
    let settlement = settlement.read()
    let result = result.read()
    if isStagedChange || settlement.generation != generation {
      // What a transaction sees begins nothing: a run reads what is committed.
      if graph.core.pointee.transaction == nil { startIfIdle() }
      return AsyncSnapshot(result: result, isPending: true)
    }
    var isPending = false
    // All are asked, so that those that need a run begin it together.
    for link in settlement.reads where link.isPending() {
      passes(.isPendingWithOther)
      isPending = true
    }
    return AsyncSnapshot(result: result, isPending: isPending)
  }

  override func startIfIdle() {
    guard run == nil, let rule, !isReleased.load(ordering: .relaxed) else { return }
    passes(.startsAsyncRun)
    let run = beginRun()
    let errand = AsyncErrand(rule)
    // The preference tells the rule and its child tasks from tasks that it does not wait for.
    run.task = GraphTasks.launch("the rule of \(origin)", on: globalConcurrentExecutor) { [self] in
      await ended(run, with: errand.result(in: run))
    }
  }

  /// Publishes what a run has returned, unless something that it has read has changed.
  @GraphActor
  private func ended(_ run: AsyncRun, with new: Result<Value, any Error>) {
    graph.arrive()
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
    settlement.replace(by: AsyncSettlement(generation: generation, reads: run.reads))
    closeRun()
    graph.commit(changed, as: identity)
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
  /// The async nodes that the run has awaited: while one of them is pending, so is the result.
  var reads: [AsyncLink] = []
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
