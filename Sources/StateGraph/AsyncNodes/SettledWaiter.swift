/// Waits until an async node is settled.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class SettledWaiter<Value: Sendable>: WatcherCell, StreamCell, @unchecked Sendable {
  typealias Failure = any Error

  let slot = WaitSlot<AsyncSnapshot<Value>>()
  private let node: AsyncRuleCell<Value>
  private let state: ComputedCell<AsyncSnapshot<Value>>
  private let link: AsyncLink
  /// The result, until it is taken.
  @GraphActor private var snapshot: AsyncSnapshot<Value>?
  /// Whether a result has been found.
  @GraphActor private var isThrough = false
  /// The async rule on whose behalf is waited.
  @GraphActor private var run: AsyncRun?
  /// The transaction on whose behalf is waited, which has made the node.
  @GraphActor private var transaction: GraphTransaction?

  /// Makes a waiter, which does not keep the node.
  init(
    node: AsyncRuleCell<Value>, state: ComputedCell<AsyncSnapshot<Value>>, link: AsyncLink
  ) {
    self.node = node
    self.state = state
    self.link = link
    super.init(origin: node.origin)
  }

  /// A waiter that has been served wants nothing any more.
  override var isDemanding: Bool { !isThrough }

  func poll() throws(any Error) -> Poll<AsyncSnapshot<Value>> {
    graph.arrive()
    slot.clearSignal()
    if let snapshot {
      self.snapshot = nil
      return .element(try forTransaction(snapshot))
    }
    guard id == .none else { return .wait }
    if let transaction = graph.currentTransaction {
      guard node.madeInRun == transaction.number else {
        return .element(try settled(in: transaction))
      }
      // Nobody else can change it, and it goes with the attempt.
      passes(.awaitsMadeAsync)
      self.transaction = transaction
      graph.register(self)
      guard let snapshot = graph.withoutRemovals({ graph.actingForNobody { look() } }) else {
        return .wait
      }
      return .element(try forTransaction(snapshot))
    }
    run = graph.currentAsyncRun
    run?.awaits(link)
    graph.register(self)
    if let snapshot = look() {
      passes(.settlesAsyncAtOnce)
      return .element(snapshot)
    }
    if let run { graph.failIfAwaitIsCycle(run, for: node) }
    return .wait
  }

  override func notified() {
    guard !isThrough, graph.bringUpToDate(id), let snapshot = look() else { return }
    passes(.settlesAsync)
    if transaction == nil, slot.resume(with: snapshot) { return }
    self.snapshot = snapshot
    slot.signal()
  }

  override func wasRemoved() {
    snapshot = nil
    run = nil
    transaction = nil
  }

  /// Makes the transaction that has made the node, if it is for one, depend on what the node has read.
  @GraphActor
  private func forTransaction(
    _ snapshot: AsyncSnapshot<Value>
  ) throws -> AsyncSnapshot<Value> {
    guard let transaction else { return snapshot }
    for source in node.sources(whenMadeIn: transaction.number) {
      _ = transaction.read(source)
      guard let write = transaction.write(to: source), write.differs else { continue }
      passes(.isUnsettledInTransaction)
      throw GraphTransactionError(
        code: .unsettled, attempts: transaction.attempt, changedNodes: [node.identity])
    }
    return snapshot
  }

  /// Takes the result if the node is settled; in the same step, the rule that waits depends on it.
  @GraphActor
  private func look() -> AsyncSnapshot<Value>? {
    let snapshot = graph.run(watcher: self) { state.read() }
    guard !snapshot.isPending else { return nil }
    isThrough = true
    run?.record(node.result)
    if let run, run.number == node.madeInRun {
      // The rule has made the node for itself; it has to notice changes when the node is gone.
      run.record(dependenciesOf: node)
    }
    return snapshot
  }

  /// The result as a transaction sees it, which does not change by waiting.
  @GraphActor
  private func settled(in transaction: GraphTransaction) throws -> AsyncSnapshot<Value> {
    let snapshot = state.read()
    guard snapshot.isPending else {
      passes(.readsSettledInTransaction)
      return snapshot
    }
    transaction.awaited.append(state)
    // A run of the rule begins if one is needed; it reads what is committed.
    let isPending = graph.withoutRemovals { graph.actingForNobody { state.read().isPending } }
    if !isPending, transaction.changedReads.isEmpty {
      passes(.isUnsettledInTransaction)
      throw GraphTransactionError(
        code: .unsettled, attempts: transaction.attempt, changedNodes: [node.identity])
    }
    throw transaction.waitIsUnfulfilled()
  }
}
