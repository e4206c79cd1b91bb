/// What the current task takes part in: a transaction, or the run of an async rule.
///
/// A task-local value, so it crosses `await`, actors and child tasks. It is an identity with an end:
/// a task that outlives the body still carries it, and yet acts outside.
enum Participation: Sendable {
  case transaction(GraphTransaction)
  case rule(AsyncRun)

  /// What the task took part in when it was last asked; may be over.
  @TaskLocal static var ambient: Participation?
}

extension Graph {
  /// The transaction in which the running code acts.
  ///
  /// - Complexity: O(1); asks the task only while a transaction or an async rule is under way.
  @GraphActor
  @usableFromInline
  var currentTransaction: GraphTransaction? {
    if let transaction = core.pointee.transaction { return transaction }
    guard core.pointee.participantCount > 0,
      case .transaction(let transaction) = Participation.ambient, transaction.isOpen
    else { return nil }
    return transaction
  }

  /// The async rule on whose behalf the running code reads.
  @GraphActor var currentAsyncRun: AsyncRun? {
    guard core.pointee.participantCount > 0, case .rule(let run) = Participation.ambient, run.isOpen
    else { return nil }
    return run
  }

  /// Whether the running code may act in a transaction, or for an async rule.
  @GraphActor
  @inlinable
  var mayParticipate: Bool {
    core.pointee.transaction != nil || core.pointee.participantCount != 0
  }

  /// Records that an async rule has read a node, if the running code acts for one.
  ///
  /// - Precondition: The node is current.
  @GraphActor
  func recordAsyncRead(of cell: NodeCell) {
    guard core.pointee.participantCount != 0, !core.pointee.isUntracked,
      core.pointee.engine.running == .none
    else { return }
    currentAsyncRun?.record(cell)
  }

  /// Runs a body that acts for nobody: in no transaction, and for no async rule.
  ///
  /// Deliveries and removals happen in the middle of whatever task enters the actor.
  @GraphActor
  func actingForNobody<R, E: Error>(_ body: @GraphActor () throws(E) -> R) throws(E) -> R {
    guard mayParticipate else { return try body() }
    let outer = core.pointee.transaction
    core.pointee.transaction = nil
    defer { core.pointee.transaction = outer }
    guard Participation.ambient != nil else { return try body() }
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
