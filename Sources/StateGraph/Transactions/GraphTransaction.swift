import Synchronization

/// A transaction: writes that become visible together or not at all.
///
/// It is found through a task-local value, so whatever the body awaits takes part: code on other
/// actors, child tasks, nested calls of `withGraphTransaction`. That value is an identity with a
/// closed state: a task that outlives the body still carries it and yet acts outside of every
/// transaction.
///
/// ```swift
/// try await withGraphTransaction {
///   GraphTransaction.current?.onCommit { print("saved") }
///   account.balance -= try await service.price(of: item)
/// }
/// ```
///
/// **Isolation:** The state belongs to `GraphActor`.
public final class GraphTransaction: OpenTransaction {
  /// The version as of which it reads: that at which the attempt began, and in the end, when nothing of
  /// what it has read has changed, that which the commit follows.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline package private(set) var beginVersion: UInt64
  /// Differs from that of every other transaction, and changes with each staged write.
  @exclusivity(unchecked)
  @GraphActor @usableFromInline private(set) var viewNumber: UInt64 = 0
  /// The number of the attempt, beginning with 1; a body that meets a conflict is run again.
  public let attempt: Int
  /// Whether others can commit before it ends, because its body may await.
  let isAsync: Bool
  /// Tells the nodes that the attempt makes from others, see `NodeCell.madeInRun`.
  @usableFromInline let number: RunNumber

  private let openness = Atomic(true)
  /// The staged writes, one per node, in the order of the first write.
  @exclusivity(unchecked)
  @GraphActor private(set) var writes: [AnyStagedWrite] = []
  /// How many of them differ from the committed values, as found out at the commit.
  @GraphActor private(set) var changeCount = 0
  /// Where the write of a cell is in `writes`, if `NodeCell.stagedIndex` may belong to another.
  ///
  /// Only if it is async: nobody else stages under a synchronous body.
  @exclusivity(unchecked)
  @GraphActor private var places: [ObjectIdentifier: Int] = [:]
  /// What computed nodes look like from inside.
  @exclusivity(unchecked)
  @GraphActor var view = StagedView()
  /// The stored nodes that it has read, also through computed nodes, and not written before.
  ///
  /// Only if it is async: nothing changes under a synchronous body.
  @exclusivity(unchecked)
  @GraphActor private(set) var reads: [ObjectIdentifier: NodeCell] = [:]
  /// Replaced values that it may still need, see `ReplacedValues`.
  @exclusivity(unchecked)
  @GraphActor var kept: [AnyReplacedValue] = []
  /// Watchers that have seen what it sees, and must look again if it is discarded.
  @exclusivity(unchecked)
  @GraphActor var followers: [WatcherCell] = []
  /// The state nodes of async nodes that the body could not wait for.
  @exclusivity(unchecked)
  @GraphActor var awaited: [RuleCell] = []
  /// The waits inside that could not be fulfilled and have not been undone, each with the savepoint in
  /// which it was made.
  @exclusivity(unchecked)
  @GraphActor private(set) var unfulfilledWaits: [Savepoint?] = []
  /// Whether the closures of `atCommit` are being called.
  @exclusivity(unchecked)
  @GraphActor var isClosing = false
  /// Whether a savepoint has undone something that others may have seen.
  @exclusivity(unchecked)
  @GraphActor var hasUndone = false
  /// The savepoints that are open, the oldest first.
  @exclusivity(unchecked)
  @GraphActor var savepoints: [Savepoint] = []
  /// The number of the version that it has committed.
  ///
  /// Nil before the end, after a rollback, and if nothing has changed.
  @exclusivity(unchecked)
  @GraphActor public internal(set) var commitVersion: UInt64?
  /// What is to be called at the end.
  @exclusivity(unchecked)
  @GraphActor var handlers = TransactionHandlers()

  @GraphActor
  init(beginVersion: UInt64, attempt: Int = 1, isAsync: Bool = false, number: RunNumber = .none) {
    self.beginVersion = beginVersion
    self.attempt = attempt
    self.isAsync = isAsync
    self.number = number
    viewNumber = Graph.shared.nextViewNumber()
  }

  /// The transaction that the current task takes part in; nil outside, and when it has ended.
  public static var current: GraphTransaction? {
    guard case .transaction(let transaction) = Participation.ambient, transaction.isOpen else {
      return nil
    }
    // SAFETY: There are no other transactions.
    return unsafeDowncast(transaction, to: GraphTransaction.self)
  }

  /// Whether the body is running and writes are staged.
  @usableFromInline var isOpen: Bool { openness.load(ordering: .acquiring) }

  /// Ends the transaction: whoever still carries it acts outside from here on.
  @GraphActor
  func close() {
    openness.store(false, ordering: .releasing)
  }

  /// Lets go of what it has read and written: a late task may carry it for a long time.
  @GraphActor
  func letGo() {
    writes = []
    places = [:]
    view = StagedView()
    reads = [:]
    followers = []
    awaited = []
    unfulfilledWaits = []
  }
}

// MARK: - Writes

extension GraphTransaction {
  /// The staged write of a node, if there is one.
  @GraphActor
  @usableFromInline
  func write(to cell: NodeCell) -> AnyStagedWrite? {
    let place = Int(cell.stagedIndex)
    if place < writes.count, writes[place].cell === cell { return writes[place] }
    guard isAsync, !isMutated(.losesStagedIndex) else { return nil }
    guard let place = places[ObjectIdentifier(cell)] else { return nil }
    return writes[place]
  }

  /// Adds the first write of a node.
  ///
  /// - Complexity: O(1).
  @GraphActor
  @usableFromInline
  func add(_ write: AnyStagedWrite) {
    if isAsync { places[ObjectIdentifier(write.cell)] = writes.count }
    write.cell.stagedIndex = UInt32(writes.count)
    writes.append(write)
    if !savepoints.isEmpty { noteAdded(write) }
    viewChanged { $0.stagedValueChanged() }
  }

  /// Removes staged writes, as if the nodes had not been written.
  ///
  /// - Complexity: O(staged writes).
  @GraphActor
  func remove(_ removed: [AnyStagedWrite]) {
    guard !removed.isEmpty else { return }
    for write in removed { places[ObjectIdentifier(write.cell)] = nil }
    writes.removeAll { write in removed.contains { $0 === write } }
    for (index, write) in writes.enumerated() {
      if isAsync { places[ObjectIdentifier(write.cell)] = index }
      write.cell.stagedIndex = UInt32(index)
    }
    viewChanged { $0.writesRemoved() }
  }

  /// Finds out which staged values differ from the committed ones.
  @GraphActor
  func compareWrites() {
    changeCount = 0
    for write in writes {
      write.isChange = write.differs
      if write.isChange { changeCount += 1 }
    }
  }

  /// Notes that a staged value is about to be replaced.
  @GraphActor
  @usableFromInline
  func willReplace(_ write: AnyStagedWrite) {
    if !savepoints.isEmpty { noteReplaced(write) }
  }

  /// Notes that a staged value has been replaced.
  @GraphActor
  @usableFromInline
  func writesChanged() {
    viewChanged { $0.stagedValueChanged() }
  }

  @GraphActor
  private func viewChanged(_ change: (inout StagedView) -> Void) {
    viewNumber = Graph.shared.nextViewNumber()
    change(&view)
  }

  /// Keeps the value that a computed node has in the transaction.
  @GraphActor
  @usableFromInline
  func memoise(_ value: AnyStagedValue, differs: Bool, of cell: NodeCell) {
    view.memoise(value, differs: differs, of: cell)
  }
}

// MARK: - What the actor asks

extension GraphTransaction {
  @GraphActor
  @usableFromInline
  func beginRun(for cell: RuleCell) -> Graph.BegunRun {
    Graph.shared.beginStagedRun(for: cell, in: self)
  }

  @GraphActor
  @usableFromInline
  func endRun(_ run: Graph.BegunRun) { Graph.shared.endStagedRun(run) }

  @GraphActor
  @usableFromInline
  func stagedValue(of cell: RuleCell) -> AnyStagedValue? { view.memo(of: cell.id) ?? nil }

  @GraphActor
  @usableFromInline
  func addFollower(_ watcher: WatcherCell) { followers.append(watcher) }
}

// MARK: - Reads

extension GraphTransaction {
  /// Records that the transaction depends on a stored node, and finds the value that it had when
  /// the attempt began, if that has been replaced.
  @GraphActor
  func read(_ cell: NodeCell) -> AnyReplacedValue? {
    guard isAsync, !isClosing else { return nil }
    reads[ObjectIdentifier(cell)] = cell
    return cell.graph.transactions.replaced.value(of: cell, at: beginVersion)
  }

  /// Makes a transaction of which nothing that it has read has changed read the current version.
  ///
  /// Until the step ends that commits it, it is like one with a synchronous body.
  @GraphActor
  func catchUpWithCommitted() {
    let graph = Graph.shared
    graph.transactions.replaced.end(self)
    beginVersion = graph.version
    for write in writes { write.forgetComparison() }
    view = StagedView()
  }

  /// Notes that a wait inside is not fulfilled.
  ///
  /// - Returns: The error that the wait throws.
  @GraphActor
  func waitIsUnfulfilled() -> GraphTransactionError {
    unfulfilledWaits.append(currentSavepoint)
    return GraphTransactionError(code: .waitInside, attempts: attempt, changedNodes: [])
  }

  /// Forgets the waits that a savepoint has undone.
  @GraphActor
  func forgetWaits(of savepoint: Savepoint) {
    unfulfilledWaits.removeAll { $0?.resolved === savepoint }
  }

  /// The nodes that have changed since the attempt read them.
  ///
  /// - Complexity: O(nodes read).
  @GraphActor var changedReads: [NodeCell] {
    let replaced = Graph.shared.transactions.replaced
    return reads.values.filter { replaced.value(of: $0, at: beginVersion) != nil }
  }

  /// Sees to it that the view forgets what was found out about computed nodes if the graph has moved
  /// on since, and, in a synchronous transaction, knows what staged writes can reach.
  @GraphActor
  func catchUp() {
    let graph = Graph.shared
    view.catchUp(
      version: graph.version, removalCount: graph.core.pointee.machine.removals.count,
      latestRun: graph.core.pointee.engine.latestStamp)
    if !isAsync { view.reach(from: writes) }
  }
}
