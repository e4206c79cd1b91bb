import Synchronization

/// A node whose value is derived from other nodes by a rule that may await.
///
/// ```swift
/// let query = Stored("swift")
/// let hits = AsyncComputed { try await search(for: query.value) }
/// print(try await hits.value)
/// for await state in hits.states { show(state) }
/// ```
///
/// The rule runs off the actor. What it reads is tracked in every run anew, before and after each
/// `await`, in child tasks too. When something changes that it has read, the run that is under way
/// is cancelled, its result is never published, and the next run begins at once if somebody waits
/// for the value or follows the state. If nobody does, nothing runs until the next read. A settled
/// node runs again as soon as one of those who follow it has time for the change. A result
/// that is equal to the one before counts as unchanged: whoever depends on the node does not run
/// again. What counts as equal: `==` for an `Equatable` type, `===` for other classes, otherwise
/// nothing; errors never are.
///
/// A rule that awaits the `value` of another async node depends on its result; while that one is
/// pending, so is this one, and if it comes to an equal result, this one's result holds again
/// without a run. To get results at the same time, await them by `async let`.
///
/// A result holds until something changes that the rule has read. `staleAfter` gives it a time to live
/// besides, and `refresh()` ends it at once: for what comes from outside of the graph. `timeout` and
/// `retry` say what becomes of a run that takes long or fails.
///
/// What the rule awaits is a part of it, child tasks included. A task that it starts and does not wait
/// for (`Task { }`) is not: its reads are no dependencies, and it may write at any time. (A task that
/// is started with an executor preference cannot be told from a child task.)
///
/// A rule must not write nodes, open transactions or wait for its own node; this ends the process
/// with a message. It should depend on nothing but the nodes that it reads: code that iterates a
/// stream does not depend on the stream's node. What a rule reads without being meant to depend on
/// it goes into `GraphActor.withoutTracking(_:)`.
///
/// A read costs the rule O(nodes that the run has read before): many nodes are better read through
/// one computed node.
///
/// **Isolation:** Belongs to `GraphActor`; may be made, passed around and released anywhere.
/// **Cancellation:** A run is cancelled when its result would be out of date, when the last who
/// waits for the value or follows the state goes, and when the node is released. A rule that ignores
/// cancellation keeps its task busy until it returns, beside the next run. A `CancellationError` of a run
/// that is not out of date is a failure like any other.
/// **Lifetime:** Alive as long as somebody holds it. Dependents, streams and its own running rule do
/// not; the rule keeps alive what it captures, and `value` keeps the node while it waits.
public final class AsyncComputed<Success: Sendable>: Sendable, Identifiable {
  private let node: AsyncRuleCell<Success>
  private let stateCell: ComputedCell<AsyncSnapshot<Success>>
  private let link: AsyncLink

  private init(
    origin: NodeOrigin, isEqual: Comparison<Success>?, policy: AsyncPolicy,
    rule: @escaping @Sendable () async throws -> Success
  ) {
    let node = AsyncRuleCell(origin: origin, isEqual: isEqual, policy: policy, rule: rule)
    let parts = AsyncParts(node)
    let areSame: Comparison<AsyncSnapshot<Success>> = { AsyncSnapshot.areSame($0, $1) }
    stateCell = ComputedCell(
      origin: origin, isEqual: areSame,
      step: ComputedCell.step({ [parts] _ in parts.node.snapshot() }, isEqual: areSame))
    link = AsyncLink(node: node, state: stateCell)
    self.node = node
  }

  deinit {
    node.isReleased.store(true, ordering: .relaxed)
    stateCell.graph.release(stateCell)
  }

  /// The identity of the node.
  public nonisolated var id: GraphNodeID { node.identity }

  /// The current value; waits until it is settled.
  ///
  /// Returns at once if nothing that the rule has read, directly or through async nodes, has
  /// changed since its last run. Once a write has returned, every wait that begins later yields a
  /// value that belongs to that write or a later one.
  ///
  /// In a transaction, async nodes have the results that the transaction sees as settled. If the
  /// node is pending there, the attempt is discarded and the body runs again when the node has
  /// settled, as with `graphWait(until:)`. If that is because of the transaction's own writes, the
  /// call throws `GraphTransactionError.unsettled`.
  ///
  /// - Throws: What the rule has thrown; `CancellationError` when the waiting task is cancelled.
  /// - Complexity: O(1) if it is settled and nothing upstream has been written.
  /// - Precondition: No rule waits for its own node.
  ///
  /// **Cancellation:** At once. The rule goes on if others wait for the value or follow the state.
  public var value: Success {
    get async throws {
      defer { extendLifetime(self) }
      let waiter = Subscription(SettledWaiter(node: node, state: stateCell, link: link))
      guard let snapshot = try await waiter.next(isolation: nil) else {
        throw CancellationError()
      }
      return try snapshot.get()
    }
  }

  /// The current state.
  ///
  /// A rule or a tracked expression that reads it depends on it from then on. To read it while it is
  /// out of date begins a run. Inside a transaction this is the state as the transaction sees it:
  /// pending, if its writes reach what the rule has read.
  ///
  /// - Complexity: As for `Computed.wrappedValue`; the rule itself is not waited for.
  @GraphActor
  public var state: AsyncState<Success> {
    let snapshot = stateCell.read()
    if snapshot.isPending, stateCell.graph.mayParticipate { start() }
    extendLifetime(self)
    return snapshot.state
  }

  /// The current state, then every state that the node changes to; the same as `values`.
  ///
  /// Each loop over the sequence has a subscription of its own, and counts as somebody who wants
  /// the result. A consumer that is behind gets the latest state. It ends when the task is cancelled
  /// and when the node has been released.
  public nonisolated var states: GraphValues<AsyncState<Success>> { values }

  /// Makes the result stale, although nothing has changed that the rule has read.
  ///
  /// The node is pending from then on. The next run begins at once if somebody waits for the value or
  /// follows the state, and otherwise with the next read; a run that is under way is cancelled.
  /// Without effect on a node that has no result and is not running. In a transaction it takes effect
  /// when the transaction has been committed, and not if it is discarded.
  ///
  /// - Complexity: As for an assignment.
  /// - Precondition: No rule and no comparison is running.
  @GraphActor
  public func refresh() {
    if let transaction = stateCell.graph.currentTransaction {
      return transaction.onCommit { self.refresh() }
    }
    node.refresh(includingRun: true)
    extendLifetime(self)
  }

  /// Begins a run if one is needed, although a transaction reads.
  @GraphActor
  private func start() {
    let graph = stateCell.graph
    guard graph.currentTransaction != nil, graph.core.pointee.engine.running == .none else {
      return
    }
    graph.withoutRemovals { graph.actingForNobody { _ = stateCell.read() } }
  }
}

// MARK: - Making async nodes

extension AsyncComputed {
  /// Makes a node; a result that is not equal (`==`) to the one before is a change.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - staleAfter: How long a result holds, a value or an error; more than zero, or nil for ever. When
  ///     the time is up, the node is refreshed.
  ///   - timeout: How long an attempt may take, more than zero, if not nil: after that it is cancelled, and fails with
  ///     `AsyncTimeoutError` whether it returns or not.
  ///   - retry: Whether a run that has failed is tried again; never, if nil.
  ///   - clock: What measures these times; if nil, a `ContinuousClock`, or the time of a seeded run.
  ///   - rule: Derives the value, off the actor.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    staleAfter: Duration? = nil, timeout: Duration? = nil, retry: AsyncRetry? = nil,
    clock: (any Clock<Duration>)? = nil,
    _ rule: @escaping @Sendable () async throws -> Success
  ) where Success: Equatable {
    self.init(
      origin: NodeOrigin(name: name, fileID: fileID, line: line),
      isEqual: Comparisons.equality(),
      policy: AsyncPolicy(staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock),
      rule: rule)
  }

  /// Makes a node; for a class another object is a change, otherwise every result is.
  ///
  /// In generic code that knows nothing of the type, an `Equatable` type is found at run time.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - staleAfter: How long a result holds, a value or an error; more than zero, or nil for ever. When
  ///     the time is up, the node is refreshed.
  ///   - timeout: How long an attempt may take, more than zero, if not nil: after that it is cancelled, and fails with
  ///     `AsyncTimeoutError` whether it returns or not.
  ///   - retry: Whether a run that has failed is tried again; never, if nil.
  ///   - clock: What measures these times; if nil, a `ContinuousClock`, or the time of a seeded run.
  ///   - rule: Derives the value, off the actor.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    staleAfter: Duration? = nil, timeout: Duration? = nil, retry: AsyncRetry? = nil,
    clock: (any Clock<Duration>)? = nil,
    _ rule: @escaping @Sendable () async throws -> Success
  ) {
    self.init(
      origin: NodeOrigin(name: name, fileID: fileID, line: line),
      isEqual: Comparisons.inferred(for: Success.self),
      policy: AsyncPolicy(staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock),
      rule: rule)
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the file and line where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new value counts as unchanged; the old one is kept then. It may
  ///     read nodes, untracked, and must not write.
  ///   - staleAfter: How long a result holds, a value or an error; more than zero, or nil for ever. When
  ///     the time is up, the node is refreshed.
  ///   - timeout: How long an attempt may take, more than zero, if not nil: after that it is cancelled, and fails with
  ///     `AsyncTimeoutError` whether it returns or not.
  ///   - retry: Whether a run that has failed is tried again; never, if nil.
  ///   - clock: What measures these times; if nil, a `ContinuousClock`, or the time of a seeded run.
  ///   - rule: Derives the value, off the actor.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Success, _ new: Success) -> Bool,
    staleAfter: Duration? = nil, timeout: Duration? = nil, retry: AsyncRetry? = nil,
    clock: (any Clock<Duration>)? = nil,
    _ rule: @escaping @Sendable () async throws -> Success
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    self.init(
      origin: origin, isEqual: Comparisons.guarded(isEqual, of: origin),
      policy: AsyncPolicy(staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock),
      rule: rule)
  }
}

// MARK: - The states as the values of a node

/// As a `GraphNode`, an async node has its states for values: `map`, `first(where:)`, `changes` and
/// snapshots are about them. `try await node.value` is the settled result all the same.
extension AsyncComputed: GraphNode {
  /// The states are the values of the node.
  public typealias Value = AsyncState<Success>

  /// The current state, see `state`.
  @GraphActor public var wrappedValue: AsyncState<Success> { state }

  /// The changes of the state, with what is to be kept for a consumer that is behind.
  ///
  /// Two states count as the same if they have values that the comparison of the node calls equal.
  ///
  /// - Parameter buffering: What happens to changes that the consumer has not taken yet.
  /// - Returns: A sequence; each loop over it has a subscription of its own.
  public nonisolated func changes(
    buffering: GraphBuffering
  ) -> GraphChanges<AsyncState<Success>> {
    GraphChanges(buffering: buffering) { [weak self] in
      self.map { ($0, $0.source) }
    }
  }

  private nonisolated var source: StreamSource<AsyncState<Success>> {
    StreamSource(cell: stateCell, isEqual: AsyncSnapshot.comparison(node.isEqual)) { [stateCell] in
      stateCell.read().state
    }
  }

  /// The state, if readers outside of the actor can see it and it belongs to a version.
  public nonisolated func _publishedValue(at version: UInt64) -> AsyncState<Success>? {
    stateCell.publishedValue(at: version)?.state
  }

  /// The state, which is published if it can be.
  @GraphActor public var _visitedValue: AsyncState<Success> {
    stateCell.graph.arrive()
    return state
  }
}
