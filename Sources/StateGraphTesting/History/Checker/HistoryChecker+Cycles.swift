// Which cycles there are, and what they are called.

extension HistoryChecker {
  /// Reports each smallest component that has a cycle, under the strongest name.
  ///
  /// The levels of edges are tried one after the other: writes alone, then with reads, and so on.
  /// A component that contains one of a level before is not reported again.
  ///
  /// - Complexity: O(vertices and edges); the search for the shortest cycles is bounded by a
  ///   multiple of that.
  func reportCycles() {
    let graph = DependencyGraph(edges)
    statistics.vertices = graph.vertexCount
    statistics.edges = graph.targets.count
    var region = GraphRegion(
      numbers: Array(repeating: 0, count: graph.vertexCount), level: EdgeKind.levelCount - 1)
    let all = graph.components(
      from: 0..<graph.vertexCount, in: region, visits: &statistics.visits)
    guard !all.isEmpty else { return }
    for (number, component) in all.enumerated() {
      for vertex in component { region.numbers[vertex] = number + 1 }
    }
    var open = all
    var search = CycleSearch(graph)
    var isReported = Array(repeating: false, count: graph.vertexCount)
    for level in 0..<EdgeKind.levelCount {
      region.level = level
      open.removeAll { $0.allSatisfy { !graph.isOperation($0) || isReported[$0] } }
      let roots = open.joined()
      for component in graph.components(from: roots, in: region, visits: &statistics.visits) {
        let operations = component.filter(graph.isOperation)
        guard !operations.contains(where: { isReported[$0] }) else { continue }
        for operation in operations { isReported[operation] = true }
        if let cycle = shortestCycle(in: component, level: level, &search) {
          report(cycle, level: level)
        }
      }
    }
    statistics.visits += search.visits
  }

  private func shortestCycle(
    in component: [Int], level: Int, _ search: inout CycleSearch
  ) -> [CycleStep]? {
    let edgeCount = component.reduce(0) { $0 + search.graph.edges(of: $1).count }
    let effort = 4 * edgeCount + 200_000
    func cost(_ cycle: [CycleStep]) -> Int {
      if level == EdgeKind.rw.level { return isLostUpdate(cycle) ? 0 : 1 }
      return cycle.count { $0.kind == .ww && $0.basis == .realTimeStep }
    }
    if level == EdgeKind.rw.level {
      let single = search.shortestCycleWithOneAntiDependency(
        in: component, effort: effort, cost: cost)
      if let single { return single }
    }
    return search.shortestCycle(in: component, level: level, effort: effort, cost: cost)
  }

  private func report(_ cycle: [CycleStep], level: Int) {
    guard anomalies.count < limit else { return }
    let first = cycle.indices.min { cycle[$0].source < cycle[$1].source } ?? 0
    let steps = Array(cycle[first...] + cycle[..<first])
    report(kind(of: steps, level: level), steps)
  }

  private func kind(of cycle: [CycleStep], level: Int) -> Anomaly.Kind {
    switch level {
    case EdgeKind.ww.level: .g0
    case EdgeKind.wr.level: .g1c
    case EdgeKind.rw.level:
      if isLostUpdate(cycle) {
        .lostUpdate
      } else {
        cycle.count { $0.kind == .rw } == 1 ? .gSingle : .g2Item
      }
    case EdgeKind.stream.level: .outOfOrderStream
    case EdgeKind.process.level: .processOrder
    default: .realTime
    }
  }

  /// Whether a cycle is about the writes to one key, one of which ignores another: an
  /// anti-dependency and then only writes, or two transactions that replaced the same version.
  private func isLostUpdate(_ cycle: [CycleStep]) -> Bool {
    guard cycle.allSatisfy({ $0.kind == .ww || $0.kind == .rw }) else { return false }
    guard Set(cycle.map(key)).count == 1 else { return false }
    let reads = cycle.count { $0.kind == .rw }
    return reads == 1
      || reads == 2 && cycle.count == 2 && cycle[0].relay == cycle[1].relay
  }

  /// The key that a step is about, if it is about one.
  func key(of step: CycleStep) -> Int? {
    version(of: step).map { index.versions[$0].key }
  }

  /// The version that the source of a step wrote or saw, if the step is about one.
  func version(of step: CycleStep) -> Int? {
    switch step.kind {
    case .ww, .rw:
      return step.relay.map { $0 - edges.operationCount }
    case .wr:
      return versionRead(by: step.target, from: step.source)
    default:
      return nil
    }
  }

  /// What an operation saw that a transaction wrote.
  private func versionRead(by reader: Int, from writer: Int) -> Int? {
    guard reader < history.transactions.count else { return version(ofElement: reader) }
    for operation in history.transactions[reader].operations where operation.action == .read {
      guard let key = index.key(named: operation.key) else { continue }
      // A list stands for its last element from others.
      for element in operation.value.elements.reversed() {
        guard let version = index.version(of: key, element) else { break }
        if index.versions[version].writer == writer { return version }
        if index.versions[version].writer != reader { break }
      }
    }
    return nil
  }
}
