/// A closure that is used on two threads while a third lets go of it, as `Releasable` has it.
///
/// Uses exclude each other, each sees what the one before has done, and what is captured ends once.
struct ReleasableProtocol {
  let orders: AtomicOrders
  /// How many threads use it.
  let userCount: Int

  // MARK: - Locations

  /// The address of the content, or that it is in use, or gone.
  private static let state = 0
  /// What is captured; not atomic.
  private static let content = 2
  private static let (gone, inUse) = (0, 1)
  /// What is left of the content when it has ended.
  private static let ended = -1

  /// All executions.
  var executions: Executions {
    let users = [Executions.Code](repeating: use, count: userCount)
    return Executions(values: [Self.content, 0, 0], threads: users + [release]) { notes in
      guard notes.joined().count == 1 else { throw Fault("the content has not ended once") }
    }
  }

  private func use(_ strand: inout Strand) throws {
    let address = try strand.load(Self.state, .relaxed)
    guard address > Self.inUse else { return }
    let isTaken = try strand.compareExchange(
      expected: address, desired: Self.inUse, at: Self.state, orders[.takeContent]
    ).exchanged
    guard isTaken else { return }
    let uses = try strand.read(address)
    guard uses != Self.ended else { throw Fault("what has ended is used") }
    try strand.write(uses + 1, to: address)
    let isBack = try strand.compareExchange(
      expected: Self.inUse, desired: address, at: Self.state, orders[.putBackContent]
    ).exchanged
    if !isBack { try end(&strand) }
  }

  private func release(_ strand: inout Strand) throws {
    let before = try strand.exchange(Self.gone, at: Self.state, orders[.releaseContent])
    if before > Self.inUse { try end(&strand) }
  }

  private func end(_ strand: inout Strand) throws {
    try strand.write(Self.ended, to: Self.content)
    strand.note(1)
  }
}
