/// Where a consumer waits for the actor, as `WaitSlot` has it.
struct WaitSlotModel {
  let orders: AtomicOrders
  /// Where the consumer is: one of the states.
  let state: Int
  /// The consumer's continuation, as the number of its wait; not atomic.
  let continuation: Int
  /// For each wait, by what it has been ended.
  let outcomes: Range<Int>

  private enum State {
    static let (idle, waiting, signalled, cancelled) = (0, 1, 2, 3)
  }

  /// Why a wait has ended.
  enum Outcome: Equatable {
    case signalled, cancelled
    case element(Int)
  }

  // MARK: - The consumer

  func wait(_ waits: inout Int, _ strand: inout Strand) throws -> Outcome {
    if try isSignalled(&strand), try takeSignal(&strand) { return .signalled }
    guard waits < outcomes.count else { throw Fault("the consumer waits again and again") }
    let outcome = try suspend(waits, &strand)
    waits += 1
    _ = try strand.load(state, orders[.afterWait])
    return outcome
  }

  private func suspend(_ wait: Int, _ strand: inout Strand) throws -> Outcome {
    try strand.write(1 + wait, to: continuation)
    let (exchanged, original) = try strand.compareExchange(
      expected: State.idle, desired: State.waiting, at: state, orders[.begin])
    if exchanged {
      // The runtime hands the task on.
      let outcome = try strand.await(outcomes.lowerBound + wait, .acquiring)
      return outcome == 1 ? .signalled : outcome == 2 ? .cancelled : .element(outcome - 2)
    }
    try strand.write(0, to: continuation)
    guard original == State.signalled else { return .cancelled }
    _ = try strand.compareExchange(
      expected: State.signalled, desired: State.idle, at: state, .relaxed)
    return .signalled
  }

  func isSignalled(_ strand: inout Strand) throws -> Bool {
    try strand.load(state, .relaxed) == State.signalled
  }

  @discardableResult
  func takeSignal(_ strand: inout Strand) throws -> Bool {
    try strand.compareExchange(
      expected: State.signalled, desired: State.idle, at: state, orders[.takeSignal]
    ).exchanged
  }

  // MARK: - Those who wake it

  func isWaiting(_ strand: inout Strand) throws -> Bool {
    try strand.load(state, orders[.askWhetherWaiting]) == State.waiting
  }

  /// Delivers an element; false if the consumer does not wait.
  func resume(with element: Int, _ strand: inout Strand) throws -> Bool {
    guard try take(&strand) else { return false }
    try resume(2 + element, &strand)
    return true
  }

  func signal(_ strand: inout Strand) throws {
    while true {
      if try take(&strand) { return try resume(1, &strand) }
      let (exchanged, original) = try strand.compareExchange(
        expected: State.idle, desired: State.signalled, at: state, orders[.signal])
      if exchanged || original != State.waiting { return }
    }
  }

  func cancel(_ strand: inout Strand) throws {
    let before = try strand.exchange(State.cancelled, at: state, orders[.cancel])
    if before == State.waiting { try resume(2, &strand) }
  }

  private func take(_ strand: inout Strand) throws -> Bool {
    try strand.compareExchange(
      expected: State.waiting, desired: State.idle, at: state, orders[.take]
    ).exchanged
  }

  private func resume(_ outcome: Int, _ strand: inout Strand) throws {
    let wait = try strand.read(continuation)
    guard wait > 0 else { throw Fault("a wait is ended twice") }
    try strand.write(0, to: continuation)
    try strand.store(outcome, to: outcomes.lowerBound + wait - 1, .releasing)
  }
}
