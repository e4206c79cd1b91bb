/// Evaluates an expression at every commit that concerns it, until it has a result.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class ConditionWatcher<Element: Sendable>: WatcherCell, StreamCell, @unchecked Sendable {
  typealias Failure = any Error
  typealias Expression = @GraphActor @Sendable () throws -> Element?

  let slot = WaitSlot<Element>()
  /// The expression, until it has a result.
  @GraphActor private var expression: Expression?
  /// The result, until it is taken.
  @GraphActor private var result: Result<Element, any Error>?
  /// The async rule on whose behalf is waited.
  @GraphActor private var run: (any RuleRun)?

  private init(_ origin: NodeOrigin, _ expression: @escaping Expression) {
    self.expression = expression
    super.init(origin: origin)
  }

  /// Waits until an expression has a result.
  static func wait(
    _ origin: NodeOrigin, for expression: @escaping Expression
  ) async throws -> Element {
    let subscription = Subscription(ConditionWatcher(origin, expression))
    guard let element = try await subscription.next(isolation: nil) else {
      throw CancellationError()
    }
    return element
  }

  func poll() throws(any Error) -> Poll<Element> {
    graph.arrive()
    slot.clearSignal()
    if let result {
      self.result = nil
      return .element(try result.get())
    }
    guard id == .none, let expression else { return .wait }
    if let transaction = graph.currentTransaction {
      return .element(try evaluate(expression, in: transaction))
    }
    run = graph.currentRuleRun
    graph.register(self)
    guard let element = try evaluate(expression) else { return .wait }
    passes(.fulfilsWaitAtOnce)
    return .element(element)
  }

  override func notified() {
    guard let expression, graph.bringUpToDate(id) else { return }
    do {
      guard let element = try evaluate(expression) else { return }
      if slot.resume(with: element) { return passes(.fulfilsWait) }
      passes(.keepsWaitResult)
      result = .success(element)
    } catch {
      if isMutated(.losesConditionError) { return }
      result = .failure(error)
    }
    slot.signal()
  }

  override func wasRemoved() {
    expression = nil
    result = nil
    run = nil
  }

  /// Evaluates the expression, and lets go of it once it has a result.
  @GraphActor
  private func evaluate(_ expression: Expression) throws -> Element? {
    do {
      let element = try graph.withWriteBan(.waiting(origin)) {
        try graph.run(watcher: self, expression)
      }
      guard element != nil else { return nil }
      run?.record(dependenciesOf: self)
      self.expression = nil
      return element
    } catch {
      self.expression = nil
      throw error
    }
  }

  /// Evaluates the expression once; what a transaction sees does not change by waiting.
  @GraphActor
  private func evaluate(
    _ expression: Expression, in transaction: GraphTransaction
  ) throws -> Element {
    if let element = try graph.withWriteBan(.waiting(origin), expression) { return element }
    throw transaction.waitIsUnfulfilled()
  }
}
