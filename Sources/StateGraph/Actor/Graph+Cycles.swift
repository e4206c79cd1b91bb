// Cycles of computed nodes some of which say what holds instead: `Computed(onCycle:)`.
//
// Each member of a cycle that has a fallback takes it as its value; its rule runs only to find out
// whether the cycle is still there. Members without a fallback are derived from the fallbacks like from
// any other value. A rule cannot be abandoned half way. So when a member without a fallback is read
// while its own rule is running, its rule runs a second time, untracked: the second run reads fallbacks
// where the first one waits.

extension Graph {
  /// A rule reads a node that is running, or is being checked, and so waits for that rule.
  ///
  /// - Returns: A run for its provisional value; none if that is known already.
  /// - Precondition: The node is busy.
  @GraphActor
  func meetCycle(at cell: RuleCell) -> BegunRun {
    core.pointee.cycles.begin(in: openTransaction, version: version)
    if let known = core.pointee.cycles.values[cell.id] {
      core.pointee.cycles.provisional = known
      return .none
    }
    let running = core.pointee.engine.running
    let path = core.pointee.engine.cyclePath(to: cell.id, from: running)
    guard giveFallbacks(on: path) || core.pointee.cycles.isDeriving else {
      failCycle(cell.id, from: running)
    }
    if let known = core.pointee.cycles.values[cell.id] {
      core.pointee.cycles.provisional = known
      return .none
    }
    guard core.pointee.cycles.beginDeriving(cell.id, at: core.pointee.engine.runDepth) else {
      failCycle(core.pointee.cycles.derived(from: cell.id))
    }
    passes(.derivesProvisionally)
    guardStack(of: cell.id)
    return .provisional
  }

  /// Gives the members of a cycle that have fallbacks their values.
  ///
  /// - Parameter path: Nodes of which each reads the next; the first and the last are the same.
  /// - Returns: Whether there is such a member.
  @GraphActor
  private func giveFallbacks(on path: [NodeID]) -> Bool {
    let members = path.dropLast()
    var hasFallback = false
    for (place, id) in members.enumerated() where cell(of: id).hasFallback {
      hasFallback = true
      guard core.pointee.cycles.values[id] == nil else { continue }
      passes(.meetsCycle)
      fallBack(id, on: Array(members[place...] + members[..<place]))
      // One that is merely checked has to run to become a member.
      guard openTransaction == nil else { continue }
      core.pointee.engine.breakCheck(of: id)
      core.pointee.engine.setCyclic(id, true)
    }
    return hasFallback
  }

  /// Finds out the fallback of a node.
  @GraphActor
  private func fallBack(_ id: NodeID, on path: [NodeID]) {
    // SAFETY: Only nodes with rules have fallbacks.
    let cell = unsafeDowncast(cell(of: id), to: RuleCell.self)
    core.pointee.cycles.path = path.map { self.cell(of: $0).identity }
    withWriteBan(.fallingBack(cell.origin)) { _ = cell.step(cell, .provisional) }
    core.pointee.cycles.values[id] = core.pointee.cycles.provisional.take()
  }

  /// Derives the provisional value of a member without a fallback.
  ///
  /// Apart from `evaluate`, which is on the stack once for every rule.
  @GraphActor
  func deriveProvisionally(_ cell: RuleCell) {
    withoutTracking { _ = cell.step(cell, .provisional) }
    core.pointee.cycles.endDeriving()
    if let value = core.pointee.cycles.provisional { core.pointee.cycles.values[cell.id] = value }
  }

  /// The number of another view of the graph.
  @GraphActor
  func nextViewNumber() -> UInt64 {
    core.pointee.viewCount += 1
    return core.pointee.viewCount
  }

  /// Keeps a provisional value for the read that has asked for it.
  @GraphActor
  @usableFromInline
  func keepProvisional(_ value: AnyStagedValue) {
    core.pointee.cycles.provisional = value
  }

  /// The cycle of the node whose fallback is asked for.
  @GraphActor @usableFromInline var cycle: [GraphNodeID] { core.pointee.cycles.path }

  /// The rule of a node with a fallback has come to its end.
  ///
  /// - Returns: The fallback, if the node is a member of a cycle.
  /// - Complexity: O(1) if no cycle has been met at this version; otherwise O(nodes upstream).
  @GraphActor
  @usableFromInline
  func fallback(of cell: RuleCell) -> AnyStagedValue? {
    let transaction = openTransaction
    if core.pointee.cycles.isAbout(transaction, version: version),
      core.pointee.cycles.values[cell.id] == nil, !isMutated(.missesCycle),
      let path = core.pointee.engine.cycleOfRunning(reads: { reads(of: $0, in: transaction) })
    {
      // It has not been met, because who waits for it had been derived before.
      passes(.findsCycle)
      fallBack(cell.id, on: path)
    }
    let isKnown = core.pointee.cycles.isAbout(transaction, version: version)
    let value = isKnown ? core.pointee.cycles.values[cell.id] : nil
    if transaction == nil { core.pointee.engine.setCyclic(cell.id, value != nil) }
    return value
  }

  /// What a node has read, as a transaction sees it.
  @GraphActor
  private func reads(of id: NodeID, in transaction: (any OpenTransaction)?) -> [NodeID] {
    if let transaction, let reads = core.pointee.cycles.reads(of: id, in: transaction) {
      return reads
    }
    if transaction == nil, id == core.pointee.engine.running {
      return core.pointee.engine.dependenciesOfRunning
    }
    return core.pointee.engine.dependencies(of: id)
  }

  /// Notes that the rule of a node begins to run against staged values.
  @GraphActor
  func noteStagedRun(of id: NodeID, in transaction: any OpenTransaction) {
    guard core.pointee.engine.hasFallbacks else { return }
    core.pointee.cycles.beginReads(of: id, in: transaction)
  }

  /// Notes that the running node has read another one in a transaction.
  @GraphActor
  func noteStagedRead(of id: NodeID, in transaction: any OpenTransaction) {
    let running = core.pointee.engine.running
    guard core.pointee.engine.hasFallbacks, running != .none,
      !core.pointee.cycles.isDeriving(at: core.pointee.engine.runDepth)
    else { return }
    core.pointee.cycles.noteRead(of: id, by: running, in: transaction)
  }

  /// Whether a node may be a member of a cycle in a transaction although what it reads is as before.
  @GraphActor
  func mayBeCyclic(_ id: NodeID, in transaction: any OpenTransaction) -> Bool {
    guard core.pointee.engine.hasFallbacks, core.pointee.engine.hasFallback(id) else {
      return false
    }
    return core.pointee.engine.hasCycles
      || core.pointee.cycles.isAbout(transaction, version: version)
  }

  /// Goes on with a walk that has come across a cycle: who is checked has to run, and will meet it.
  @GraphActor
  func breakCycle(met: NodeID, checked: NodeID) {
    let path = core.pointee.engine.cyclePath(to: met, from: checked)
    guard path.contains(where: { cell(of: $0).hasFallback }) else {
      failCycle(met, from: checked)
    }
    core.pointee.engine.breakCheck(of: checked)
  }
}

/// What is known of the cycles that have been met.
struct CycleState {
  /// The values of members for others in the cycle: fallbacks, and what follows from them.
  var values: [NodeID: AnyStagedValue] = [:]
  /// The value that has been found out last, until it is taken.
  var provisional: AnyStagedValue?
  /// The cycle of the node whose fallback is asked for.
  var path: [GraphNodeID] = []
  /// The members that are being derived provisionally, each with the number of runs around it.
  private var deriving: [(id: NodeID, depth: Int)] = []

  /// The version to which the values belong.
  private var version: UInt64?
  /// The view of a transaction to which they belong; nil for the committed graph.
  private var view: UInt64?
  /// What rules have read that ran against the staged values of a transaction.
  private var reads: [NodeID: [NodeID]] = [:]
  /// The view in which they did.
  private var viewOfReads: UInt64 = 0

  /// Forgets what belongs to another version, or to another transaction, or to the transaction before
  /// its latest write.
  @GraphActor
  mutating func begin(in transaction: (any OpenTransaction)?, version: UInt64) {
    guard !isAbout(transaction, version: version) else { return }
    values = [:]
    self.version = version
    view = transaction?.viewNumber
  }

  /// Forgets the value of a node that is removed.
  mutating func forget(_ id: NodeID) {
    if !values.isEmpty { values[id] = nil }
    if !reads.isEmpty { reads[id] = nil }
  }

  /// Whether something is known of a version as a transaction sees it.
  @GraphActor
  func isAbout(_ transaction: (any OpenTransaction)?, version: UInt64) -> Bool {
    !values.isEmpty && self.version == version && view == transaction?.viewNumber
  }

  /// Whether a member is being derived provisionally.
  var isDeriving: Bool { !deriving.isEmpty }

  /// Whether it is that derivation that reads, and not a run that it has begun.
  func isDeriving(at depth: Int) -> Bool { deriving.last?.depth == depth }

  /// What a node has read in a transaction; nil if its rule has not run there.
  @GraphActor
  func reads(of id: NodeID, in transaction: any OpenTransaction) -> [NodeID]? {
    viewOfReads == transaction.viewNumber ? reads[id] : nil
  }

  /// A rule begins to run against the staged values of a transaction.
  @GraphActor
  mutating func beginReads(of id: NodeID, in transaction: any OpenTransaction) {
    if viewOfReads != transaction.viewNumber {
      viewOfReads = transaction.viewNumber
      reads = [:]
    }
    reads[id] = []
  }

  /// Such a rule has read a node.
  @GraphActor
  mutating func noteRead(of id: NodeID, by reader: NodeID, in transaction: any OpenTransaction) {
    guard viewOfReads == transaction.viewNumber else { return }
    reads[reader]?.append(id)
  }

  /// Begins to derive a member.
  ///
  /// - Returns: False if that has led to nothing but itself.
  mutating func beginDeriving(_ id: NodeID, at depth: Int) -> Bool {
    guard !deriving.contains(where: { $0.id == id && $0.depth == depth }) else { return false }
    deriving.append((id, depth))
    return true
  }

  /// The member has been derived that was begun last.
  mutating func endDeriving() {
    deriving.removeLast()
  }

  /// The members of a cycle without a fallback, from one of them back to it.
  func derived(from id: NodeID) -> [NodeID] {
    guard let first = deriving.lastIndex(where: { $0.id == id }) else { return [id, id] }
    return deriving[first...].map(\.id) + [id]
  }
}
