/// The values of a node: the current one, then every one that it changes to.
///
/// A consumer that is behind gets the latest value next. A computed node is evaluated for the consumer
/// in the step of the commit if that takes less than 20 µs. If it takes longer, it is evaluated when the
/// consumer comes for it, several commits at once, and not again for nine times as long: so a slow
/// rule takes a tenth of the actor's time for each consumer, whoever writes how often. The last value
/// is always delivered. See `GraphChanges` for what holds for the
/// end, for cancellation and for the order.
public struct GraphValues<Value: Sendable>: AsyncSequence, Sendable {
  @usableFromInline let changes: GraphChanges<Value>

  @inlinable
  init(_ changes: GraphChanges<Value>) {
    self.changes = changes
  }

  /// Makes an iterator with a subscription of its own.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(changes.makeAsyncIterator())
  }

  /// One consumer of the values of a node.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var changes: GraphChanges<Value>.Iterator

    @inlinable
    init(_ changes: GraphChanges<Value>.Iterator) {
      self.changes = changes
    }

    /// Waits for the next value.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The value; nil at the end and when the task has been cancelled.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await changes.next(isolation: actor)?.value
    }
  }
}

@available(*, unavailable)
extension GraphValues.Iterator: Sendable {}
