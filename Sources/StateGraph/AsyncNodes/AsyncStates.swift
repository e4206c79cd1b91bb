/// The states of an async node: the current one, then every one that it changes to.
///
/// A consumer that is behind gets the latest state next. A sequence does not keep its node alive;
/// it ends when the node has been released, and when the task is cancelled.
public struct AsyncStates<Value: Sendable>: AsyncSequence, Sendable {
  private let changes: GraphChanges<AsyncSnapshot<Value>>

  init(_ changes: GraphChanges<AsyncSnapshot<Value>>) {
    self.changes = changes
  }

  /// Makes an iterator with a subscription of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(changes.makeAsyncIterator())
  }

  /// One consumer of the states of an async node.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    private var changes: GraphChanges<AsyncSnapshot<Value>>.Iterator

    fileprivate init(_ changes: GraphChanges<AsyncSnapshot<Value>>.Iterator) {
      self.changes = changes
    }

    /// Waits for the next state.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The state; nil at the end and when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AsyncState<Value>? {
      await changes.next(isolation: actor)?.value.state
    }
  }
}

@available(*, unavailable)
extension AsyncStates.Iterator: Sendable {}
