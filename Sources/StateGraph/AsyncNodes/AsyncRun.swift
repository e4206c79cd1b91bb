import Synchronization

/// One run of an async rule: what a task that takes part in it carries.
final class AsyncRun: RuleRun {
  /// The node whose rule it is; it is made dirty when something that the run has read changes.
  let reader: AsyncNodeCell
  /// Tells the nodes that the run makes from others, see `NodeCell.madeInRun`.
  let number: RunNumber
  /// Whether the run is under way, and neither through nor superseded.
  @GraphActor private(set) var isOpen = true
  /// The task that runs the rule.
  @GraphActor var task: Task<Void, Never>?
  /// The task that limits the time of the attempt.
  @GraphActor var timer: Task<Void, Never>?
  /// How often the rule has been run.
  @GraphActor var attempt = 0
  /// Whether an attempt has failed and the next one has not begun.
  @GraphActor var isPausing = false
  /// The async nodes that the rule has awaited, in the order in which it began to.
  @GraphActor private(set) var reads: [AsyncLink] = []

  /// Begins a run.
  @GraphActor
  init(of reader: AsyncNodeCell) {
    self.reader = reader
    number = reader.graph.makerBegan()
    reader.graph.core.pointee.openAsyncRuns.add(1, ordering: .relaxed)
  }

  var origin: NodeOrigin { reader.origin }

  /// Ends the run: whoever still carries it acts outside from here on.
  ///
  /// - Precondition: The run is open.
  @GraphActor
  func close() {
    precondition(isOpen, "an async run ended twice")
    isOpen = false
    timer.take()?.cancel()
    let core = reader.graph.core
    reader.graph.makerEnded()
    let (before, _) = core.pointee.openAsyncRuns.subtract(1, ordering: .relaxed)
    if before == 1 { core.pointee.engine.asyncRunsEnded() }
  }

  /// Makes the run depend on a node.
  ///
  /// - Complexity: O(nodes read so far).
  /// - Precondition: The node is current.
  @GraphActor
  func record(_ cell: NodeCell) {
    guard !cell.isRemoved else { return }
    let graph = cell.graph
    if cell.id == .none { graph.register(cell) }
    record(cell.id, in: graph)
  }

  /// Makes the run depend on what a node depends on.
  @GraphActor
  func record(dependenciesOf other: NodeCell) {
    guard other.id != .none else { return }
    for id in other.graph.core.pointee.engine.dependencies(of: other.id) {
      record(id, in: other.graph)
    }
  }

  /// Notes that the rule begins to await an async node.
  @GraphActor
  func awaits(_ link: AsyncLink) {
    guard isOpen, !reads.contains(where: { $0 === link }) else { return }
    passes(.awaitsAsyncNode)
    reads.append(link)
  }

  @GraphActor
  private func record(_ id: NodeID, in graph: Graph) {
    guard isOpen, reader.id != .none, !isMutated(.missesAsyncReads) else { return }
    graph.core.pointee.engine.recordLateRead(of: id, by: reader.id)
  }
}

/// How others reach an async node that they have awaited, without keeping it.
final class AsyncLink: Sendable {
  /// Whether the node's result holds, by a tracked read; it does if the node is gone.
  let validity: @GraphActor @Sendable () -> AsyncValidity
  /// The node's cell, unless it is gone.
  let node: @GraphActor @Sendable () -> AsyncNodeCell?

  /// Makes a link.
  init<Value>(node: AsyncRuleCell<Value>, state: ComputedCell<AsyncSnapshot<Value>>) {
    self.node = { [weak node] in node }
    validity = { [weak state] in
      guard let state, !state.isRemoved else { return .valid }
      return state.read().validity
    }
  }
}
