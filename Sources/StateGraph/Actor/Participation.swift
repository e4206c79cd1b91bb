public import Synchronization

/// What the current task takes part in: a transaction, or the run of an async rule.
///
/// A task-local value, so it crosses `await`, actors and child tasks. It is an identity with an end:
/// a task that outlives the body still carries it, and yet acts outside.
///
/// Tasks that a rule starts without waiting for them inherit it, too. They are no part of the rule,
/// see `rule`.
enum Participation: Sendable {
  case transaction(GraphTransaction)
  case rule(AsyncRun)

  /// What the task took part in when it was last asked; may be over.
  @TaskLocal static var ambient: Participation?

  /// The run of an async rule of which the current task is a part; may be over.
  ///
  /// A rule runs with an executor preference. Its child tasks inherit that, and the tasks that it does
  /// not wait for do not (SE-0417).
  static var rule: AsyncRun? {
    guard case .rule(let run) = ambient, hasExecutorPreference else { return nil }
    return run
  }

  private static var hasExecutorPreference: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
  }
}

extension Graph {
  /// The transaction in which the running code acts.
  ///
  /// - Complexity: O(1); asks the task only while a transaction or an async rule is under way.
  @GraphActor
  @usableFromInline
  var currentTransaction: GraphTransaction? {
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
  @GraphActor var currentAsyncRun: AsyncRun? {
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
    currentAsyncRun?.record(cell)
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
