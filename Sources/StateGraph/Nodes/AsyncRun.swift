/// One run of an async rule: what a task that takes part in it carries.
final class AsyncRun: Sendable {
  /// Who is told when something that the run has read changes.
  let watcher: WatcherCell
  /// Whether the run is under way, and neither through nor superseded.
  @GraphActor var isOpen = true

  init(watcher: WatcherCell) {
    self.watcher = watcher
  }

  /// Makes the run depend on a node.
  ///
  /// - Complexity: O(nodes read so far).
  /// - Precondition: The node is current.
  @GraphActor
  func record(_ cell: NodeCell) {
    let graph = cell.graph
    if cell.id == .none { graph.register(cell) }
    record(cell.id, in: graph)
  }

  /// Makes the run depend on what a watcher depends on.
  @GraphActor
  func record(dependenciesOf other: WatcherCell) {
    guard isOpen else { return }
    for id in other.graph.core.pointee.engine.dependencies(of: other.id) {
      record(id, in: other.graph)
    }
  }

  @GraphActor
  private func record(_ id: NodeID, in graph: Graph) {
    let core = graph.core
    guard watcher.id != .none,
      !core.pointee.engine.dependencies(of: watcher.id).contains(id)
    else { return }
    core.pointee.engine.watch(id, by: watcher.id)
  }
}
