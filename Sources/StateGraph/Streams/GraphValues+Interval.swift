extension GraphNode {
  /// The current value, then the values that the node changes to, at most one in each interval.
  ///
  /// After each value the consumer waits until the interval is over, and then gets the latest value if
  /// it differs. So the last value is always delivered, and a value that comes after a pause at once.
  /// While the consumer waits, nothing is evaluated for it.
  ///
  /// ```swift
  /// for await total in orders.values(every: .milliseconds(50)) { show(total) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time from one value to the next, at least.
  ///   - clock: What measures it.
  /// - Returns: A sequence; each loop over it has a subscription of its own. Ends as `values` does, but
  ///   only when the interval is over.
  ///
  /// **Cancellation:** At once.
  public nonisolated func values<C: Clock>(
    every interval: Duration, clock: C
  ) -> GraphValuesAtInterval<Value, C> where C.Duration == Duration {
    GraphValuesAtInterval(values: values, interval: interval, clock: clock)
  }

  /// The current value, then the values that the node changes to, at most one in each interval of
  /// continuous time.
  ///
  /// - Parameter interval: The time from one value to the next, at least.
  /// - Returns: A sequence, see `values(every:clock:)`.
  ///
  /// **Cancellation:** At once.
  public nonisolated func values(
    every interval: Duration
  ) -> GraphValuesAtInterval<Value, ContinuousClock> {
    values(every: interval, clock: ContinuousClock())
  }
}

/// The values of a node, at most one in each interval: see `GraphNode.values(every:clock:)`.
public struct GraphValuesAtInterval<Value: Sendable, C: Clock>: AsyncSequence, Sendable
where C.Duration == Duration {
  fileprivate let values: GraphValues<Value>
  fileprivate let interval: Duration
  fileprivate let clock: C

  /// Makes an iterator with a subscription of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(values: values.makeAsyncIterator(), interval: interval, clock: clock)
  }

  /// One consumer of the values of a node.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: GraphValues<Value>.Iterator
    fileprivate let interval: Duration
    fileprivate let clock: C
    /// When the next value may be delivered; nil before the first.
    private var due: C.Instant?

    fileprivate init(values: GraphValues<Value>.Iterator, interval: Duration, clock: C) {
      self.values = values
      self.interval = interval
      self.clock = clock
    }

    /// Waits until the interval is over, and for the next value.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The value; nil at the end and when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      if let due {
        do {
          try await clock.sleep(until: due, tolerance: nil)
        } catch {
          // Cancelled, which is the end of the sequence.
          return nil
        }
      }
      let value = await values.next(isolation: actor)
      due = clock.now.advanced(by: interval)
      return value
    }
  }
}

@available(*, unavailable)
extension GraphValuesAtInterval.Iterator: Sendable {}
