/// Slots that two threads take and give back, as `MemberTable` has it: nobody has a slot that another
/// one has.
struct FreeSlotProtocol {
  let orders: AtomicOrders
  /// How often each thread takes a slot and gives it back.
  let rounds: [Int]

  // MARK: - Locations

  /// The index, plus 1, of the slot on top, and 4 times the tag.
  private static let free = 0
  private static func nextFree(_ index: Int) -> Int { 1 + 2 * index }
  /// What is in a slot; not atomic.
  private static func content(_ index: Int) -> Int { 2 + 2 * index }
  private static let slotCount = 3

  /// All executions.
  var executions: Executions {
    var values = [Int](repeating: 0, count: Self.nextFree(Self.slotCount))
    values[Self.free] = 1
    for index in 0..<Self.slotCount - 1 { values[Self.nextFree(index)] = index + 2 }
    let threads = rounds.map { rounds in
      { @Sendable (strand: inout Strand) in
        for _ in 0..<rounds { try use(&strand) }
      }
    }
    return Executions(values: values, threads: threads)
  }

  private func use(_ strand: inout Strand) throws {
    guard let index = try take(&strand) else { return }
    // A data race if another thread has the slot, too.
    try strand.write(try strand.read(Self.content(index)) + 1, to: Self.content(index))
    try giveBack(index, &strand)
  }

  private func take(_ strand: inout Strand) throws -> Int? {
    var top = try strand.load(Self.free, orders[.findFreeSlot])
    while top % 4 != 0 {
      let index = top % 4 - 1
      let below = try strand.load(Self.nextFree(index), .relaxed)
      let (exchanged, original) = try strand.compareExchange(
        expected: top, desired: (top / 4 + 1) * 4 + below, at: Self.free,
        orders[.findFreeSlot])
      if exchanged { return index }
      top = original
    }
    return nil
  }

  private func giveBack(_ index: Int, _ strand: inout Strand) throws {
    var top = try strand.load(Self.free, .relaxed)
    while true {
      _ = try strand.exchange(top % 4, at: Self.nextFree(index), .relaxed)
      let (exchanged, original) = try strand.compareExchange(
        expected: top, desired: (top / 4 + 1) * 4 + index + 1, at: Self.free,
        orders[.giveSlotBack])
      if exchanged { return }
      top = original
    }
  }
}
