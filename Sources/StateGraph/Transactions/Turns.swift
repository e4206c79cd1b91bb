/// Who may try again when transactions get in each other's way.
///
/// Two long transactions that write what the other reads could make each other start over for
/// ever. So a transaction that has met a conflict takes a turn: the others that have met one wait
/// until it is through, in the order in which they came, and those that are about to begin wait
/// until no turn is taken any more. A body may itself wait for what another transaction is about to
/// do: so nobody waits longer than a while for one and the same attempt. Commits are never held up.
package struct Turns {
  /// Where a transaction waits for its turn.
  package final class Place: Sendable {
    /// Where it waits; made anew for each wait, because one that was given up is of no more use.
    @GraphActor fileprivate(set) var slot = WaitSlot<Void>()
    /// How many conflicts the transaction has met.
    @GraphActor fileprivate(set) var conflicts = 0

    /// Makes a place that stands in no queue.
    package init() {}
  }

  /// The place of the transaction whose turn it is.
  private var holder: Place? {
    didSet { number += 1 }
  }
  /// Changes with each turn, and with each attempt in one: whoever holds it is getting on.
  private(set) var number: UInt64 = 0
  /// Those that have met a conflict and wait.
  private var retrying: [Place] = []
  /// Those that have not begun and wait.
  private var beginning: [Place] = []

  /// Nobody has a turn, and nobody waits.
  package init() {}

  /// How long a transaction waits for the end of an attempt of the one that has the turn: 20 ms,
  /// doubled with each conflict that either has met, at most 2.56 s.
  ///
  /// The closer that one is to its last attempt, the more patient are the others.
  @GraphActor
  func patience(of place: Place) -> Duration {
    .milliseconds(20 << min(max(place.conflicts, holder?.conflicts ?? 0), 7))
  }

  /// Whether nobody has a turn.
  package var isFree: Bool { holder == nil }

  /// Whether a place has the turn.
  package func isTurn(of place: Place) -> Bool { holder === place }

  /// Asks for a turn after a conflict, or to keep the one it has.
  ///
  /// - Returns: Whether it is granted at once.
  @GraphActor
  package mutating func request(_ place: Place, afterConflicts conflicts: Int) -> Bool {
    place.conflicts = conflicts
    if holder == nil || holder === place {
      passes(.takesTurn)
      holder = place
      return true
    }
    passes(.waitsForTurn)
    if !retrying.contains(where: { $0 === place }) { retrying.append(place) }
    return false
  }

  /// Waits in front of a first attempt.
  mutating func waitToBegin(_ place: Place) {
    passes(.waitsToBegin)
    beginning.append(place)
  }

  /// Gives a turn, or a place in a queue, back.
  @GraphActor
  package mutating func leave(_ place: Place) {
    retrying.removeAll { $0 === place }
    beginning.removeAll { $0 === place }
    guard holder === place else { return }
    holder = nil
    if retrying.isEmpty {
      for waiting in beginning { waiting.slot.signal() }
      beginning = []
    } else {
      passes(.handsTurnOn)
      let next = retrying.removeFirst()
      holder = next
      next.slot.signal()
    }
  }
}

extension Graph {
  /// Waits until nobody has a turn, or the patience is at its end.
  @GraphActor
  func waitToBegin() async {
    guard !transactions.turns.isFree else { return }
    let place = Turns.Place()
    transactions.turns.waitToBegin(place)
    await wait(at: place) { $0.isFree }
    transactions.turns.leave(place)
  }

  /// Waits for a turn, or until the patience is at its end.
  @GraphActor
  func takeTurn(_ place: Turns.Place, afterConflicts conflicts: Int) async {
    guard !transactions.turns.request(place, afterConflicts: conflicts) else { return }
    await wait(at: place) { $0.isTurn(of: place) }
  }

  /// Waits for a change of the turns, as long as those who have one get on.
  @GraphActor
  private func wait(at place: Turns.Place, until isOver: (Turns) -> Bool) async {
    while !isOver(transactions.turns), !Task.isCancelled {
      let number = transactions.turns.number
      place.slot = WaitSlot()
      await place.slot.wait(atMost: transactions.turns.patience(of: place))
      if number == transactions.turns.number { return }
    }
  }
}

extension WaitSlot where Element == Void {
  /// Waits for a signal, for a cancellation, or for a while.
  fileprivate func wait(atMost duration: Duration) async {
    await withTaskGroup { group in
      group.addTask { _ = await self.wait(isolation: nil) }
      group.addTask { await GraphTasks.sleep(for: duration) }
      await group.next()
      group.cancelAll()
    }
  }
}
