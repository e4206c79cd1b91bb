import Synchronization

/// What ends together: the groups and maps of one `withGraphTracking`, or those that one group has
/// made in its latest run.
///
/// Can be cancelled from any thread, while the actor adds to it. A member that comes too late is
/// cancelled at once. A member that ends before the scope leaves it, so nothing of it is kept.
package final class TrackingScope: Sendable {
  private let cancelled = Atomic(false)
  private let members = MemberTable()

  /// Makes a scope without members.
  package init() {}

  /// That something is a member of a scope.
  package struct Membership: Sendable {
    fileprivate let scope: TrackingScope
    fileprivate let token: MemberTable.Token

    /// Makes the scope forget the member, if it has not ended it; from any thread.
    ///
    /// - Complexity: O(1), but for O(log *n*) steps, where *n* is the number of members.
    package func leave() {
      passes(.leavesScope)
      scope.members.take(token)
    }
  }

  /// Whether it has been cancelled; nothing begins in it any more.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Adds a member.
  ///
  /// - Parameter end: Is called once, when the members are ended or the scope is cancelled, unless the
  ///   member has left.
  /// - Returns: The membership, for a member that may end before the scope.
  @discardableResult
  package func add(_ end: @escaping @Sendable () -> Void) -> Membership {
    let token = members.add(end)
    // Whoever has cancelled may have taken the members out before; then `add` has made it visible.
    if isCancelled {
      passes(.endsLateMember)
      endMembers()
    }
    return Membership(scope: self, token: token)
  }

  /// Ends the members, the latest first; others can be added afterwards.
  package func endMembers() {
    for member in members.takeAll() { member.end() }
  }

  /// Ends the members, and whatever is added later.
  ///
  /// - Returns: False if it had been cancelled before.
  @discardableResult
  func cancel() -> Bool {
    let isFirst = !cancelled.exchange(true, ordering: .relaxed)
    endMembers()
    return isFirst
  }

  /// The number of members that there is room for, for tests.
  package var capacity: Int { members.capacity }
}
