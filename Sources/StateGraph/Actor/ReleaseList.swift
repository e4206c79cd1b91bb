import Synchronization

/// The cells whose owners are gone, until the actor removes them from the graph.
///
/// A node may lose its last owner on any thread, in the middle of anything. Its owner pushes the
/// cell here, which takes a few instructions and waits for nobody; the actor empties the list when
/// it is next in the graph. So nothing that a walk can touch is freed under it, and a long chain of nodes,
/// each held by the rule of the next, is freed in a loop and not by recursion.
final class ReleaseList: Sendable {
  private let cells = AtomicStack<NodeCell>()
  /// Whether a task that will empty the list is on its way.
  private let isDrainScheduled = Atomic(false)

  /// Whether no cell waits, as far as this thread has heard.
  var isEmpty: Bool { cells.isEmpty }

  /// Adds a cell.
  ///
  /// - Returns: Whether the caller must see to it that the actor empties the list.
  func push(_ cell: NodeCell) -> Bool {
    cells.push(cell)
    return !isDrainScheduled.exchange(true, ordering: .releasing)
  }

  /// Takes all cells out, see `AtomicStack.takeAll`.
  // SAFETY: As for `AtomicStack.takeAll`.
  func takeAll() -> Unmanaged<NodeCell>? { cells.takeAll() }

  /// Notes that the scheduled task has emptied the list and is about to end.
  ///
  /// A cell that is pushed from here on schedules a task again; one that was pushed before and
  /// scheduled none is visible now.
  func drainEnded() {
    _ = isDrainScheduled.exchange(false, ordering: .acquiring)
  }
}
