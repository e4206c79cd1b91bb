/// A stack as `AtomicStack` has it, of members that are locations which hold the member below.
struct AtomicStackModel {
  let orders: AtomicOrders
  /// The location of the member that was pushed last, or 0.
  let top: Int

  func push(_ member: Int, _ strand: inout Strand) throws {
    var expected = try strand.load(top, .relaxed)
    while true {
      try strand.write(expected, to: member)
      let (exchanged, original) = try strand.compareExchange(
        expected: expected, desired: member, at: top, orders[.push])
      if exchanged { return }
      expected = original
    }
  }

  /// Takes all members out, the one that was pushed last first.
  func takeAll(_ strand: inout Strand) throws -> [Int] {
    var members: [Int] = []
    var next = try strand.exchange(0, at: top, orders[.takeAll])
    while next != 0 {
      guard members.count < 9 else { throw Fault("the members form a ring") }
      members.append(next)
      next = try strand.read(next)
    }
    return members
  }
}
