/// The actor's end of a stream.
@usableFromInline
protocol StreamCell: NodeCell {
  associatedtype Element: Sendable
  associatedtype Failure: Error = Never

  /// Where the consumer waits between asking and being told.
  var slot: WaitSlot<Element> { get }

  /// Answers a consumer that asks for the next element.
  @GraphActor func poll() throws(Failure) -> Poll<Element>

  /// Gives the consumer, who does not wait, the next element without the actor; nil if that cannot
  /// be done, or there is none.
  func takeWithoutActor() -> Element?
}

extension StreamCell {
  @inlinable
  func takeWithoutActor() -> Element? { nil }
}

/// The actor's answer to a consumer that asks for the next element.
@usableFromInline
enum Poll<Element: Sendable>: Sendable {
  /// Here it is.
  case element(Element)
  /// There is none: wait.
  case wait
  /// There will be none.
  case finished
}

/// What an iterator holds: keeps the cell of a stream in the graph, and takes it out at the end.
@usableFromInline
// SAFETY: `hasBegun` belongs to the one consumer.
final class Subscription<Cell: StreamCell>: @unchecked Sendable {
  @usableFromInline let cell: Cell
  /// Whether the actor has been asked: from then on it says when there is something to ask for.
  @exclusivity(unchecked)
  @usableFromInline var hasBegun = false

  @inlinable
  init(_ cell: Cell) {
    self.cell = cell
  }

  @inlinable deinit {
    // SAFETY: A fault on purpose, of a debug build: the reference is never given back.
    if isMutated(.keepsSubscription) { return _ = Unmanaged.passRetained(cell) }
    cell.graph.release(cell)
  }

  /// The next element; nil at the end and when the task has been cancelled.
  ///
  /// A consumer that is behind takes it without the actor. One that is not waits outside of the
  /// actor, and asks it only if it has left a signal instead of an element.
  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Cell.Failure) -> Cell.Element? {
    // A release that has happened before may be the end of the stream: the actor has to see to that.
    if hasBegun, !cell.graph.hasReleased {
      if Task.isCancelled { return nil }
      if let element = cell.takeWithoutActor() { return element }
      switch await cell.slot.wait(isolation: isolation) {
      case .element(let element): return element
      case .signalled: break
      case .cancelled: return nil
      }
    }
    hasBegun = true
    while !Task.isCancelled {
      switch try await cell.poll() {
      case .element(let element):
        return element
      case .finished:
        return nil
      case .wait:
        if isMutated(.losesSignal) { cell.slot.clearSignal() }
        switch await cell.slot.wait(isolation: isolation) {
        case .element(let element): return element
        case .signalled: continue
        case .cancelled: return nil
        }
      }
    }
    return nil
  }
}
