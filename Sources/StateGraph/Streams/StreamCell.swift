/// The actor's end of a stream.
protocol StreamCell: NodeCell {
  associatedtype Element: Sendable
  associatedtype Failure: Error = Never

  /// Where the consumer waits between asking and being told.
  var slot: WaitSlot<Element> { get }

  /// Answers a consumer that asks for the next element.
  @GraphActor func poll() throws(Failure) -> Poll<Element>
}

/// The actor's answer to a consumer that asks for the next element.
enum Poll<Element: Sendable>: Sendable {
  /// Here it is.
  case element(Element)
  /// There is none: wait.
  case wait
  /// There will be none.
  case finished
}

/// What an iterator holds: keeps the cell of a stream in the graph, and takes it out at the end.
final class Subscription<Cell: StreamCell>: Sendable {
  let cell: Cell

  init(_ cell: Cell) {
    self.cell = cell
  }

  deinit {
    cell.graph.release(cell)
  }

  /// The next element; nil at the end and when the task has been cancelled.
  ///
  /// Asks the actor, and waits outside of it if there is nothing yet.
  func next(isolation: isolated (any Actor)?) async throws(Cell.Failure) -> Cell.Element? {
    while !Task.isCancelled {
      switch try await cell.poll() {
      case .element(let element):
        return element
      case .finished:
        return nil
      case .wait:
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
