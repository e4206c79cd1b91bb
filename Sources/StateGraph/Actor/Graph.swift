public import Synchronization

/// The graph: a handle to its state.
///
/// The state lives behind a pointer that never changes, because mutable state that is reached
/// through a class pays for dynamic exclusivity checks on every access.
@usableFromInline
package struct Graph: Sendable {
  /// The state: allocated once and never freed.
  // SAFETY: Only code isolated to GraphActor touches it, except for the Sendable constants at its end.
  @usableFromInline nonisolated(unsafe) let core: UnsafeMutablePointer<GraphCore>

  private init() {
    core = .allocate(capacity: 1)
    core.initialize(to: GraphCore())
  }

  /// The graph of the process.
  @usableFromInline package static let shared = Graph()
}

/// The state of the graph.
@usableFromInline
package struct GraphCore: ~Copyable {
  /// Who reads whom, and what is out of date.
  @usableFromInline package internal(set) var engine = Engine()
  /// The transaction in whose synchronous code the actor is.
  ///
  /// While that runs nobody else can, so this is what the task-local value says, without looking.
  @usableFromInline var transaction: GraphTransaction?
  /// The number of async runs that have begun.
  var asyncRunCount: UInt64 = 0
  /// Async nodes that may have lost the last who wanted their results.
  var abandoned: [AsyncNodeCell] = []
  /// Whether reads are on purpose nobody's dependencies.
  var isUntracked = false
  /// What open transactions may still read although it has been replaced.
  var replaced = ReplacedValues()
  /// What readers outside of the actor may still be reading although it has been replaced.
  var retired = RetiredBoxes()
  /// Whether there may be something to free after the next publication.
  @usableFromInline var isReclamationDue = false
  /// Whether a task is on its way that frees what could not be freed at once.
  var isReclaiming = false
  /// Who may try again when transactions get in each other's way.
  var turns = Turns()
  /// What commits have caused and what has not been delivered yet.
  var deliveries = DeliveryLedger()
  /// Where groups and maps that are made now belong.
  var trackingContext: TrackingContext?
  /// The reactions that wait for a visit of their own, the oldest first.
  var postponed: [Reaction] = []
  /// Whether postponed reactions are being run.
  var isRunningPostponed = false
  /// The runs of reactions and the handlers that are on the call stack.
  var activities = ActivityStack()
  /// The reactions that have been removed and whose cleanups are due.
  var endedReactions: [Reaction] = []
  /// How many nodes have been removed; an id may be another node's after a removal.
  var removalCount = 0
  /// Whether reactions are being run further up the call stack.
  var isFlushing = false
  /// Whether those who only read are being told of a commit further up the call stack.
  var isNotifying = false
  /// Whether removals wait: the running code holds on to what may have lost its owner.
  @usableFromInline var removalsWait = false
  /// Why a write would be a mistake although no rule is running.
  var writeBan: WriteBan?
  /// Cells that have lost their places in the engine, and are yet to be let go of.
  var unlinked: [NodeCell] = []
  /// Reactions that the loss of such cells concerns, and that have to wait for the end of a step.
  var heldReactions: [NodeCell] = []
  /// The streams of commits that have been seen by the actor.
  var commitWatchers: [CommitWatcher] = []
  /// The nodes behind the environment, by key.
  var environment: [ObjectIdentifier: AnyObject] = [:]

  // What any thread may use:

  /// The number of the run that is on top of the call stack: tells the nodes that it makes.
  let currentRun = Atomic<UInt64>(0)
  /// The task in which the actor runs rules, as far as `noteRunningTask` has noted it.
  let runningTask = Atomic<Int>(0)
  /// Where the stack was when the outermost run began.
  let stackBottom = Atomic<UInt>(0)
  /// How many transactions with an async body, and runs of async rules, are under way.
  ///
  /// As long as there is none, nobody has to look at task-local values.
  @usableFromInline let participants = Atomic(0)
  /// The number of runs of async rules that are under way.
  let openAsyncRuns = Atomic(0)
  /// Those who read without entering the actor, and the version that they see.
  @usableFromInline let readers = ReaderEpochs()
  /// The cells whose owners are gone.
  let released = ReleaseList()
  /// The streams of commits that the actor has yet to see.
  let arrivals = AtomicStack<CommitWatcher.Arrival>()

  /// Why a write is a mistake at the moment.
  enum WriteBan {
    /// The values of a node are being compared.
    case comparing(NodeOrigin)
    /// The value of a node is being modified in place.
    case modifying(NodeOrigin)
    /// A condition that is waited for is being evaluated.
    case waiting(NodeOrigin)
  }
}

// MARK: - Membership

extension Graph {
  /// Lets go of a cell whose owner is gone; from any thread.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  func release(_ cell: NodeCell) {
    guard core.pointee.released.push(cell) else { return passes(.joinsScheduledRemoval) }
    passes(.schedulesRemoval)
    let graph = self
    GraphTasks.start("removal of released nodes") {
      repeat {
        if !graph.core.pointee.released.isEmpty { passes(.removesInTask) }
        graph.drain()
        graph.core.pointee.released.drainEnded()
        // What was pushed before the line above scheduled nothing.
      } while !graph.core.pointee.released.isEmpty && !isMutated(.skipsLateReleases)
    }
  }

  /// Meets the graph in the middle of a step: takes what has been released out of the engine.
  ///
  /// No cleanup, handler or destructor is called. It might commit, and the code that is running relies
  /// on what it has read: `count += 1` reads before it comes here, and writes after that. What is left
  /// to do is up to the task that the release has scheduled, or whoever arrives before it.
  @GraphActor
  @usableFromInline
  package func enter() {
    guard hasReleased else { return }
    guard isIdle else { return passes(.postponesRemoval) }
    if isMutated(.drainsInStep) { return drain() }
    passes(.unlinksInStep)
    actingForNobody { unlinkReleased() }
    // The next commit of the step must not run what it has not caused.
    while let id = core.pointee.engine.takeReaction() {
      core.pointee.heldReactions.append(cell(of: id))
    }
  }

  /// Begins a step for code that comes from outside, after it has awaited: removes what has been
  /// released, and does what follows from that.
  @GraphActor
  @usableFromInline
  package func arrive() {
    if mustDrain {
      passes(.removesOnArrival)
      drain()
    }
  }

  /// Runs a body in which no node is removed: it holds on to one, or has to find all as they are.
  @GraphActor
  @inlinable
  func withoutRemovals<R, E: Error>(_ body: @GraphActor () throws(E) -> R) throws(E) -> R {
    let outer = core.pointee.removalsWait
    core.pointee.removalsWait = true
    defer { core.pointee.removalsWait = outer }
    return try body()
  }

  /// Whether nodes can be removed: nothing on the call stack holds on to an id.
  @GraphActor private var isIdle: Bool {
    core.pointee.engine.running == .none && core.pointee.transaction == nil
      && !core.pointee.isFlushing && !core.pointee.isNotifying && !core.pointee.removalsWait
      && core.pointee.writeBan == nil
  }

  /// Removes the cells that have lost their owner, and those that lose theirs thereby.
  ///
  /// Destructors and cleanups that are called meanwhile, and the deliveries at the end, may give up
  /// more. Never in the middle of a step, see `enter`.
  @GraphActor
  func drain() {
    guard isIdle else { return passes(.postponesRemoval) }
    actingForNobody {
      repeat {
        unlinkReleased()
        letGoOfUnlinked()
        queueHeldReactions()
        cleanUpEndedReactions()
        stopAbandoned()
        flush()
        if mustDrain { passes(.removesAgain) }
      } while mustDrain
    }
    if core.pointee.isReclamationDue { reclaim() }
  }

  /// Whether cells wait for their removal, as far as this thread has heard.
  @usableFromInline var hasReleased: Bool { !core.pointee.released.isEmpty }

  /// Whether there are cells to be removed.
  @GraphActor private var mustDrain: Bool {
    hasReleased || !core.pointee.unlinked.isEmpty
  }

  /// Takes the cells that have lost their owner out of the engine.
  @GraphActor
  private func unlinkReleased() {
    while let first = core.pointee.released.takeAll() {
      // SAFETY: The chain that was taken owns a reference to each cell.
      var next: Unmanaged<NodeCell>? = inOrderOfRelease(first)
      while let cell = next {
        next = cell.next
        // SAFETY: The list takes over the reference of the chain.
        let owned = cell.takeRetainedValue()
        unlink(owned)
        core.pointee.unlinked.append(owned)
      }
    }
  }

  /// Reverses a chain: what a temporary has made for itself was released before it.
  @GraphActor
  // SAFETY: The caller owns a reference to each cell of the chain, before and after.
  private func inOrderOfRelease(_ first: Unmanaged<NodeCell>) -> Unmanaged<NodeCell> {
    var cell = first
    // SAFETY: As for `first`.
    var reversed: Unmanaged<NodeCell>?
    while true {
      let next = cell.next
      // SAFETY: See above.
      cell._withUnsafeGuaranteedRef { $0.nextInStack = reversed?.toOpaque() }
      guard let next else { return cell }
      reversed = cell
      cell = next
    }
  }

  /// Puts the reactions back into their queue that have waited for the end of a step.
  @GraphActor
  private func queueHeldReactions() {
    let held = core.pointee.heldReactions
    core.pointee.heldReactions = []
    core.pointee.engine.putBack(held.map(\.id).filter { $0 != .none })
  }

  /// Lets go of the cells that have lost their places, and with them of what their closures hold.
  ///
  /// The end of what they hold may run code of the user, which may write. By now the engine knows
  /// nothing of the cells any more.
  @GraphActor
  private func letGoOfUnlinked() {
    while !core.pointee.unlinked.isEmpty {
      var batch: [NodeCell] = core.pointee.unlinked.reversed()
      core.pointee.unlinked = []
      withoutOwnWrites {
        while let cell = batch.popLast() { cell.wasRemoved() }
      }
    }
  }

  /// Takes a cell out of the engine, if it has a place there, with all that follows from it but
  /// calls of the user's code.
  @GraphActor
  private func unlink(_ cell: NodeCell) {
    defer { cell.isRemoved = true }
    guard cell.id != .none else { return }
    deliverLastValue(of: cell.id)
    noteAbandoned(by: cell)
    cell.willBeRemoved()
    bequeathToRun(cell)
    core.pointee.engine.remove(cell.id, madeIn: cell.madeInRun)
    unpublishMarked()
    core.pointee.removalCount += 1
    cell.id = .none
    // SAFETY: Gives back the reference that `register` has taken; the caller has another one.
    Unmanaged.passUnretained(cell).release()
  }

  /// Lets the streams of a node that is about to go take its last value.
  @GraphActor
  private func deliverLastValue(of id: NodeID) {
    guard core.pointee.engine.hasWatchers(id) else { return }
    for dependent in core.pointee.engine.dependents(of: id)
    where core.pointee.engine.isWatcher(dependent) {
      // SAFETY: Only the cells of watchers have records of that kind.
      let watcher = unsafeDowncast(cell(of: dependent), to: WatcherCell.self)
      withoutRemovals { watcher.dependencyWillGo() }
    }
  }

  /// Gives a cell its place in the engine, the first time that the actor meets it.
  ///
  /// The record owns a reference to the cell, so a live id is enough to reach the cell.
  ///
  /// - Precondition: The cell has an owner, or it would never be removed.
  @GraphActor
  @usableFromInline
  func register(_ cell: NodeCell) {
    precondition(!cell.isRemoved, "a removed node was registered (I8)")
    passes(.registersNode)
    // SAFETY: The record owns the reference; `unlink` gives it back.
    let payload = Unmanaged.passRetained(cell).toOpaque()
    cell.id = core.pointee.engine.addNode(cell.kind, payload: payload)
  }

  /// The cell of a node.
  @GraphActor
  func cell(of id: NodeID) -> NodeCell {
    guard let payload = core.pointee.engine.payload(of: id) else {
      preconditionFailure("node \(id.index) has no cell (I1)")
    }
    // SAFETY: The payload of a live record is its cell, which the record owns (I1).
    return Unmanaged<NodeCell>.fromOpaque(payload).takeUnretainedValue()
  }
}

// Isolated to nothing, see `placeOnStack`.
// SAFETY: Whoever has a chain in hand owns a reference to each member of it.
extension Unmanaged where Instance == NodeCell {
  /// The member of a chain below the cell.
  // SAFETY: See above.
  fileprivate var next: Unmanaged<NodeCell>? {
    // SAFETY: A chain owns a reference to each member, and the link of a member is a member.
    _withUnsafeGuaranteedRef { $0.nextInStack.map { Unmanaged.fromOpaque($0) } }
  }
}
