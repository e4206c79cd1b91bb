import StateGraph

/// The engine under a driver whose values are integers: no actor, no generics, no tasks.
final class IntegerGraph {
  /// A rule reads nodes through the graph that it is given.
  typealias Rule = (IntegerGraph) -> Int

  private(set) var engine = Engine()
  private var values: [NodeID: Int] = [:]
  private var rules: [NodeID: Rule] = [:]
  private var makingRuns: [NodeID: RunNumber] = [:]
  /// The nodes whose rules have run, oldest first.
  private(set) var runs: [NodeID] = []

  func source(_ value: Int) -> NodeID {
    let id = engine.addNode(.source)
    makingRuns[id] = engine.currentRun
    values[id] = value
    return id
  }

  func derived(_ rule: @escaping Rule) -> NodeID {
    let id = engine.addNode(.derived)
    makingRuns[id] = engine.currentRun
    rules[id] = rule
    return id
  }

  /// A watcher of one node, which is brought up to date first.
  func watcher(of id: NodeID) -> NodeID {
    _ = read(id)
    let watcher = engine.addNode(.watcher)
    engine.watch(id, by: watcher)
    return watcher
  }

  func write(_ value: Int, to id: NodeID) {
    guard values[id] != value else { return }
    values[id] = value
    engine.markDependents(of: id)
  }

  /// A read like a user's: up to date, and recorded if a rule makes it.
  func read(_ id: NodeID) -> Int {
    if rules[id] != nil { bringUpToDate(id) }
    engine.recordRead(of: id)
    return values[id] ?? 0
  }

  /// Runs what has to run before a node can be read.
  ///
  /// - Returns: Whether the node is a watcher and something it watches has changed.
  @discardableResult
  func bringUpToDate(_ id: NodeID) -> Bool {
    let walk = engine.beginWalk(to: id)
    while case .run(let next) = engine.advance(walk) {
      if engine.isWatcher(next) {
        engine.clearMarks(next)
        return true
      }
      run(next)
    }
    return false
  }

  private func run(_ id: NodeID) {
    guard let rule = rules[id] else { return }
    runs.append(id)
    engine.beginRun(id)
    let value = rule(self)
    let changed = values.updateValue(value, forKey: id) != value
    engine.endRun(changed: changed)
  }

  /// The rules that have run since the last call.
  func takeRuns() -> [NodeID] {
    defer { runs = [] }
    return runs
  }

  /// The watchers that have been marked and not been taken, oldest first.
  func takeNotified() -> [NodeID] {
    var taken: [NodeID] = []
    while let id = engine.takeNotified() { taken.append(id) }
    return taken
  }

  func remove(_ id: NodeID) {
    engine.remove(id, madeIn: makingRuns.removeValue(forKey: id) ?? .none)
    values[id] = nil
    rules[id] = nil
  }
}

// MARK: - The engine's own operations

extension IntegerGraph {
  var nodeCount: Int { engine.nodeCount }
  var edgeCount: Int { engine.edgeCount }
  var brokenInvariants: [String] { engine.brokenInvariants() }

  func isDirty(_ id: NodeID) -> Bool { engine.isDirty(id) }
  func isClean(_ id: NodeID) -> Bool { engine.isClean(id) }
  func dependencies(of id: NodeID) -> [NodeID] { engine.dependencies(of: id) }
  func dependents(of id: NodeID) -> [NodeID] { engine.dependents(of: id) }

  func suspendTracking() -> Engine.SuspendedTracking { engine.suspendTracking() }
  func resumeTracking(_ suspended: Engine.SuspendedTracking) { engine.resumeTracking(suspended) }

  func beginRun(_ id: NodeID) { engine.beginRun(id) }
  func endRun(changed: Bool) { engine.endRun(changed: changed) }
  func recordRead(of id: NodeID) { engine.recordRead(of: id) }
  func beginWalk(to id: NodeID) -> Engine.Walk { engine.beginWalk(to: id) }
  func advance(_ walk: Engine.Walk) -> Engine.Step { engine.advance(walk) }
  func cyclePath(to id: NodeID, from last: NodeID) -> [NodeID] {
    engine.cyclePath(to: id, from: last)
  }

  func downstream(of id: NodeID) -> Set<NodeID> {
    var reached: Set<NodeID> = []
    engine.collectDownstream(of: id, into: &reached)
    return reached
  }
}
