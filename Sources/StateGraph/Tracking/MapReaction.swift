/// The cell of a map: its expression is tracked, its handler is not.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class MapReaction<Value: Sendable>: Reaction, @unchecked Sendable {
  /// Gets a value; nil if there will be none any more.
  typealias Expression = @GraphActor () -> Value?
  typealias Handler = @isolated(any) @Sendable (Value) -> Void

  /// A value on its way to the handler.
  private struct Undelivered {
    let value: Value
    let generation: DeliveryLedger.Generation
    /// The run that has got the value, if the handler is not called by it.
    let cause: Cause?
  }

  private let expression: Releasable<Expression>
  private let handler: Releasable<Handler>
  /// Whether the handler can be called without leaving the actor.
  private let isLocal: Bool
  /// The actor that the handler is isolated to; the handler holds it, and may be let go of.
  private weak let isolation: (any Actor)?

  @GraphActor private var filter: any GraphFilter<Value>
  /// Values that the handler has not been given yet.
  @GraphActor private var undelivered = ChangeBuffer<Undelivered>(.unbounded)
  /// Whether somebody is giving the handler values.
  @GraphActor private var isDelivering = false

  @GraphActor
  init(
    origin: NodeOrigin, delivery: GraphDelivery, outer: Reaction?,
    filter: any GraphFilter<Value>, expression: @escaping Expression, handler: @escaping Handler
  ) {
    self.filter = filter
    self.expression = Releasable(expression)
    self.handler = Releasable(handler)
    isLocal = handler.isolation == nil || handler.isolation === GraphActor.shared
    isolation = handler.isolation
    super.init(origin: origin, delivery: delivery, outer: outer)
  }

  override func perform() {
    guard let value = expression.use({ graph.track(self, $0) }) else { return }
    guard let value else {
      passes(.endsWithObject)
      cancel()
      return membership.take()?.leave() ?? ()
    }
    let passed = graph.withoutOwnWrites { graph.withoutTracking { filter.send(value) } }
    guard let passed else { return passes(.filtersValue) }
    // A handler that is running further up the call stack gets the value later.
    let cause = isDelivering && isLocal ? graph.core.pointee.machine.currentCause() : nil
    undelivered.append(
      Undelivered(
        value: passed, generation: graph.core.pointee.machine.ledger.began(), cause: cause))
    guard !isDelivering else { return }
    isDelivering = true
    passes(isLocal ? .deliversHere : .deliversElsewhere)
    if isLocal {
      deliverHere()
    } else {
      GraphTasks.launch("a delivery of \(origin)") { await self.deliverElsewhere() }
    }
  }

  override func releaseClosures() {
    expression.release()
    handler.release()
  }

  /// Calls the handler on the actor, for each value.
  @GraphActor
  private func deliverHere() {
    let context = graph.trackingContext
    graph.trackingContext = nil
    while let next = takeNext() {
      graph.handling(self, partOf: next.cause) {
        // A synchronous function whose isolation is erased has the representation of one that has
        // it in its type.
        _ = handler.use { handler in
          // SAFETY: It is isolated to this actor or not at all (`isLocal`).
          unsafeBitCast(handler, to: (@GraphActor @Sendable (Value) -> Void).self)(next.value)
        }
      }
      graph.core.pointee.machine.ledger.ended(next.generation)
    }
    graph.trackingContext = context
  }

  /// Calls the handler where it is isolated, for each value, in order.
  private func deliverElsewhere() async {
    var delivered: DeliveryLedger.Generation?
    while let next = await takeNext(after: delivered) {
      if let isolation { await call(with: next.value, isolation: isolation) }
      delivered = next.generation
    }
  }

  /// Calls the handler, unless it is gone.
  ///
  /// It is looked for on its own actor: who cancels there has ended it before it could begin.
  private func call(with value: Value, isolation: isolated any Actor) async {
    _ = await handler.use { await $0(value) }
  }

  @GraphActor
  private func takeNext(
    after delivered: DeliveryLedger.Generation?
  ) -> Undelivered? {
    if let delivered { graph.core.pointee.machine.ledger.ended(delivered) }
    return takeNext()
  }

  @GraphActor
  private func takeNext() -> Undelivered? {
    let next = undelivered.popFirst()
    isDelivering = next != nil
    return next?.element
  }
}
