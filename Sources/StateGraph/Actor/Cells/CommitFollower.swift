/// A cell that is told of all commits.
// SAFETY: Mutable state is isolated to GraphActor.
class CommitFollower: NodeCell, @unchecked Sendable {
  /// Its index in `GraphCore.commitFollowers`; nil before and after.
  @exclusivity(unchecked) @GraphActor fileprivate final var index: Int?

  /// A commit has been published.
  ///
  /// - Parameters:
  ///   - version: Its version.
  ///   - changedNodes: The nodes that have changed.
  @GraphActor func committed(_ version: UInt64, _ changedNodes: [GraphNodeID]) {
    preconditionFailure("a follower of commits that cannot be told was told")
  }

  /// A follower that the actor has yet to see.
  // SAFETY: `nextInStack` belongs to whoever has the object in hand; `follower` never changes.
  final class Arrival: AtomicStackMember, @unchecked Sendable {
    let follower: CommitFollower
    var nextInStack: UnsafeMutableRawPointer?

    init(_ follower: CommitFollower) {
      self.follower = follower
    }
  }
}

extension Graph {
  /// Lets a cell follow the commits; from any thread, effective at once.
  func admit(_ follower: CommitFollower) {
    core.pointee.arrivals.push(CommitFollower.Arrival(follower))
    note(.arrivals)
  }

  /// Ends what `admit` began.
  ///
  /// - Complexity: O(1), and O(1) for each that has begun to follow since the last commit.
  @GraphActor
  func dismiss(_ follower: CommitFollower) {
    admitArrivals()
    guard let index = follower.index else { return }
    follower.index = nil
    let last = core.pointee.commitFollowers.removeLast()
    guard last !== follower else { return }
    core.pointee.commitFollowers[index] = last
    last.index = index
  }

  /// Tells those who follow the commits.
  @GraphActor
  func announce(_ changedNodes: () -> [GraphNodeID]) {
    admitArrivals()
    guard !core.pointee.commitFollowers.isEmpty else { return }
    let nodes = changedNodes()
    for follower in core.pointee.commitFollowers { follower.committed(version, nodes) }
  }

  /// Takes in those who have begun to follow since the last commit.
  @GraphActor
  private func admitArrivals() {
    // Before they are taken: who is pushed from here on says so again.
    forget(.arrivals)
    var next = core.pointee.arrivals.takeAllIfAny()
    while let unmanaged = next {
      // SAFETY: The chain that was taken owns a reference to each member, and the link is a member.
      let arrival = unmanaged.takeRetainedValue()
      // SAFETY: Likewise.
      next = arrival.nextInStack.map { Unmanaged.fromOpaque($0) }
      passes(.admitsCommitStream)
      arrival.follower.index = core.pointee.commitFollowers.count
      core.pointee.commitFollowers.append(arrival.follower)
    }
  }
}
