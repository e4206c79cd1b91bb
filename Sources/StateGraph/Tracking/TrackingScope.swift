import Synchronization

/// What ends together: the groups and maps of one `withGraphTracking`, or those that one group has
/// made in its latest run.
///
/// Can be cancelled from any thread, while the actor adds to it. A member that comes too late is
/// cancelled at once.
final class TrackingScope: Sendable {
  private let cancelled = Atomic(false)
  private let members = AtomicStack<Member>()

  /// One member.
  // SAFETY: `nextInStack` belongs to whoever has the object in hand; `end` never changes.
  private final class Member: AtomicStackMember, @unchecked Sendable {
    let end: @Sendable () -> Void
    var nextInStack: UnsafeMutableRawPointer?

    init(_ end: @escaping @Sendable () -> Void) {
      self.end = end
    }
  }

  /// Whether it has been cancelled; nothing begins in it any more.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Adds a member.
  ///
  /// - Parameter end: Is called once, when the members are ended or the scope is cancelled.
  func add(_ end: @escaping @Sendable () -> Void) {
    members.push(Member(end))
    // Whoever has cancelled may have taken the members out before; then the push has made it visible.
    if isCancelled {
      passes(.endsLateMember)
      endMembers()
    }
  }

  /// Ends the members, the latest first; others can be added afterwards.
  func endMembers() {
    var next = members.takeAll()
    while let unmanaged = next {
      // SAFETY: The chain that was taken owns a reference to each member, and the link is a member.
      let member = unmanaged.takeRetainedValue()
      // SAFETY: Likewise.
      next = member.nextInStack.map { Unmanaged.fromOpaque($0) }
      member.end()
    }
  }

  /// Ends the members, and whatever is added later.
  ///
  /// - Returns: False if it had been cancelled before.
  @discardableResult
  func cancel() -> Bool {
    let isFirst = !cancelled.exchange(true, ordering: .acquiringAndReleasing)
    endMembers()
    return isFirst
  }
}
