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
  private let buffer: SharedBuffer<GraphChange<Value>>
  /// The node, while the subscription lasts.
  @GraphActor private var source: (any ValueCell<Value>)?
  /// The value that was delivered or buffered last.
  ///
  /// Belongs to the actor; but if the consumer is content with the latest, to the consumer except
  /// while it waits or asks.
  // SAFETY: Passed on through the slot and by calls of the actor.
  private nonisolated(unsafe) var last: (value: Value, version: UInt64)?
  /// A stored node, for a consumer that is content with the latest.
  // SAFETY: Written before the consumer has its first element, and by the consumer.
  private nonisolated(unsafe) weak var published: (any PublishedCell<Value>)?
  /// When a value counts as the one before.
  @GraphActor private var isEqual: Comparison<Value>?
  /// Whether the first element has been taken.
  @GraphActor private var hasStarted = false

  init(buffering: GraphBuffering, findSource: @escaping Source) {
    self.findSource = findSource
    isConflating = buffering == .latest
    buffer = SharedBuffer(buffering)
    super.init(label: "a stream")
  }

  func takeWithoutActor() -> GraphChange<Value>? {
    guard isConflating else {
      return buffer.popFirst().map { $0.element.dropping($0.dropped) }
    }
    guard slot.isSignalled, graph.readsPublished,
      let (value, version) = published?.publishedChange(), let last, version > last.version,
      published?.isSameAnywhere(last.value, value) == false
    else { return nil }
    self.last = (value, version)
    return GraphChange(value: value, version: version, dropped: 0)
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
    while let entry = buffer.popFirst() {
      // The node may have gone, or more may be buffered: the consumer has to ask again.
      slot.signal()
      let element = entry.element.dropping(entry.dropped)
      if !isConflating { return .element(element) }
      if let change = change(to: element.value, version: element.version) {
        return .element(change)
      }
    }
    guard let source else {
      last = nil
      return .finished
    }
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
    if let source, graph.settle(id) {
      let value = source.read()
      if isConflating {
        // The consumer compares it with what it has taken last.
        buffer.append(GraphChange(value: value, version: graph.version, dropped: 0))
      } else if let change = change(to: value) {
        buffer.append(change)
      }
    }
    self.source = nil
    slot.signal()
  }

  override func wasRemoved() {
    source = nil
    last = nil
    slot.signal()
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
      isEqual = source.isEqual
      published = source as? any PublishedCell<Value>
      last = (value, version)
      return .element(GraphChange(value: value, version: version, dropped: 0))
    }
  }

  /// The change to a value, unless it counts as the one that was delivered last.
  @GraphActor
  private func change(to value: Value) -> GraphChange<Value>? {
    change(to: value, version: graph.version)
  }

  @GraphActor
  private func change(to value: Value, version: UInt64) -> GraphChange<Value>? {
    if let last, let isEqual, isEqual(last.value, value) { return nil }
    last = (value, version)
    return GraphChange(value: value, version: version, dropped: 0)
  }
}
