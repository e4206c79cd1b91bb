public import Synchronization

/// What the current task takes part in: a transaction, or the run of an async rule.
///
/// A task-local value, so it crosses `await`, actors and child tasks. It is an identity with an end:
/// a task that outlives the body still carries it, and yet acts outside.
///
/// Tasks that a rule starts without waiting for them inherit it, too. They are no part of the rule,
/// see `rule`.
enum Participation: Sendable {
  case transaction(any OpenTransaction)
  case rule(any RuleRun)

  /// What the task took part in when it was last asked; may be over.
  @TaskLocal static var ambient: Participation?

  /// The run of an async rule of which the current task is a part; may be over.
  ///
  /// A rule runs with an executor preference. Its child tasks inherit that, and the tasks that it does
  /// not wait for do not (SE-0417).
  static var rule: (any RuleRun)? {
    guard case .rule(let run) = ambient, hasExecutorPreference else { return nil }
    return run
  }

  /// Tells the nodes that the current task makes from others, see `NodeCell.madeInRun`.
  static var runNumber: RunNumber {
    switch ambient {
    case .transaction(let transaction): transaction.isOpen ? transaction.number : .none
    case .rule: rule?.number ?? .none
    case nil: .none
    }
  }

  private static var hasExecutorPreference: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
  }
}

/// A transaction, as far as the actor knows it.
@usableFromInline
protocol OpenTransaction: AnyObject, Sendable {
  /// Whether its body is running and writes are staged.
  var isOpen: Bool { get }
  /// The version as of which it reads.
  @GraphActor var beginVersion: UInt64 { get }
  /// Differs from that of every other transaction, and changes with each staged write.
  @GraphActor var viewNumber: UInt64 { get }
  /// Tells the nodes that the attempt makes from others, see `NodeCell.madeInRun`.
  var number: RunNumber { get }

  /// Finds out what a node looks like in the transaction, up to a run of the node's own rule.
  @GraphActor func beginRun(for cell: RuleCell) -> Graph.BegunRun
  /// Ends what `beginRun` has begun.
  @GraphActor func endRun(_ run: Graph.BegunRun)
  /// The value that a node has in the transaction; nil if it is the cached one.
  @GraphActor func stagedValue(of cell: RuleCell) -> AnyStagedValue?
  /// Keeps the value that a node has in the transaction.
  @GraphActor func memoise(_ value: AnyStagedValue, differs: Bool, of cell: NodeCell)
  /// Notes that a watcher has seen what the transaction sees.
  @GraphActor func addFollower(_ watcher: WatcherCell)
}

/// A run of an async rule, as far as the actor knows it.
protocol RuleRun: AnyObject, Sendable {
  /// Tells the nodes that the run makes from others, see `NodeCell.madeInRun`.
  var number: RunNumber { get }
  /// The node whose rule it is.
  var origin: NodeOrigin { get }
  /// Whether the run is under way, and neither through nor superseded.
  @GraphActor var isOpen: Bool { get }

  /// Makes the run depend on a node.
  ///
  /// - Precondition: The node is current.
  @GraphActor func record(_ cell: NodeCell)
  /// Makes the run depend on what a node depends on.
  @GraphActor func record(dependenciesOf other: NodeCell)
}

extension Graph {
  /// The transaction in which the running code acts.
  ///
  /// - Complexity: O(1); asks the task only while a transaction or an async rule is under way.
  @GraphActor
  @usableFromInline
  var openTransaction: (any OpenTransaction)? {
    if let transaction = core.pointee.transaction { return transaction }
    guard hasParticipants, case .transaction(let transaction) = Participation.ambient
    else { return nil }
    guard transaction.isOpen || isMutated(.writesAfterEnd) else {
      passes(.actsAfterEnd)
      return nil
    }
    return transaction
  }

  /// The async rule on whose behalf the running code reads.
  @GraphActor var currentRuleRun: (any RuleRun)? {
    guard hasParticipants, let run = Participation.rule, run.isOpen else { return nil }
    return run
  }

  /// Whether a transaction with an async body, or an async rule, is under way.
  @inlinable var hasParticipants: Bool {
    core.pointee.participants.load(ordering: .relaxed) != 0
  }

  /// Notes that one of them begins.
  @GraphActor
  func participantBegan() {
    core.pointee.participants.add(1, ordering: .relaxed)
    note(.participants)
  }

  /// Notes that one of them ends.
  @GraphActor
  func participantEnded() {
    let left = core.pointee.participants.subtract(1, ordering: .relaxed).newValue
    if left == 0 { forget(.participants) }
  }

  /// Whether the current task may read what is published: it takes part in nothing.
  ///
  /// A transaction has its own view of the graph, and the reads of an async rule are recorded.
  @inlinable package var readsPublished: Bool { !hasParticipants || !isParticipating }

  @usableFromInline var isParticipating: Bool {
    switch Participation.ambient {
    case .none: false
    case .transaction(let transaction): transaction.isOpen
    case .rule: Participation.rule != nil
    }
  }

  /// Whether the running code may act in a transaction, or for an async rule.
  @GraphActor
  @inlinable
  var mayParticipate: Bool {
    core.pointee.transaction != nil || hasParticipants
  }

  /// Records that an async rule has read a node, if the running code acts for one.
  ///
  /// - Precondition: The node is current.
  @GraphActor
  func recordAsyncRead(of cell: NodeCell) {
    guard hasParticipants, !core.pointee.engine.isTrackingSuspended,
      core.pointee.engine.running == .none
    else { return }
    currentRuleRun?.record(cell)
  }

  /// Runs a body that acts for nobody: in no transaction, and for no async rule.
  ///
  /// Deliveries and removals happen in the middle of whatever task enters the actor.
  @GraphActor
  @inlinable
  func actingForNobody<R, E: Error>(_ body: @GraphActor () throws(E) -> R) throws(E) -> R {
    guard mayParticipate else { return try body() }
    return try leavingParticipation(body)
  }

  @GraphActor
  @usableFromInline
  func leavingParticipation<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let outer = core.pointee.transaction
    core.pointee.transaction = nil
    defer { core.pointee.transaction = outer }
    guard Participation.ambient != nil else { return try body() }
    passes(.deliversForNobody)
    return try Participation.$ambient.withoutValue(body)
  }
}

extension TaskLocal where Value == Participation? {
  /// Runs a body without a value; `withValue` loses the type of the error.
  @GraphActor
  fileprivate func withoutValue<R, E: Error>(
    _ body: @GraphActor () throws(E) -> R
  ) throws(E) -> R {
    let result: Result<R, E> = withValue(nil) {
      do throws(E) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
