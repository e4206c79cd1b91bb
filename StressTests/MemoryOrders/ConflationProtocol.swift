/// A consumer of the latest value of a stored node, as `ValueWatcher` has it.
///
/// While it waits or asks, what it has delivered last belongs to the actor, otherwise to the
/// consumer. Values grow, and the last one arrives.
struct ConflationProtocol {
  let orders: AtomicOrders
  /// How many values are committed.
  let commitCount: Int

  // MARK: - Locations

  private static let value = 3
  /// What was delivered last; not atomic.
  private static let last = 4
  private let actor = ActorModel(isFree: 2)
  private var slot: WaitSlotModel {
    let outcomes = 5..<6 + 2 * commitCount
    return WaitSlotModel(orders: orders, state: 0, continuation: 1, outcomes: outcomes)
  }

  /// All executions.
  var executions: Executions {
    var values = [Int](repeating: 0, count: slot.outcomes.upperBound)
    values[actor.isFree] = 1
    return Executions(values: values, threads: [consume, commit]) { [commitCount] notes in
      guard notes[0].last == commitCount, zip(notes[0], notes[0].dropFirst()).allSatisfy(<) else {
        throw Fault("the consumer has got \(notes[0]) of \(commitCount)")
      }
    }
  }

  private func consume(_ strand: inout Strand) throws {
    var waits = 0
    while strand.notes.last != commitCount { strand.note(try next(&waits, &strand)) }
  }

  private func next(_ waits: inout Int, _ strand: inout Strand) throws -> Int {
    if try slot.isSignalled(&strand) {
      let value = try strand.load(Self.value, .acquiring)
      if try value > strand.read(Self.last) {
        try strand.write(value, to: Self.last)
        return value
      }
    }
    while true {
      if case .element(let value) = try slot.wait(&waits, &strand) { return value }
      let element = try actor.visit(&strand) { strand in
        try slot.takeSignal(&strand)
        return try change(&strand)
      }
      if let element { return element }
    }
  }

  private func commit(_ strand: inout Strand) throws {
    for value in 1...commitCount {
      try actor.visit(&strand) { strand in
        try strand.store(value, to: Self.value, .releasing)
        guard try slot.isWaiting(&strand) else { return try slot.signal(&strand) }
        guard let element = try change(&strand) else { return }
        if try !slot.resume(with: element, &strand) { try slot.signal(&strand) }
      }
    }
  }

  /// The value, if it is not the one that was delivered last; on the actor.
  private func change(_ strand: inout Strand) throws -> Int? {
    let value = try strand.load(Self.value, .relaxed)
    guard try value > strand.read(Self.last) else { return nil }
    try strand.write(value, to: Self.last)
    return value
  }
}
