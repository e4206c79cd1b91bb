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
  /// What the actor is in the middle of, and what is yet to be delivered.
  @usableFromInline package internal(set) var machine = DeliveryStateMachine<NodeCell>()
  /// Below which address the stack must not grow, as far as it is known.
  var stackLimit: UInt = 0
  /// The transaction in whose synchronous code the actor is.
  ///
  /// While that runs nobody else can, so this is what the task-local value says, without looking.
  @usableFromInline var transaction: (any OpenTransaction)? {
    didSet { note(.transaction, if: transaction != nil) }
  }
  /// What readers outside of the actor may still be reading although it has been replaced.
  var retired = RetiredBoxes()
  /// Whether a task is on its way that frees what could not be freed at once.
  var isReclaiming = false
  /// Those who follow the commits and have been seen by the actor.
  var commitFollowers: [CommitFollower] = [] {
    didSet { note(.commitsFollowed, if: !commitFollowers.isEmpty) }
  }

  // What any thread may use:

  /// What is unusual and does not depend on what the actor is in the middle of.
  @usableFromInline let news = Atomic<UInt8>(0)
  /// The number of the run that is on top of the call stack: tells the nodes that it makes.
  let currentRun = Atomic<UInt64>(0)
  /// The task in which the actor runs rules, as far as `noteRunningTask` has noted it.
  let runningTask = Atomic<Int>(0)
  /// How many transactions with an async body, and runs of async rules, are under way.
  ///
  /// As long as there is none, nobody has to look at task-local values.
  @usableFromInline let participants = Atomic(0)
  /// The number of runs of async rules that are under way.
  let openAsyncRuns = Atomic(0)
  /// The number of runs of async rules and of attempts of transactions that are under way: each tells
  /// the nodes that it makes from others.
  let openMakers = Atomic(0)
  /// The number of these that have begun.
  var asyncRunCount: UInt64 = 0
  /// Those who read without entering the actor, and the version that they see.
  @usableFromInline let readers = ReaderEpochs()
  /// The cells whose owners are gone.
  let released = ReleaseList()
  /// What is known of cycles that have fallbacks.
  var cycles = CycleState()
  /// How many views of the graph transactions have had.
  var viewCount: UInt64 = 0
  /// The cells of that list that are being removed.
  var releaseQueue = ReleaseQueue()
  /// How many nodes are let go of in one visit of the actor: some hundred microseconds' worth, which
  /// bounds the wait of the visit that follows.
  var removalPortion = 1_500
  /// How many nodes are taken out of the engine in one visit or one step: more, because whoever has
  /// read them is to notice at once that they are gone.
  var unlinkPortion = 5_000
  /// How many may still be taken out in the visit that is under way.
  var unlinkBudget = 0
  /// Those who follow the commits and have yet to be seen by the actor.
  let arrivals = AtomicStack<CommitFollower.Arrival>()

  private mutating func note(_ unusual: Unusual, if isSo: Bool) {
    if isSo { machine.unusual.insert(unusual) } else { machine.unusual.remove(unusual) }
  }
}

extension Graph {
  /// The number of the latest commit.
  @GraphActor @inlinable package var version: UInt64 { core.pointee.readers.version }

  /// Gives a cell its record in the engine, the first time that the actor meets it.
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
    if cell.hasFallback { core.pointee.engine.noteFallback(cell.id) }
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
