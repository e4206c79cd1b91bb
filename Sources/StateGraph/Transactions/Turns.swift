/// Who may try again when transactions get in each other's way.
///
/// Two long transactions that write what the other reads could make each other start over for
/// ever. So a transaction that has met a conflict takes a turn: the others that have met one wait
/// until it is through, in the order in which they came, and those that are about to begin wait
/// until no turn is taken any more. A body may itself wait for what another transaction is about to
/// do: so nobody waits longer than a while for the end of one and the same turn. Commits are never
/// held up.
struct Turns {
  /// Where a transaction waits for its turn.
  final class Place: Sendable {
    let slot = WaitSlot<Void>()
  }

  /// The place of the transaction whose turn it is.
  private var holder: Place? {
    didSet { number += 1 }
  }
  /// Changes with each turn.
  private(set) var number: UInt64 = 0
  /// Those that have met a conflict and wait.
  private var retrying: [Place] = []
  /// Those that have not begun and wait.
  private var beginning: [Place] = []

  /// How long a transaction waits for the end of one turn after a number of conflicts: 20 ms at
  /// first, doubled with each conflict, at most 2.56 s.
  static func patience(after conflicts: Int) -> Duration {
    .milliseconds(20 << min(conflicts, 7))
  }

  /// Whether nobody has a turn.
  var isFree: Bool { holder == nil }

  /// Whether a place has the turn.
  func isTurn(of place: Place) -> Bool { holder === place }

  /// Asks for a turn.
  ///
  /// - Returns: Whether it is granted at once.
  mutating func request(_ place: Place) -> Bool {
    if holder == nil { holder = place }
    if holder === place { return true }
    retrying.append(place)
    return false
  }

  /// Waits in front of a first attempt.
  mutating func waitToBegin(_ place: Place) {
    beginning.append(place)
  }

  /// Gives a turn, or a place in a queue, back.
  mutating func leave(_ place: Place) {
    retrying.removeAll { $0 === place }
    beginning.removeAll { $0 === place }
    guard holder === place else { return }
    holder = nil
    if retrying.isEmpty {
      for waiting in beginning { waiting.slot.signal() }
      beginning = []
    } else {
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
    guard !core.pointee.turns.isFree else { return }
    let place = Turns.Place()
    core.pointee.turns.waitToBegin(place)
    await wait(at: place, atMost: Turns.patience(after: 0)) { $0.isFree }
    core.pointee.turns.leave(place)
  }

  /// Waits for a turn, or until the patience is at its end.
  @GraphActor
  func takeTurn(_ place: Turns.Place, afterConflicts conflicts: Int) async {
    guard !core.pointee.turns.request(place) else { return }
    await wait(at: place, atMost: Turns.patience(after: conflicts)) { $0.isTurn(of: place) }
  }

  /// Waits for a change of the turns, as long as turns come to their end.
  @GraphActor
  private func wait(
    at place: Turns.Place, atMost duration: Duration, until isOver: (Turns) -> Bool
  ) async {
    while !isOver(core.pointee.turns), !Task.isCancelled {
      let number = core.pointee.turns.number
      await place.slot.wait(atMost: duration)
      if number == core.pointee.turns.number { return }
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
