/// The states of an async node: the current one, then those that it changes to.
///
/// See `AsyncComputed.states`.
public struct AsyncStates<Value: Sendable>: AsyncSequence, Sendable {
  private let findCell: @Sendable () -> AsyncCell<Value>?

  init(_ findCell: @escaping @Sendable () -> AsyncCell<Value>?) {
    self.findCell = findCell
  }

  /// Makes an iterator with a subscription of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(findCell)
  }

  /// One consumer of the states of an async node.
  public struct Iterator: AsyncIteratorProtocol {
    private let findCell: @Sendable () -> AsyncCell<Value>?
    private var demand: Demand?
    private var snapshots: GraphValues<AsyncSnapshot<Value>>.Iterator?
    private var hasStarted = false

    fileprivate init(_ findCell: @escaping @Sendable () -> AsyncCell<Value>?) {
      self.findCell = findCell
    }

    /// Waits for the next state.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The state; nil at the end and when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AsyncState<Value>? {
      if !hasStarted {
        hasStarted = true
        guard let cell = findCell() else { return nil }
        snapshots = cell.snapshot.values.makeAsyncIterator()
        demand = await Demand(for: cell)
      }
      guard let snapshot = await snapshots?.next(isolation: actor) else {
        snapshots = nil
        demand = nil
        return nil
      }
      return snapshot.state
    }
  }

  /// Keeps the rule going as long as somebody follows the states.
  fileprivate final class Demand: Sendable {
    /// Weak: it must not keep the nodes of a cell whose node has been released.
    private let cell: WeakCell

    @GraphActor
    init(for cell: AsyncCell<Value>) {
      self.cell = WeakCell(cell)
      cell.addWaiter()
    }

    deinit {
      GraphTasks.start("the end of a sequence of states") { [cell] in
        cell.value?.removeWaiter()
      }
    }
  }

  /// A weak reference that can be sent.
  fileprivate final class WeakCell: Sendable {
    weak let value: AsyncCell<Value>?

    init(_ value: AsyncCell<Value>) {
      self.value = value
    }
  }
}

@available(*, unavailable)
extension AsyncStates.Iterator: Sendable {}
