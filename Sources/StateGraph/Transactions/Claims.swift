/// Which transactions go first on which nodes, after a conflict.
///
/// A transaction whose attempt has met a conflict claims the nodes that it lost on. Until it is
/// through, or waits for something else, a transaction without an older claim lets it go first there:
///
/// - one that has a younger claim on one of the nodes does not begin its next attempt;
/// - one that is about to commit a write of such a node waits.
///
/// Claims are ordered by the first conflict of their transactions. The oldest waits for none, so they
/// never wait in a circle. A body may itself wait for what another transaction is about to do, so
/// nobody waits for one and the same attempt longer than a while (`patience`). Transactions on other
/// nodes, lone writes and synchronous transactions never wait.
///
/// After the second conflict a transaction claims everything that it has read. So one that reads the
/// same nodes in each attempt, each shorter than the patience of the others, meets at most two
/// conflicts with younger transactions, and one more with each older one.
package struct Claims<Node: AnyObject> {
  /// What a transaction claims.
  package final class Claim: Sendable {
    /// Its place in the order; the older, the smaller.
    let number: UInt64
    /// The nodes, which it keeps, so that no others can have their addresses.
    @GraphActor fileprivate(set) var nodes: [ObjectIdentifier: Node] = [:]
    /// How many conflicts the transaction has met.
    @GraphActor fileprivate(set) var conflicts = 0
    /// Changes with each attempt: whoever claims is getting on.
    @GraphActor fileprivate(set) var attempt = 0
    /// Whether it is over.
    @GraphActor fileprivate(set) var isOver = false
    /// Those who let it go first.
    @GraphActor fileprivate var waiting: [WaitSlot<Void>] = []

    fileprivate init(number: UInt64) {
      self.number = number
    }
  }

  private var latestNumber: UInt64 = 0
  /// The claims on each node, the oldest first.
  private var claims: [ObjectIdentifier: [Claim]] = [:]

  /// No transaction claims anything.
  package init() {}

  /// Whether no transaction claims anything.
  package var isEmpty: Bool { claims.isEmpty }

  /// Makes a claim of a transaction that has just met its first conflict.
  package mutating func begin() -> Claim {
    latestNumber += 1
    return Claim(number: latestNumber)
  }

  /// Extends a claim after a conflict.
  ///
  /// - Parameters:
  ///   - claim: The claim.
  ///   - nodes: What the transaction goes first on, besides what it has claimed before.
  ///   - conflicts: How many conflicts it has met.
  /// - Complexity: O(nodes), times the number of claims on each.
  @GraphActor
  package mutating func extend(
    _ claim: Claim, to nodes: some Sequence<Node>, afterConflicts conflicts: Int
  ) {
    claim.conflicts = conflicts
    for node in nodes where claim.nodes.updateValue(node, forKey: ObjectIdentifier(node)) == nil {
      var others = claims[ObjectIdentifier(node)] ?? []
      let index = others.firstIndex { $0.number > claim.number } ?? others.endIndex
      others.insert(claim, at: index)
      claims[ObjectIdentifier(node)] = others
    }
  }

  /// Ends a claim: those who have let it go first go on.
  ///
  /// - Complexity: O(nodes claimed), times the number of claims on each.
  @GraphActor
  package mutating func end(_ claim: Claim) {
    guard !claim.isOver else { return }
    claim.isOver = true
    for node in claim.nodes.keys {
      claims[node]?.removeAll { $0 === claim }
      if claims[node]?.isEmpty == true { claims[node] = nil }
    }
    claim.nodes = [:]
    for slot in claim.waiting {
      passes(.endsClaim)
      slot.signal()
    }
    claim.waiting = []
  }

  /// The oldest claim of others on one of some nodes that goes before a claim.
  ///
  /// - Parameters:
  ///   - claim: The claim of who asks; nil if it has met no conflict.
  ///   - nodes: What it is about to read or to write.
  ///   - ignored: The claims that it has waited for long enough.
  /// - Returns: Nil if there is none.
  /// - Complexity: O(nodes).
  @GraphActor
  package func first(
    before claim: Claim?, on nodes: some Sequence<Node>, except ignored: [Claim] = []
  ) -> Claim? {
    var first: Claim?
    for node in nodes {
      guard let others = claims[ObjectIdentifier(node)] else { continue }
      for other in others where other.number < min(claim?.number ?? .max, first?.number ?? .max) {
        if !ignored.contains(where: { $0 === other }) { first = other }
      }
    }
    return first
  }

  /// How long a transaction waits for the end of one attempt of another: 20 ms, doubled with each
  /// conflict that either of the two has met, at most 2.56 s.
  ///
  /// The closer the other one is to its last attempt, the more patient are the rest.
  @GraphActor
  package static func patience(of claim: Claim?, with other: Claim) -> Duration {
    .milliseconds(20 << min(max(claim?.conflicts ?? 0, other.conflicts), 7))
  }
}

extension Graph {
  /// Extends what a transaction claims after a conflict.
  ///
  /// - Parameters:
  ///   - claim: What it has claimed so far.
  ///   - nodes: What it claims besides.
  ///   - conflicts: How many conflicts it has met.
  /// - Returns: What it claims now.
  @GraphActor
  func extend(
    _ claim: Claims<NodeCell>.Claim?, to nodes: [NodeCell], afterConflicts conflicts: Int
  ) -> Claims<NodeCell>.Claim {
    passes(.claimsNodes)
    let claim = claim ?? transactions.claims.begin()
    transactions.claims.extend(claim, to: nodes, afterConflicts: conflicts)
    return claim
  }

  /// Waits before an attempt until those are through that go first on the claimed nodes.
  @GraphActor
  func waitForOlderClaims(_ claim: Claims<NodeCell>.Claim) async {
    var ignored: [Claims<NodeCell>.Claim] = []
    while let other = transactions.claims.first(
      before: claim, on: claim.nodes.values, except: ignored)
    {
      passes(.waitsForClaim)
      if await !isThrough(other, waitedForBy: claim) { ignored.append(other) }
    }
    claim.attempt += 1
  }

  /// Waits before a commit until those are through that go first on the nodes that are written, or a
  /// conflict is certain.
  @GraphActor
  func waitForClaims(onWritesOf transaction: GraphTransaction, _ claim: Claims<NodeCell>.Claim?)
    async
  {
    var ignored: [Claims<NodeCell>.Claim] = []
    while let other = transactions.claims.first(
      before: claim, on: transaction.writes.lazy.map(\.cell), except: ignored)
    {
      guard transaction.changedReads.isEmpty, !isMutated(.ignoresClaims) else { return }
      passes(.waitsToCommit)
      if await !isThrough(other, waitedForBy: claim) { ignored.append(other) }
    }
  }

  /// Waits for the end of a claim, as long as its transaction makes progress.
  ///
  /// - Returns: False if the patience, or the task that waits, has come to its end.
  @GraphActor
  private func isThrough(
    _ other: Claims<NodeCell>.Claim, waitedForBy claim: Claims<NodeCell>.Claim?
  ) async -> Bool {
    while !other.isOver {
      let attempt = other.attempt
      let slot = WaitSlot<Void>()
      other.waiting.append(slot)
      await slot.wait(atMost: Claims<NodeCell>.patience(of: claim, with: other))
      other.waiting.removeAll { $0 === slot }
      if Task.isCancelled { return false }
      if !other.isOver, attempt == other.attempt {
        passes(.losesPatience)
        return false
      }
    }
    return true
  }
}

extension WaitSlot where Element == Void {
  /// Waits for a signal, for a cancellation, or for a while.
  fileprivate func wait(atMost duration: Duration) async {
    await withTaskGroup { group in
      group.addTask { _ = await self.wait(isolation: nil) }
      group.addTask { await GraphTasks.sleep(for: duration) }
      await group.next()
      group.cancelAll()
    }
  }
}
