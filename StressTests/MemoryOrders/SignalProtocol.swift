/// A task that is told that something has been done, and does not visit the actor again, as
/// `GraphActor.settle()` has it: it sees what has been done.
struct SignalProtocol {
  let orders: AtomicOrders

  // MARK: - Locations

  private static let done = 2
  private var slot: WaitSlotModel {
    WaitSlotModel(orders: orders, state: 0, continuation: 1, outcomes: 3..<4)
  }

  /// All executions.
  var executions: Executions {
    Executions(values: [0, 0, 0, 0], threads: [wait, work])
  }

  private func wait(_ strand: inout Strand) throws {
    var waits = 0
    guard try slot.wait(&waits, &strand) == .signalled else { throw Fault("not signalled") }
    guard try strand.read(Self.done) == 1 else { throw Fault("what has been done is not seen") }
  }

  private func work(_ strand: inout Strand) throws {
    try strand.write(1, to: Self.done)
    try slot.signal(&strand)
  }
}
