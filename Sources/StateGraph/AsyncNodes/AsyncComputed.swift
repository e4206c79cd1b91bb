/// A node whose value is derived by a rule that may await.
///
/// ```swift
/// let user = Stored(1)
/// let profile = AsyncComputed { try await service.profile(of: await user.value) }
/// print(try await profile.value)
/// ```
///
/// What the rule reads is tracked across its suspensions, in its child tasks too, in every run
/// anew. When something that it has read changes, a run that is under way is cancelled and begins
/// again; what a superseded run comes to is never published. A value that is equal to the one
/// before is no change for those who depend on it; what counts as equal: `==` for an `Equatable`
/// type, `===` for other classes, otherwise nothing.
///
/// Nobody asking, nothing runs: a run begins when the state is read, a value is waited for or the
/// states are followed. A change makes it begin again as long as somebody waits or follows; those
/// who have read the state in a rule or a tracked expression are told that it is pending, and make
/// it begin by reading it again. If the last task that waits is cancelled, so is the run, unless
/// somebody has read the state.
///
/// A rule must not write nodes or open transactions; this ends the process with a message. So does
/// a circle of async nodes that wait for each other.
///
/// **Isolation:** The rule runs off `GraphActor`, unless it is isolated to it. The node may be
/// made, passed around and released anywhere.
/// **Lifetime:** Alive as long as somebody holds it; a run that is under way is then cancelled.
public final class AsyncComputed<Value: Sendable>: Sendable, Identifiable {
  let cell: AsyncCell<Value>

  private init(
    origin: NodeOrigin, isEqual: Comparison<Value>?,
    rule: @escaping @Sendable () async throws -> Value
  ) {
    cell = AsyncCell(origin: origin, isEqual: isEqual, rule: rule)
  }

  deinit {
    cell.graph.release(cell)
  }

  /// The identity of the node.
  public nonisolated var id: GraphNodeID { cell.identity }

  /// The value for what the rule reads now: waits until there is one.
  ///
  /// Once a write has returned, a read that starts later belongs to it or to a later one. An async
  /// rule that reads it depends on the value, and is pending while this is.
  ///
  /// Inside a transaction it is the value as the transaction sees it. If there is none yet, the
  /// call throws, and the body runs again when there may be one, as with `graphWait(until:)`.
  ///
  /// - Throws: What the rule throws; `CancellationError` if the waiting task is cancelled.
  ///
  /// **Cancellation:** At once.
  public var value: Value {
    get async throws {
      defer { extendLifetime(self) }
      if let settled = await cell.takeSettled() { return try settled.result.get() }
      return try await cell.waitForSettled().result.get()
    }
  }

  /// Where the node stands.
  ///
  /// A rule or a tracked expression that reads it depends on it. If it is pending, the read makes
  /// the rule run.
  ///
  /// - Complexity: As for a computed node.
  @GraphActor public var state: AsyncState<Value> {
    let snapshot = cell.snapshot.wrappedValue
    if snapshot.isPending { cell.demandSoon() }
    extendLifetime(self)
    return snapshot.state
  }

  /// The states of the node: the current one, then those that it changes to, the latest only for a
  /// consumer that is behind.
  ///
  /// As long as somebody follows them, the rule runs again whenever it has to. A sequence does not
  /// keep its node alive; it ends when the node is released, and when the task is cancelled.
  public nonisolated var states: AsyncStates<Value> {
    AsyncStates { [weak self] in self?.cell }
  }
}

// MARK: - Making async nodes

extension AsyncComputed {
  /// Makes a node; a result that is equal (`==`) to the one before is no change.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the place where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - rule: Derives the value. A run that is cancelled should end soon; what it returns then is
  ///     ignored.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ rule: @escaping @Sendable () async throws -> Value
  ) {
    self.init(
      origin: NodeOrigin(name: name, fileID: fileID, line: line),
      isEqual: Comparisons.inferred(for: Value.self), rule: rule)
  }

  /// Makes a node with a comparison of its own.
  ///
  /// - Parameters:
  ///   - name: What messages call the node; without it, they name the place where it is made.
  ///   - fileID: The file in which the node is made, for messages.
  ///   - line: The line at which it is made, for messages.
  ///   - isEqual: Says whether a new result counts as unchanged; the old one is kept then.
  ///   - rule: Derives the value.
  public nonisolated convenience init(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    isEqual: @escaping @GraphActor @Sendable (_ old: Value, _ new: Value) -> Bool,
    _ rule: @escaping @Sendable () async throws -> Value
  ) {
    let origin = NodeOrigin(name: name, fileID: fileID, line: line)
    self.init(
      origin: origin, isEqual: Comparisons.guarded(isEqual, of: origin), rule: rule)
  }
}

// MARK: - Waiting

extension AsyncCell {
  /// Waits for an outcome that holds, and takes it.
  func waitForSettled() async throws -> AsyncOutcome<Value> {
    let run = await beginToWait()
    let result: Result<AsyncOutcome<Value>, any Error>
    do {
      result = .success(try await settledOutcome(for: run))
    } catch {
      result = .failure(error)
    }
    await endToWait(run)
    return try result.get()
  }

  private func settledOutcome(for run: AsyncRun?) async throws -> AsyncOutcome<Value> {
    while true {
      if let settled = await takeSettled() { return settled }
      // An async rule depends on the outcome that it takes, not on the states before.
      let ambient = run == nil ? Participation.ambient : nil
      try await Participation.$ambient.withValue(ambient) {
        _ = try await ConditionWatcher.wait(origin) { self.snapshot.wrappedValue.settled }
      }
    }
  }

  @GraphActor
  private func beginToWait() -> AsyncRun? {
    graph.enter()
    let run = graph.currentAsyncRun
    run?.beginToWait(for: self)
    addWaiter()
    // The body leaves and comes back; somebody has to see the run through meanwhile.
    if graph.currentTransaction != nil { demand(isKept: true) }
    return run
  }

  @GraphActor
  private func endToWait(_ run: AsyncRun?) {
    run?.endToWait(for: self)
    removeWaiter()
  }
}
