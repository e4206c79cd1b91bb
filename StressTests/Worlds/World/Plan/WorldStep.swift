/// Which node of a world a step is about, by its place.
enum NodeReference: Sendable, Hashable {
  case stored(Int)
  case derived(Int)
  case counter(Int)
  case triplet(Int, Int)
}

/// What a task or a thread of a world does next.
enum WorldStep: Sendable {
  // MARK: - Writes

  /// Assigns a number to a stored node.
  case set(Int, to: Int)
  /// Assigns what the node has already.
  case setEqual(Int)
  /// Changes a stored node by `update`.
  case update(Int, by: Int)
  /// Modifies a stored node in place and tells nobody.
  case touch(Int)
  /// Assigns an object that writes a node of a higher rank at its end, or releases another node.
  case setWithEnd(Int, to: Int, target: Int, isIsolated: Bool)
  /// Adds one to a counter.
  case increment(Int, Way)
  /// Writes all nodes of a triplet.
  case writeTriplet(Int, Way)
  /// Changes a value of the environment.
  case environment(Int)
  /// Sets a handler of assignments that writes a node of a higher rank.
  case observe(Int, target: Int)
  /// Removes the handler of assignments.
  case ignore(Int)

  // MARK: - Reads

  /// Verifies a node in one step.
  case verify(NodeReference, expectedFirst: Bool)
  /// Reads the value of a node without a step.
  case value(NodeReference)
  /// Reads the committed value of a node.
  case committed(NodeReference)
  /// Verifies that the nodes of a triplet belong together, as a reader of some kind.
  case look(Int, Reader)
  /// Verifies all nodes in one step.
  case verifyAll
  /// Waits for the value of an async node.
  case outcome(Int)
  /// Reads the state of an async node in one step.
  case state(Int)
  /// Makes the result of an async node stale.
  case refresh(Int)
  /// Reads a computed node again and again that reads the state of an async node.
  case stateNode(Int)

  // MARK: - Bursts

  /// Reads many times beside writers, and verifies that no reader goes back.
  case readBurst(triplet: Int, counter: Int)
  /// Reads several nodes at one version, many times.
  case snapshotBurst(triplet: Int, counter: Int)
  /// Writes many times, alone or beside readers of both kinds.
  case writeBurst(triplet: Int, counter: Int, besideReaders: Bool)

  // MARK: - Steps with nodes of their own

  /// Follows a node that changes while the consumer is busy, and goes.
  case privateStream(PrivateStream)
  /// Lets go of something in the middle of a step, which must not be noticed there.
  case steadyStep(Steadiness)
  /// A group that corrects what it has read through a computed node.
  case clamp(Int)
  /// An async rule that reads a node only if another one allows it.
  case guardedRead
  /// Something of a fixed form.
  case corner(WorldShapes.Shape)

  // MARK: - Transactions

  /// Does several things in a transaction.
  case transaction([TransactionStep], isAsync: Bool, attempts: Int)
  /// Waits in a transaction, in a task of its own, and takes one from a counter of tickets.
  case waitInTransaction(Int)
  /// Waits for an async node in a transaction, in a task of its own.
  case awaitInTransaction(Int, target: Int)
  /// Starts a task in a transaction that writes when the transaction is over.
  case outliveTransaction(fails: Bool)
  /// Cancels the task of a transaction.
  case cancelTransaction(Int, to: Int)

  // MARK: - Tracking

  /// Begins to track.
  case track(TrackingRecipe)
  /// Ends or lets go of what was begun.
  case end(Int, Ending)
  /// Keeps a tracking in another one, and ends it.
  case storeAndCancel
  /// Begins a map over an object, which goes away while a commit concerns it and it is cancelled.
  case mapWithoutObject(NodeReference, Int, to: Int, cancels: Bool)

  // MARK: - Streams and releases

  /// Follows something in a task of its own.
  case follow(Following)
  /// Cancels a task that follows something.
  case unfollow(Int)
  /// Lets go of a node; a new one takes its place.
  case renew(NodeReference)
  /// Lets go of an async node; a new one takes its place.
  case renewOutcome(Int)
  /// Lets go of a model with all that follows it, in one step.
  case dropModel(Int, Int, order: Int)
  /// Waits until all has been delivered.
  case settle

  /// Whether a plain thread can do it.
  var isSynchronous: Bool {
    switch self {
    case .committed, .end, .unfollow, .renew, .renewOutcome, .storeAndCancel: true
    case .look(_, let reader): reader == .committed
    case .readBurst: true
    default: false
    }
  }

  /// How something is written.
  enum Way: Sendable, CaseIterable {
    case alone, transaction, asyncTransaction
  }

  /// How something is read.
  enum Reader: Sendable, CaseIterable {
    case run, snapshot, values, transaction, asyncTransaction, committed, value
  }

  /// How a tracking ends.
  enum Ending: Sendable, CaseIterable {
    case cancel, cancelOnActor, cancelTwice, release, releaseOnActor
  }

  /// What is followed.
  enum Following: Sendable {
    case values(NodeReference)
    case changes(NodeReference, Buffer)
    case trackings([NodeReference])
    case throwingTrackings(Int, at: Int)
    case untilFinished(Int, at: Int)
    case states(Int)
    case commits
    case first(Int, above: Int)
    case wait(Int, above: Int)
    case throwingWait(Int, above: Int)
  }

  /// A stream whose node only the step has.
  package struct PrivateStream: Sendable {
    var buffer: Buffer
    var changes: Int
    /// Whether a computed node is followed.
    var isDerived: Bool
    /// Whether the node goes before the consumer has taken its changes.
    var isReleased: Bool
  }

  /// What is let go of in the middle of a step.
  package enum Steadiness: Sendable, CaseIterable {
    case cleanup, snapshot, values
  }

  /// What a stream keeps.
  enum Buffer: Sendable, CaseIterable {
    case latest, unbounded, newest, oldest
  }
}

/// What is done in a transaction.
indirect enum TransactionStep: Sendable {
  case set(Int, to: Int)
  case verify(NodeReference)
  case state(Int)
  case look(Int)
  case writeTriplet(Int)
  case increment(Int)
  case nested([TransactionStep], fails: Bool)
  /// Makes the result of an async node stale, when the transaction is committed.
  case refresh(Int)
  /// Does several things in a savepoint, which undoes them if it fails.
  case savepoint([TransactionStep], fails: Bool)
  /// Changes a value by an `update` that throws.
  case throwingUpdate(Int, to: Int)
  /// Adds one to a counter in the committing step.
  case incrementAtCommit(Int)
  case handlers(target: Int)
  case track(NodeReference)
  case pause
  /// Reads a collection twice that others change in place meanwhile.
  case readBoard
  /// Verifies from another actor.
  case visit(Int)
  /// Writes and verifies in child tasks.
  case children(Int, to: Int, triplet: Int)
  /// Begins to follow a node; the first element is what the transaction sees.
  case beginStream(NodeReference)
  case outlive(Int, to: Int)
  case fail
}

/// Groups and maps that are begun together.
struct TrackingRecipe: Sendable {
  struct Member: Sendable {
    var sources: [NodeReference]
    var isMap: Bool
    var isImmediate: Bool
    var isElsewhere: Bool
    var usesTransaction: Bool
    /// The stored node that it writes; of a higher rank than all that it reads.
    var target: Int?
    /// The stored node that its cleanup writes.
    var cleanupTarget: Int?
    /// Whether its cleanup ends another tracking.
    var cleanupEnds: Int?
    /// Whether it ends its own tracking at some number.
    var endsItself: Bool
    var nested: [Member]
  }

  var members: [Member]
}
