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

/// The cells that the actor has taken from the release list, to be removed in the order of their release.
///
/// The list gives the newest first, so it is turned around: what a temporary has made for itself was
/// released before it. Both that and the removal are done in portions, however many cells there are.
struct ReleaseQueue: ~Copyable {
  /// How many cells are turned around in the time in which one is removed.
  private static var turnsPerRemoval: Int { 16 }

  /// What has not been turned around, the newest first.
  // SAFETY: The chain owns a reference to each of its members.
  private var unordered: Unmanaged<NodeCell>?
  /// What has been, the oldest first.
  // SAFETY: As for `unordered`.
  private var ordered: Unmanaged<NodeCell>?

  /// Whether there is nothing to be removed.
  var isEmpty: Bool { unordered == nil && ordered == nil }

  /// Takes out the cell that was released first.
  ///
  /// - Parameters:
  ///   - list: What the queue is filled from when it is empty.
  ///   - budget: How many cells may still be removed; what is done is taken from it.
  /// - Returns: Nil if there is none, or the budget is used up.
  mutating func next(from list: ReleaseList, budget: inout Int) -> NodeCell? {
    if isEmpty { unordered = list.takeAll() }
    while budget > 0 {
      if unordered != nil {
        budget -= 1
        turn()
      } else if let first = ordered {
        budget -= 1
        ordered = first.next
        return first.takeRetainedValue()
      } else {
        return nil
      }
    }
    return nil
  }

  private mutating func turn() {
    for _ in 0..<Self.turnsPerRemoval {
      guard let cell = unordered else { return }
      unordered = cell.next
      // SAFETY: The member goes from one chain to the other, with its reference.
      cell._withUnsafeGuaranteedRef { [ordered] in $0.nextInStack = ordered?.toOpaque() }
      ordered = cell
    }
  }
}

// Isolated to nothing, see `placeOnStack`.
// SAFETY: Whoever has a chain in hand owns a reference to each member of it.
extension Unmanaged where Instance == NodeCell {
  /// The member of a chain below the cell.
  // SAFETY: See above.
  fileprivate var next: Unmanaged<NodeCell>? {
    // SAFETY: A chain owns a reference to each member, and the link of a member is a member.
    _withUnsafeGuaranteedRef { $0.nextInStack.map { Unmanaged.fromOpaque($0) } }
  }
}
