/// The values of an expression over nodes: now, and after every commit that changed what it read.
///
/// ```swift
/// for await sum in GraphTrackings({ a.wrappedValue + b.wrappedValue }) { print(sum) }
/// ```
///
/// The expression runs on the actor, on behalf of the consumer and never of a writer. What it
/// reads is tracked in every run anew. There is an element for each run, equal or not. Commits
/// that come while the consumer is busy are answered by one run when it comes back; after a run that
/// takes long there is none for nine times as long, see `GraphValues`. What the
/// expression itself writes to stored nodes that it read does not make it run again.
///
/// The sequence keeps alive what the expression captures. It ends when the task is cancelled, when
/// the expression throws, and with `untilFinished(_:)` when it says so. Each loop over it has a
/// subscription of its own.
public struct GraphTrackings<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// What an expression answers that may end its sequence.
  public enum Iteration: Sendable {
    /// The sequence goes on with this element.
    case next(Element)
    /// The sequence ends.
    case finish
  }

  private let expression: TrackingWatcher<Element, Failure>.Expression
  /// When an element is left out because of the one before; never, if nil.
  private let isEqual: (@Sendable (Element, Element) -> Bool)?

  private init(
    expression: @escaping TrackingWatcher<Element, Failure>.Expression,
    isEqual: (@Sendable (Element, Element) -> Bool)? = nil
  ) {
    self.expression = expression
    self.isEqual = isEqual
  }

  /// Makes a sequence of the values of an expression.
  ///
  /// - Parameter expression: Reads nodes.
  public init(_ expression: @escaping @GraphActor @Sendable () throws(Failure) -> Element) {
    self.init(expression: { () throws(Failure) in .next(try expression()) })
  }

  /// Makes a sequence of the values of an expression that says when it ends.
  ///
  /// - Parameter expression: Reads nodes; returns `.next` with an element, or `.finish`.
  /// - Returns: The sequence.
  public static func untilFinished(
    _ expression: @escaping @GraphActor @Sendable () throws(Failure) -> Iteration
  ) -> GraphTrackings {
    GraphTrackings(expression: expression)
  }

  /// The same sequence without the elements that equal the one before.
  ///
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  public func removingDuplicates() -> GraphTrackings where Element: Equatable {
    GraphTrackings(expression: expression, isEqual: ==)
  }

  /// Makes an iterator with a subscription of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(Subscription(TrackingWatcher(expression, isEqual: isEqual)))
  }

  /// One consumer of the values of an expression.
  ///
  /// Copies share a subscription: two loops need two iterators.
  public struct Iterator: AsyncIteratorProtocol {
    private var subscription: Subscription<TrackingWatcher<Element, Failure>>?

    fileprivate init(_ subscription: Subscription<TrackingWatcher<Element, Failure>>) {
      self.subscription = subscription
    }

    /// Waits for the next value.
    ///
    /// - Parameter actor: The isolation of the caller, which the wait does not leave.
    /// - Returns: The value; nil at the end and when the task has been cancelled.
    /// - Throws: What the expression throws; the sequence has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      do {
        if let element = try await subscription?.next(isolation: actor) { return element }
      } catch {
        subscription = nil
        throw error
      }
      subscription = nil
      return nil
    }
  }
}

@available(*, unavailable)
extension GraphTrackings.Iterator: Sendable {}

/// The subscription of one iterator to an expression.
final class TrackingWatcher<Element: Sendable, Failure: Error>: WatcherCell, StreamCell,
  // SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
  @unchecked Sendable
{
  typealias Expression =
    @GraphActor @Sendable () throws(Failure) -> GraphTrackings<Element, Failure>.Iteration

  let slot = WaitSlot<Element>()
  /// The expression, until it has ended the sequence.
  @GraphActor private var expression: Expression?
  /// Whether something that the last run read has changed, or there was no run.
  @GraphActor private var isDue = true
  /// How much of the actor's time the runs take.
  @GraphActor private var share = FollowerShare()

  /// When an element is left out because of the one before; never, if nil.
  private let isEqual: (@Sendable (Element, Element) -> Bool)?
  /// The element before, if it is asked for.
  @GraphActor private var last: Element?

  init(_ expression: @escaping Expression, isEqual: (@Sendable (Element, Element) -> Bool)?) {
    self.expression = expression
    self.isEqual = isEqual
    super.init(label: "a tracked expression")
  }

  func poll() throws(Failure) -> Poll<Element> {
    graph.arrive()
    slot.clearSignal()
    guard let expression else { return .finished }
    if id == .none { graph.register(self) }
    if mustPause { return .wait }
    let begin = share.begins()
    defer { share.ended(begin) }
    guard graph.actingForNobody({ graph.bringUpToDate(id) }) || isDue else { return .wait }
    graph.currentTransaction?.followers.append(self)
    isDue = false
    do {
      switch try graph.run(watcher: self, expression) {
      case .next(let element):
        if let isEqual {
          if let last, isEqual(last, element) {
            passes(.sparesStream)
            return .wait
          }
          last = element
        }
        passes(.tracksElement)
        return .element(element)
      case .finish:
        passes(.finishesTracking)
        self.expression = nil
      }
    } catch {
      passes(.throwsInTracking)
      self.expression = nil
      throw error
    }
    return .finished
  }

  /// Whether the consumer has to wait because the run before took long.
  @GraphActor private var mustPause: Bool {
    share.mustPause { [weak self] in
      await self?.endPause()
    }
  }

  @GraphActor
  private func endPause() {
    share.wasWokenUp()
    slot.signal()
  }

  override func notified() {
    // A consumer that is busy, or for whom it takes long, asks when it comes back; until then the
    // marks stay, and later commits pass by.
    if share.isExpensive {
      passes(.leavesToFollower)
    } else if slot.isWaiting {
      guard graph.bringUpToDate(id) else { return }
      graph.core.pointee.engine.keepDirty(id)
    }
    slot.signal()
  }

  override func wasRemoved() {
    expression = nil
    last = nil
  }
}
