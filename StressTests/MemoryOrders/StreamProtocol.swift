/// A consumer of commits beside the actor, as `CommitWatcher`, `SharedBuffer` and the iterator have
/// it: nothing is lost, nothing comes twice, and nobody waits for ever.
struct StreamProtocol {
  let orders: AtomicOrders
  /// How many elements the actor delivers.
  let elementCount: Int
  /// Whether the consumer is cancelled meanwhile.
  var isCancelled = false

  // MARK: - Locations

  /// The address of the buffer's content, or 0.
  private static let place = 3
  private let actor = ActorModel(isFree: 2)
  private var slot: WaitSlotModel {
    let outcomes = 4..<5 + 2 * elementCount
    return WaitSlotModel(orders: orders, state: 0, continuation: 1, outcomes: outcomes)
  }
  /// The contents, each a list of elements; not atomic.
  private func content(_ number: Int) -> Int { slot.outcomes.upperBound + number }

  /// All executions.
  var executions: Executions {
    var values = [Int](repeating: 0, count: content(elementCount + 1))
    values[actor.isFree] = 1
    let threads = [consume, deliver] + (isCancelled ? [slot.cancel] : [])
    return Executions(values: values, threads: threads) { [elementCount, isCancelled] notes in
      let all = Array(1...elementCount)
      guard isCancelled ? all.starts(with: notes[0]) : notes[0] == all else {
        throw Fault("the consumer has got \(notes[0]) of \(all)")
      }
    }
  }

  // MARK: - The threads

  private func consume(_ strand: inout Strand) throws {
    var waits = 0
    for _ in 1...elementCount {
      guard let element = try next(&waits, &strand) else { return }
      strand.note(element)
    }
  }

  private func next(_ waits: inout Int, _ strand: inout Strand) throws -> Int? {
    if let element = try popFirst(&strand) { return element }
    while true {
      switch try slot.wait(&waits, &strand) {
      case .element(let element): return element
      case .cancelled: return nil
      case .signalled:
        let element = try actor.visit(&strand) { strand in
          try slot.takeSignal(&strand)
          return try popFirst(&strand)
        }
        if let element { return element }
      }
    }
  }

  private func deliver(_ strand: inout Strand) throws {
    for element in 1...elementCount {
      try actor.visit(&strand) { strand in
        try append(element, &strand)
        guard try slot.isWaiting(&strand), let first = try popFirst(&strand) else {
          return try slot.signal(&strand)
        }
        // If this fails, the consumer has been cancelled.
        _ = try slot.resume(with: first, &strand)
      }
    }
  }

  // MARK: - The buffer

  private func append(_ element: Int, _ strand: inout Strand) throws {
    var mine = try takeOut(&strand)
    if mine == 0 { mine = content(element) }
    // A list is a number, of which the first digit is the oldest element.
    try strand.write(strand.read(mine) * 10 + element, to: mine)
    while try !putBack(mine, &strand) {
      let other = try takeOut(&strand)
      guard other != 0 else { continue }
      // What the consumer has put back meanwhile is older.
      try strand.write(joined(strand.read(other), strand.read(mine)), to: mine)
    }
  }

  private func popFirst(_ strand: inout Strand) throws -> Int? {
    guard try strand.load(Self.place, .relaxed) != 0 else { return nil }
    let mine = try takeOut(&strand)
    guard mine != 0 else { return nil }
    var digits = try "\(strand.read(mine))".compactMap(\.wholeNumberValue).filter { $0 != 0 }
    let first = digits.isEmpty ? nil : digits.removeFirst()
    try strand.write(digits.reduce(0) { $0 * 10 + $1 }, to: mine)
    while try !putBack(mine, &strand) {
      let other = try takeOut(&strand)
      guard other != 0 else { continue }
      // What the actor has begun meanwhile is newer.
      try strand.write(joined(strand.read(mine), strand.read(other)), to: mine)
    }
    return first
  }

  private func joined(_ older: Int, _ newer: Int) -> Int {
    "\(newer)".reduce(older) { sum, digit in sum * (digit == "0" ? 1 : 10) } + newer
  }

  private func takeOut(_ strand: inout Strand) throws -> Int {
    try strand.exchange(0, at: Self.place, orders[.takeOut])
  }

  private func putBack(_ content: Int, _ strand: inout Strand) throws -> Bool {
    try strand.compareExchange(
      expected: 0, desired: content, at: Self.place, orders[.putBack]
    ).exchanged
  }
}
