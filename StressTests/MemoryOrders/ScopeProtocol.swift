/// Members that are added to a scope while it is cancelled, as `TrackingScope` has it: each is ended,
/// once, and the one who ends it sees what its maker has done.
struct ScopeProtocol {
  let orders: AtomicOrders
  /// How many members are added.
  let memberCount: Int

  // MARK: - Locations

  private static let isCancelled = 0
  /// The member that was added last.
  private static let top = 1
  private static func member(_ number: Int) -> Int { 2 + number }

  private var stack: AtomicStackModel { AtomicStackModel(orders: orders, top: Self.top) }

  /// All executions.
  var executions: Executions {
    let values = [Int](repeating: 0, count: Self.member(memberCount))
    return Executions(values: values, threads: [add, cancel]) { [memberCount] notes in
      let ended = notes.joined().sorted()
      guard ended == (0..<memberCount).map(Self.member) else {
        throw Fault("the members \(ended) were ended of \(memberCount)")
      }
    }
  }

  private func add(_ strand: inout Strand) throws {
    for number in 0..<memberCount {
      try stack.push(Self.member(number), &strand)
      if try strand.load(Self.isCancelled, .relaxed) != 0 { try endMembers(&strand) }
    }
  }

  private func cancel(_ strand: inout Strand) throws {
    _ = try strand.exchange(1, at: Self.isCancelled, .acquiringAndReleasing)
    try endMembers(&strand)
  }

  private func endMembers(_ strand: inout Strand) throws {
    for member in try stack.takeAll(&strand) { strand.note(member) }
  }
}
