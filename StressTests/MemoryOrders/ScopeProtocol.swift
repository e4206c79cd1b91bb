/// Members that are added to a scope while it is cancelled, as `TrackingScope` and `MemberTable` have
/// it: each is ended, once, and the one who ends it sees what its maker has done.
struct ScopeProtocol {
  let orders: AtomicOrders
  /// How many members are added.
  let memberCount: Int
  /// How many slots have been handed out before; the others are new.
  let oldSlotCount: Int

  // MARK: - Locations

  private static let isCancelled = 0
  private static let slotCount = 1
  private static func slot(_ index: Int) -> Int { 2 + 2 * index }
  /// What the maker of a member has done; not atomic.
  private static func content(_ member: Int) -> Int { 1 + 2 * member }

  /// All executions.
  var executions: Executions {
    var values = [Int](repeating: 0, count: Self.slot(memberCount))
    values[Self.slotCount] = oldSlotCount
    return Executions(values: values, threads: [add, cancel]) { [memberCount] notes in
      let ended = notes.joined().sorted()
      guard ended == Array(1...memberCount) else {
        throw Fault("the members \(ended) were ended of \(memberCount)")
      }
    }
  }

  private func add(_ strand: inout Strand) throws {
    for index in 0..<memberCount {
      // What was handed out before is free.
      if index >= oldSlotCount {
        try strand.add(1, to: Self.slotCount, orders[.handOutSlot])
      }
      try strand.write(1, to: Self.content(index + 1))
      _ = try strand.exchange(index + 1, at: Self.slot(index), orders[.fillSlot])
      if try strand.load(Self.isCancelled, .relaxed) != 0 { try endMembers(&strand) }
    }
  }

  private func cancel(_ strand: inout Strand) throws {
    _ = try strand.exchange(1, at: Self.isCancelled, .relaxed)
    try endMembers(&strand)
  }

  private func endMembers(_ strand: inout Strand) throws {
    for index in 0..<(try strand.add(0, to: Self.slotCount, orders[.countSlots])) {
      let member = try strand.exchange(0, at: Self.slot(index), orders[.emptySlot])
      guard member != 0 else { continue }
      guard try strand.read(Self.content(member)) == 1 else {
        throw Fault("a member is ended before it was made")
      }
      strand.note(member)
    }
  }
}
