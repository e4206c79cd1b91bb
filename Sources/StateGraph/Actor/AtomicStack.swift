import Synchronization

/// An object that can be linked into an `AtomicStack`.
protocol AtomicStackMember: AnyObject {
  /// The member below; belongs to whoever has the member in hand.
  var nextInStack: UnsafeMutableRawPointer? { get set }
}

/// A stack onto which any thread can push without waiting, and which is only emptied as a whole.
///
/// Linked through its members, in the manner of Treiber (R. K. Treiber, "Systems Programming:
/// Coping with Parallelism", 1986). Members are never taken out one by one, so the ABA problem
/// cannot arise.
final class AtomicStack<Member: AtomicStackMember & Sendable>: Sendable {
  /// The address of the member that was pushed last, or 0; the stack owns a reference to each.
  private let top = Atomic<UInt>(0)

  /// Whether there is nothing to take, as far as this thread has heard.
  var isEmpty: Bool { top.load(ordering: .relaxed) == 0 }

  /// Adds a member.
  func push(_ member: Member) {
    // SAFETY: The reference taken here is owned by the stack until `takeAll` hands it on.
    let pushed = UInt(bitPattern: Unmanaged.passRetained(member).toOpaque())
    var expected = top.load(ordering: .relaxed)
    while true {
      member.nextInStack = UnsafeMutableRawPointer(bitPattern: expected)
      let (exchanged, original) = top.weakCompareExchange(
        expected: expected, desired: pushed,
        successOrdering: .releasing, failureOrdering: .relaxed)
      if exchanged { return }
      expected = original
    }
  }

  /// Takes all members out.
  ///
  /// - Returns: The member that was pushed last, from which the others hang; the caller owns a
  ///   reference to each.
  // SAFETY: The references that `push` has taken go to whoever gets them out by the exchange.
  func takeAll() -> Unmanaged<Member>? {
    UnsafeMutableRawPointer(bitPattern: top.exchange(0, ordering: .acquiring))
      // SAFETY: Only `push` puts addresses there, of members.
      .map { Unmanaged.fromOpaque($0) }
  }

  /// Takes all members out, and costs a plain load if there are none.
  // SAFETY: As for `takeAll`.
  func takeAllIfAny() -> Unmanaged<Member>? {
    isEmpty ? nil : takeAll()
  }
}
