/// The subscription of one iterator to the changes of one node.
@usableFromInline
// SAFETY: Mutable state is isolated to GraphActor; what is not says whose it is.
final class ValueWatcher<Value: Sendable>: WatcherCell, StreamCell, @unchecked Sendable {
  @usableFromInline let slot = WaitSlot<GraphChange<Value>>()
  @usableFromInline let findSource: @Sendable () -> (owner: AnyObject, source: StreamSource<Value>)?
  /// Whether the consumer is content with the node's value at the time when it asks.
  @usableFromInline let isConflating: Bool
  /// Does what is to be done when the node may have changed.
  ///
  /// A closure for the same reason as `RuleCell.step`.
  @usableFromInline let look: @GraphActor @Sendable (ValueWatcher) -> Void

  /// Changes that the consumer has not taken.
  ///
  /// If it is content with the latest, only the last value of a node that has gone gets here.
  @usableFromInline let buffer: SharedBuffer<GraphChange<Value>>
  /// The node, while the subscription lasts.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var source: StreamSource<Value>?
  /// When a value counts as the one before.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var isEqual: Comparison<Value>?
  /// Whether values are evaluated for the follower: the node is computed, and only the latest counts.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var isEvaluated = false
  /// How much of the actor's time that takes.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var share = FollowerShare()
  /// Whether the first element has been taken.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var hasStarted = false
  /// The value that was delivered or buffered last.
  ///
  /// Belongs to the actor; but if the consumer is content with the latest, to the consumer except
  /// while it waits or asks.
  @exclusivity(unchecked)
  // SAFETY: Passed on through the slot and by calls of the actor.
  @usableFromInline nonisolated(unsafe) var last: Value?
  /// Whether that value is kept, as it must not be if it can be changed in place: whoever holds it
  /// makes the change a copy.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline var keepsLast = true
  /// The version of that value.
  @exclusivity(unchecked)
  // SAFETY: As for `last`.
  @usableFromInline nonisolated(unsafe) var lastVersion: UInt64 = 0
  /// Whether the consumer has taken the latest value without the actor, which has left the marks.
  @exclusivity(unchecked)
  // SAFETY: As for `last`.
  @usableFromInline nonisolated(unsafe) var hasTakenMarked = false
  /// A stored node, for a consumer that is content with the latest.
  // SAFETY: Written before the consumer has its first element; a weak reference can be read anywhere.
  @usableFromInline nonisolated(unsafe) weak var stored: StoredCell<Value>?

  @inlinable
  init(
    buffering: GraphBuffering,
    findSource: @escaping @Sendable () -> (owner: AnyObject, source: StreamSource<Value>)?
  ) {
    self.findSource = findSource
    isConflating = buffering == .latest
    buffer = SharedBuffer(buffering)
    look = { $0.deliver() }
    super.init(origin: NodeOrigin(name: "a stream", fileID: #fileID, line: #line))
  }

  @inlinable
  func takeWithoutActor() -> GraphChange<Value>? {
    guard isConflating else {
      guard let entry = buffer.popFirst() else { return nil }
      passes(.takesBuffered)
      return entry.element.dropping(entry.dropped)
    }
    guard slot.isSignalled, graph.readsPublished, let stored, let last
    else { return nil }
    let (value, version) = stored.publishedChange()
    guard version > lastVersion,
      stored.isSameAnywhere(last, value) == false
    else { return nil }
    passes(.takesPublished)
    self.last = value
    lastVersion = version
    hasTakenMarked = true
    return GraphChange(value: value, version: version, dropped: 0)
  }

  @inlinable
  func poll() -> Poll<GraphChange<Value>> {
    graph.arrive()
    return graph.withoutRemovals {
      guard hasStarted else { return start() }
      return graph.actingForNobody { next() }
    }
  }

  /// The next element after the first.
  @GraphActor
  @inlinable
  func next() -> Poll<GraphChange<Value>> {
    slot.clearSignal()
    while let entry = buffer.popFirst() {
      // The node may have gone, or more may be buffered: the consumer has to ask again.
      slot.signal()
      passes(.takesBufferedOnActor)
      let element = entry.element.dropping(entry.dropped)
      if !isConflating { return .element(element) }
      if let change = change(to: element.value, version: element.version) {
        return .element(change)
      }
    }
    guard let source else {
      passes(.endsStream)
      last = nil
      return .finished
    }
    guard isConflating, !mustPause else { return .wait }
    let begin = isEvaluated ? share.begins() : nil
    defer { share.ended(begin) }
    guard graph.bringUpToDate(id), !hasTakenAlready(),
      let change = change(to: source.read(), version: graph.version)
    else { return .wait }
    passes(.takesLatest)
    return .element(change)
  }

  /// Whether the consumer has to wait because the evaluation before took long.
  @GraphActor
  @usableFromInline
  var mustPause: Bool {
    isEvaluated
      && share.mustPause { [weak self] in
        await self?.endPause()
      }
  }

  @GraphActor
  private func endPause() {
    share.wasWokenUp()
    slot.signal()
  }

  /// Whether the change that the actor was told of is the one that the consumer has taken last.
  @GraphActor
  @usableFromInline
  func hasTakenAlready() -> Bool {
    guard hasTakenMarked else { return false }
    hasTakenMarked = false
    guard stored?.publishedChange().version == lastVersion else { return false }
    passes(.sparesTaken)
    return true
  }

  override func notified() {
    look(self)
  }

  /// Hands a change to the consumer, or keeps it.
  @GraphActor
  @inlinable
  func deliver() {
    guard let source else { return }
    // A conflating consumer that is busy asks when it comes back; until then the marks stay, and
    // later commits pass by.
    if isConflating, !slot.isWaiting {
      passes(.conflates)
      return slot.signal()
    }
    if share.isExpensive {
      passes(.leavesToFollower)
      return slot.signal()
    }
    let begin = isEvaluated ? share.begins() : nil
    defer { share.ended(begin) }
    guard graph.bringUpToDate(id), !hasTakenAlready(),
      let change = change(to: source.read(), version: graph.version)
    else { return }
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
    if let source, graph.bringUpToDate(id), !isMutated(.losesLastValue) {
      passes(.takesLastValue)
      let value = source.read()
      if isConflating {
        // The consumer compares it with what it has taken last.
        buffer.append(GraphChange(value: value, version: graph.version, dropped: 0))
      } else if let change = change(to: value, version: graph.version) {
        buffer.append(change)
      }
    }
    source = nil
    slot.signal()
  }

  override func wasRemoved() {
    source = nil
    last = nil
    slot.signal()
  }

  /// Subscribes and takes the first element, in one step.
  @GraphActor
  @inlinable
  func start() -> Poll<GraphChange<Value>> {
    hasStarted = true
    guard let (owner, source) = findSource() else {
      passes(.findsNodeGone)
      return .finished
    }
    passes(.startsStream)
    let value = source.read()
    var version = graph.version
    if let seen = graph.versionOfFollower(self) {
      // The first element is what the transaction sees; what follows are commits.
      version = seen
      if !isMutated(.followsStale) { graph.actingForNobody { _ = source.read() } }
    }
    graph.watch(source.cell, by: self)
    self.source = source
    isEqual = source.isEqual
    stored = source.cell as? StoredCell<Value>
    keepsLast = !(source.cell is StoredInPlaceCell<Value>)
    isEvaluated = isConflating && source.cell is RuleCell
    if keepsLast { last = value }
    lastVersion = version
    extendLifetime(owner)
    return .element(GraphChange(value: value, version: version, dropped: 0))
  }

  /// The change to a value, unless it counts as the one that was delivered last.
  @GraphActor
  @inlinable
  func change(to value: Value, version: UInt64) -> GraphChange<Value>? {
    if let last, let isEqual, isEqual(last, value) {
      passes(.sparesStream)
      return nil
    }
    if keepsLast { last = value }
    lastVersion = version
    return GraphChange(value: value, version: version, dropped: 0)
  }
}

/// What a stream needs of the node that it follows.
@usableFromInline
struct StreamSource<Value: Sendable>: Sendable {
  /// The node's cell.
  @usableFromInline let cell: NodeCell
  /// When a new value counts as unchanged; never, if nil.
  @usableFromInline let isEqual: Comparison<Value>?
  /// The current value; a tracked read.
  @usableFromInline let read: @GraphActor @Sendable () -> Value

  @inlinable
  init(
    cell: NodeCell, isEqual: Comparison<Value>?, read: @escaping @GraphActor @Sendable () -> Value
  ) {
    self.cell = cell
    self.isEqual = isEqual
    self.read = read
  }
}

extension Graph {
  /// The version that the open transaction sees, of which the stream becomes a follower; nil without
  /// one.
  @GraphActor
  @usableFromInline
  func versionOfFollower(_ watcher: WatcherCell) -> UInt64? {
    guard let transaction = openTransaction else { return nil }
    transaction.addFollower(watcher)
    return transaction.beginVersion
  }
}

extension ValueCell {
  /// What a stream needs of the node.
  @inlinable
  var source: StreamSource<Value> {
    StreamSource(cell: self, isEqual: isEqual) { [self] in read() }
  }
}
