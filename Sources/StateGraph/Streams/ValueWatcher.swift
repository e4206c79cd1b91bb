/// The subscription of one iterator to the changes of one node.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
final class ValueWatcher<Value: Sendable>: WatcherCell, StreamCell, @unchecked Sendable {
  /// Finds the node and an owner of it, as long as it has one.
  typealias Source = @Sendable () -> (owner: AnyObject, cell: any ValueCell<Value>)?

  let slot = WaitSlot<GraphChange<Value>>()
  private let findSource: Source
  /// Whether the consumer is content with the node's value at the time when it asks.
  private let isConflating: Bool

  /// Changes that the consumer has not taken.
  ///
  /// If it is content with the latest, only the last value of a node that has gone gets here.
  @GraphActor private var buffer: ChangeBuffer<GraphChange<Value>>
  /// The node, while the subscription lasts.
  @GraphActor private var source: (any ValueCell<Value>)?
  /// The value that was delivered or buffered last.
  @GraphActor private var last: Value?
  /// Whether the first element has been taken.
  @GraphActor private var hasStarted = false

  init(buffering: GraphBuffering, findSource: @escaping Source) {
    self.findSource = findSource
    isConflating = buffering == .latest
    buffer = ChangeBuffer(buffering)
    super.init(label: "a stream")
  }

  func poll() -> Poll<GraphChange<Value>> {
    graph.enter()
    return graph.poll {
      guard hasStarted else { return start() }
      return graph.actingForNobody { next() }
    }
  }

  /// The next element after the first.
  @GraphActor
  private func next() -> Poll<GraphChange<Value>> {
    slot.clearSignal()
    if let entry = buffer.popFirst() { return .element(entry.element.dropping(entry.dropped)) }
    guard let source else { return .finished }
    guard isConflating, graph.settle(id), let change = change(to: source.read()) else {
      return .wait
    }
    return .element(change)
  }

  override func notified() {
    guard let source else { return }
    // A conflating consumer that is busy asks when it comes back; until then the marks stay, and
    // later commits pass by.
    if isConflating, !slot.isWaiting { return slot.signal() }
    guard graph.settle(id), let change = change(to: source.read()) else { return }
    if isConflating {
      if !slot.resume(with: change) { slot.signal() }
      return
    }
    buffer.append(change)
    guard slot.isWaiting, let entry = buffer.popFirst() else { return slot.signal() }
    // If this fails the consumer has been cancelled, and will take nothing any more.
    _ = slot.resume(with: entry.element.dropping(entry.dropped))
  }

  override func dependencyWillGo() {
    if let source, graph.settle(id), let change = change(to: source.read()) {
      buffer.append(change)
    }
    finish()
  }

  override func wasRemoved() {
    finish()
  }

  /// Subscribes and takes the first element, in one step.
  @GraphActor
  private func start() -> Poll<GraphChange<Value>> {
    hasStarted = true
    guard let (owner, source) = findSource() else { return .finished }
    return withExtendedLifetime(owner) {
      let value = source.read()
      var version = graph.version
      if let transaction = graph.currentTransaction {
        // The first element is what the transaction sees; what follows are commits.
        version = transaction.beginVersion
        transaction.followers.append(self)
        graph.actingForNobody { _ = source.read() }
      }
      graph.watch(source, by: self)
      self.source = source
      last = value
      return .element(GraphChange(value: value, version: version, dropped: 0))
    }
  }

  /// The change to a value, unless it counts as the one that was delivered last.
  @GraphActor
  private func change(to value: Value) -> GraphChange<Value>? {
    if let last, let isEqual = source?.isEqual, isEqual(last, value) { return nil }
    last = value
    return GraphChange(value: value, version: graph.version, dropped: 0)
  }

  /// The node is gone: what is buffered can still be taken.
  @GraphActor
  private func finish() {
    source = nil
    last = nil
    slot.signal()
  }
}
