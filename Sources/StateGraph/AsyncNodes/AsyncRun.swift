/// One run of an async rule: what a task that takes part in it carries.
final class AsyncRun: Sendable {
  /// The cell of the node whose rule runs.
  let cell: AnyAsyncCell
  /// Whether the run is under way, and neither through nor superseded.
  @GraphActor private(set) var isOpen = true
  /// The nodes that it has read.
  @GraphActor private var read: Set<NodeID> = []
  /// The async nodes whose results it has taken.
  @GraphActor private(set) var awaited: [AnyAsyncCell] = []
  /// The async nodes for which it waits at the moment.
  @GraphActor private var waiting: [AnyAsyncCell] = []

  init(of cell: AnyAsyncCell) {
    self.cell = cell
  }

  /// Ends the run: what is read from here on is nobody's dependency.
  @GraphActor
  func close() {
    isOpen = false
  }

  /// Makes the node depend on another.
  ///
  /// - Complexity: O(1).
  /// - Precondition: The other node is current.
  @GraphActor
  func record(_ read: NodeCell) {
    if read.id == .none { read.graph.register(read) }
    record(read.id)
  }

  /// Makes the node depend on what a watcher depends on.
  @GraphActor
  func record(dependenciesOf watcher: WatcherCell) {
    guard isOpen else { return }
    for id in watcher.graph.core.pointee.engine.dependencies(of: watcher.id) { record(id) }
  }

  /// Notes that the result of another async node has been taken.
  @GraphActor
  func take(resultOf other: AnyAsyncCell) {
    if !awaited.contains(where: { $0 === other }) { awaited.append(other) }
  }

  /// Notes that the run waits for another async node.
  ///
  /// - Precondition: That does not wait for this one.
  @GraphActor
  func beginToWait(for other: AnyAsyncCell) {
    waiting.append(other)
    var paths = [[cell, other]]
    while let path = paths.popLast(), let last = path.last {
      if last === cell { cell.graph.failCycle(path.map(\.origin.description)) }
      for next in last.run?.waiting ?? [] { paths.append(path + [next]) }
    }
  }

  /// Notes the end of what `beginToWait` began.
  @GraphActor
  func endToWait(for other: AnyAsyncCell) {
    if let place = waiting.firstIndex(where: { $0 === other }) { waiting.remove(at: place) }
  }

  @GraphActor
  private func record(_ id: NodeID) {
    let inputs = cell.inputs.cell.id
    // If a node that has been read is removed, the run is superseded: no id comes back.
    guard inputs != .none, read.insert(id).inserted else { return }
    cell.graph.core.pointee.engine.watch(id, by: inputs)
  }
}
