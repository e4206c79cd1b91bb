/// The cell of an async node, without the type of its value.
///
/// It is a watcher of `inputs`, a node that stands for everything that the latest run has read: the
/// run makes the edges, at whatever time it reads. When one of these nodes has really changed,
/// `inputs` gets a new value. So whether an outcome still holds is derived in the graph, and nobody
/// sees a result together with a source that does not fit it; the cell itself has only to run the
/// rule again.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
class AnyAsyncCell: WatcherCell, @unchecked Sendable {
  /// Has another value whenever something that the latest run has read has changed.
  final let inputs: Computed<UInt64>
  /// The run that is under way.
  @GraphActor final var run: AsyncRun?
  @GraphActor private final var task: Task<Void, Never>?
  /// How many wait for a result or follow the states.
  @GraphActor private final var waiterCount = 0
  /// Whether somebody has read the state, and expects the run to go on to its end.
  @GraphActor private final var isKept = false
  /// The async nodes that are kept going for those who wait for this one.
  @GraphActor private final var held: [AnyAsyncCell] = []
  @GraphActor private final var isStartScheduled = false

  init(origin: NodeOrigin, inputs: Computed<UInt64>) {
    self.inputs = inputs
    super.init(origin: origin)
  }

  override final var kind: Engine.Kind { .reaction }

  /// Whether there is no result for the current inputs; a tracked read.
  @GraphActor var isPending: Bool { preconditionFailure("an async cell without a value") }

  /// The async nodes whose results the latest outcome was made from.
  @GraphActor var awaited: [AnyAsyncCell] { preconditionFailure("an async cell without a value") }

  /// Whether the rule has to run, apart from what it waits for.
  @GraphActor var isStale: Bool { preconditionFailure("an async cell without a value") }

  /// Makes the task that runs the rule for a run.
  @GraphActor
  func launch(_ run: AsyncRun, inputs stamp: UInt64) -> Task<Void, Never> {
    preconditionFailure("an async cell without a rule")
  }

  override func notified() {
    guard graph.settle(id) else { return }
    let wasRunning = stop()
    if wasRunning || waiterCount > 0 { start() }
  }

  override func wasRemoved() {
    stop()
    holdAwaited([])
  }
}

/// Counts the values of `inputs`.
final class AsyncInputCount: Sendable {
  @GraphActor private var count: UInt64 = 0

  @GraphActor
  func next() -> UInt64 {
    count += 1
    return count
  }
}

// MARK: - Demand

extension AnyAsyncCell {
  /// Sees to it that the rule runs, if that is what a result depends on.
  ///
  /// - Parameter isKept: Whether the run goes on if nobody waits for it.
  @GraphActor
  final func demand(isKept: Bool) {
    if isKept { self.isKept = true }
    guard !isStale else { return start() }
    for other in awaited where graph.withoutTracking({ other.isPending }) {
      other.demand(isKept: isKept)
    }
  }

  /// The same in a visit of its own: the caller may be a rule.
  @GraphActor
  final func demandSoon() {
    guard !isStartScheduled else { return }
    isStartScheduled = true
    GraphTasks.start("the start of \(origin)") {
      self.isStartScheduled = false
      self.graph.enter()
      if self.graph.withoutTracking({ self.isPending }) { self.demand(isKept: true) }
    }
  }

  /// Notes that somebody waits for a result or follows the states.
  @GraphActor
  final func addWaiter() {
    waiterCount += 1
    if waiterCount == 1 { holdAwaited(awaited) }
    demand(isKept: false)
  }

  /// Notes that somebody does not wait any more; the last one stops the run.
  @GraphActor
  final func removeWaiter() {
    waiterCount -= 1
    guard waiterCount == 0 else { return }
    holdAwaited([])
    if !isKept { stop() }
  }

  /// Keeps those going that the result depends on, as long as somebody waits for it.
  @GraphActor
  private final func holdAwaited(_ cells: [AnyAsyncCell]) {
    let before = held
    held = cells
    for cell in cells { cell.addWaiter() }
    for cell in before { cell.removeWaiter() }
  }
}

// MARK: - Runs

extension AnyAsyncCell {
  /// Begins a run, unless one is under way.
  @GraphActor
  private final func start() {
    guard run == nil, !isRemoved else { return }
    let stamp = graph.actingForNobody { graph.withoutTracking { inputs.wrappedValue } }
    if id == .none { graph.watch(inputs.cell, by: self) }
    graph.core.pointee.engine.forgetDependencies(of: inputs.cell.id)
    let run = AsyncRun(of: self)
    self.run = run
    graph.core.pointee.participantCount += 1
    task = launch(run, inputs: stamp)
  }

  /// Cancels the run that is under way, if there is one.
  ///
  /// - Returns: Whether there was one.
  @GraphActor
  @discardableResult
  private final func stop() -> Bool {
    guard let run else { return false }
    task?.cancel()
    end(run)
    return true
  }

  /// Ends a run, unless it has been superseded.
  ///
  /// - Returns: Whether its outcome counts.
  @GraphActor
  @discardableResult
  final func end(_ ended: AsyncRun) -> Bool {
    guard run === ended else { return false }
    ended.close()
    graph.core.pointee.participantCount -= 1
    run = nil
    task = nil
    return true
  }

  /// Notes that an outcome has been kept.
  @GraphActor
  final func settled(_ ended: AsyncRun) {
    isKept = false
    if waiterCount > 0 { holdAwaited(ended.awaited) }
  }
}

/// The cell of an async node.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class AsyncCell<Value: Sendable>: AnyAsyncCell, @unchecked Sendable {
  typealias Rule = @Sendable () async throws -> Value

  /// Which inputs the outcome belongs to, and which results it was made from.
  struct Settlement: Sendable {
    let inputs: UInt64
    let awaited: [AnyAsyncCell]
  }

  private let rule: Rule
  private let isEqual: Comparison<Value>?
  /// The latest outcome; written only if it differs from the one before.
  let outcome: Stored<AsyncOutcome<Value>?>
  private let settlement: Stored<Settlement?>
  /// The outcome, and whether it holds.
  let snapshot: Computed<AsyncSnapshot<Value>>

  init(origin: NodeOrigin, isEqual: Comparison<Value>?, rule: @escaping Rule) {
    self.rule = rule
    self.isEqual = isEqual
    let outcome = Stored<AsyncOutcome<Value>?>(nil, isEqual: { _, _ in false })
    let settlement = Stored<Settlement?>(nil, isEqual: { _, _ in false })
    self.outcome = outcome
    self.settlement = settlement
    let count = AsyncInputCount()
    let inputs = Computed { _ in count.next() }
    snapshot = Computed(isEqual: AsyncSnapshot<Value>.isSame) { _ in
      let settled = settlement.wrappedValue
      let isCurrent = settled.map { $0.inputs == inputs.wrappedValue } ?? false
      return AsyncSnapshot(
        outcome: outcome.wrappedValue,
        isPending: !isCurrent || settled?.awaited.contains(where: \.isPending) == true)
    }
    super.init(origin: origin, inputs: inputs)
  }

  override var isPending: Bool { snapshot.wrappedValue.isPending }

  override var awaited: [AnyAsyncCell] {
    graph.withoutTracking { settlement.wrappedValue?.awaited ?? [] }
  }

  override var isStale: Bool {
    graph.withoutTracking {
      settlement.wrappedValue.map { $0.inputs != inputs.wrappedValue } ?? true
    }
  }

  override func launch(_ run: AsyncRun, inputs stamp: UInt64) -> Task<Void, Never> {
    GraphTasks.launch("the rule of \(origin)") { [rule] in
      let result: Result<Value, any Error>
      do {
        result = .success(
          try await Participation.$ambient.withValue(.rule(run)) { try await rule() })
      } catch {
        result = .failure(error)
      }
      await self.finished(run, result, inputs: stamp)
    }
  }

  /// The outcome, if it holds; taken by the running async rule as something that it has read.
  @GraphActor
  func takeSettled() -> AsyncOutcome<Value>? {
    graph.enter()
    guard let settled = graph.withoutTracking({ snapshot.wrappedValue }).settled else { return nil }
    if graph.core.pointee.engine.running == .none, let run = graph.currentAsyncRun {
      run.record(outcome.cell)
      run.take(resultOf: self)
    }
    return settled
  }

  @GraphActor
  private func finished(_ run: AsyncRun, _ result: Result<Value, any Error>, inputs stamp: UInt64) {
    graph.enter()
    guard end(run) else { return }
    let before = outcome.wrappedValue
    withGraphTransaction {
      settlement.wrappedValue = Settlement(inputs: stamp, awaited: run.awaited)
      if !isUnchanged(before, result) {
        outcome.wrappedValue = AsyncOutcome(
          result: result, latest: (try? result.get()) ?? before?.latest,
          number: (before?.number ?? 0) + 1)
      }
    }
    settled(run)
  }

  @GraphActor
  private func isUnchanged(
    _ before: AsyncOutcome<Value>?, _ result: Result<Value, any Error>
  ) -> Bool {
    guard let isEqual, case .success(let old) = before?.result, case .success(let new) = result
    else { return false }
    return isEqual(old, new)
  }
}
