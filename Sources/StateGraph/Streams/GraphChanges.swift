/// A change of a node, as a stream delivers it.
public struct GraphChange<Value: Sendable>: Sendable {
  /// The node's value.
  public let value: Value
  /// The version of the graph to which the value belongs; grows from element to element.
  public let version: UInt64
  /// How many changes a bounded buffer dropped between the element before and this one.
  ///
  /// Always 0 for `GraphBuffering.latest`, which replaces and does not drop, and for `.unbounded`.
  public let dropped: Int

  @inlinable
  init(value: Value, version: UInt64, dropped: Int) {
    self.value = value
    self.version = version
    self.dropped = dropped
  }

  /// The same change after others were dropped.
  @inlinable
  func dropping(_ count: Int) -> GraphChange {
    GraphChange(value: value, version: version, dropped: count)
  }
}

extension GraphChange: Equatable where Value: Equatable {}

/// The changes of a node: its current value, then every value that it changes to.
///
/// Each loop over the sequence has a subscription of its own, which begins with its first element:
/// taking that and subscribing are one step, so nothing is missed or doubled in between. Elements
/// come in the order of the commits, at most one for each.
///
/// It ends when the task is cancelled and when the node has been released: the sequence does not
/// keep its node alive. A loop that is left leaves nothing behind.
public struct GraphChanges<Value: Sendable>: AsyncSequence, Sendable {
  @usableFromInline let buffering: GraphBuffering
  @usableFromInline let findSource: @Sendable () -> (owner: AnyObject, source: StreamSource<Value>)?

  @inlinable
  init(
    buffering: GraphBuffering,
    findSource: @escaping @Sendable () -> (owner: AnyObject, source: StreamSource<Value>)?
  ) {
    self.buffering = buffering
    self.findSource = findSource
  }

  /// Makes an iterator with a subscription of its own.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(Subscription(ValueWatcher(buffering: buffering, findSource: findSource)))
  }

  /// One consumer of the changes of a node.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var subscription: Subscription<ValueWatcher<Value>>?

    @inlinable
    init(_ subscription: Subscription<ValueWatcher<Value>>) {
      self.subscription = subscription
    }

    /// Waits for the next change.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The change; nil at the end and when the task has been cancelled.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> GraphChange<Value>? {
      let change = await subscription?.next(isolation: actor)
      if change == nil { subscription = nil }
      return change
    }
  }
}

@available(*, unavailable)
extension GraphChanges.Iterator: Sendable {}
