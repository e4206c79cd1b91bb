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
  /// The version at which the attempt began, as of which it reads.
  @usableFromInline package let beginVersion: UInt64
  /// The number of the attempt, beginning with 1; a body that meets a conflict is run again.
  public let attempt: Int
  /// Whether others can commit before it ends, because its body may await.
  let isAsync: Bool

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
  /// Whether a wait inside could not be fulfilled, so that the body must run again later.
  @exclusivity(unchecked)
  @GraphActor var mustWait = false
  /// The number of the version that it has committed.
  ///
  /// Nil before the end, after a rollback, and if nothing has changed.
  @exclusivity(unchecked)
  @GraphActor public internal(set) var commitVersion: UInt64?
  @GraphActor private var commitHandlers: [@GraphActor @Sendable () -> Void] = []
  @GraphActor private var rollbackHandlers: [@GraphActor @Sendable () -> Void] = []
  /// Whether it has been committed; nil until its handlers are called.
  @GraphActor private var isCommitted: Bool?

  init(beginVersion: UInt64, attempt: Int, isAsync: Bool) {
    self.beginVersion = beginVersion
    self.attempt = attempt
    self.isAsync = isAsync
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

  /// Calls a handler after the commit.
  ///
  /// It is called once, outside of the transaction, in the order of the calls; what it writes is
  /// committed next. It is also called if the transaction has changed nothing. It is not called
  /// for an attempt that is discarded.
  ///
  /// A task that outlives the transaction may come too late: then it is called at once if the
  /// transaction has been committed, and never if not.
  ///
  /// - Parameter handler: Is called on the actor. It should be quick.
  @GraphActor
  public func onCommit(_ handler: @escaping @GraphActor @Sendable () -> Void) {
    guard let isCommitted else { return commitHandlers.append(handler) }
    if isCommitted { Graph.shared.handling(nil, label: Self.handlerLabel, handler) }
  }

  /// Calls a handler when the attempt has been discarded, by an error or a conflict.
  ///
  /// It is called once for each attempt that has asked for it, outside of the transaction, in the
  /// order of the calls. If the attempt has been discarded already, it is called at once.
  ///
  /// - Parameter handler: Is called on the actor. It should be quick.
  @GraphActor
  public func onRollback(_ handler: @escaping @GraphActor @Sendable () -> Void) {
    guard let isCommitted else { return rollbackHandlers.append(handler) }
    if !isCommitted { Graph.shared.handling(nil, label: Self.handlerLabel, handler) }
  }

  /// What messages call the handlers.
  private static var handlerLabel: StaticString { "a handler of a transaction" }

  /// Ends the transaction: whoever still carries it acts outside from here on.
  @GraphActor
  func close() {
    openness.store(false, ordering: .releasing)
  }

  /// Calls the handlers of the outcome, and lets go of all.
  @GraphActor
  func callHandlers(committed: Bool) {
    isCommitted = committed
    let handlers = committed ? commitHandlers : rollbackHandlers
    Graph.shared.withoutOwnWrites { letGo() }
    guard !handlers.isEmpty else { return }
    Graph.shared.handling(nil, label: Self.handlerLabel) { for handler in handlers { handler() } }
  }

  /// Lets go of what it has read and written: a late task may carry it for a long time.
  @GraphActor
  private func letGo() {
    writes = []
    places = [:]
    view = StagedView()
    reads = [:]
    followers = []
    awaited = []
    commitHandlers = []
    rollbackHandlers = []
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
    view.stagedValueChanged()
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

  /// Notes that a staged value has been replaced.
  @GraphActor
  @usableFromInline
  func writesChanged() {
    view.stagedValueChanged()
  }

  /// Keeps the staged value of a computed node; nil if it is the cached value.
  @GraphActor
  @usableFromInline
  func memoise(_ value: AnyStagedValue?, of id: NodeID) {
    view.memoise(value, of: id)
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
    guard isAsync else { return nil }
    reads[ObjectIdentifier(cell)] = cell
    return cell.graph.transactions.replaced.value(of: cell, at: beginVersion)
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
