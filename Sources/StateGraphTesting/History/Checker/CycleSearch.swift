/// A step of a cycle: from one operation to another, through relays or not.
struct CycleStep: Hashable {
  let source: Int
  let target: Int
  /// The kind of the first edge: what the step is.
  let kind: EdgeKind
  /// The relay after the source, if there is one.
  let relay: Int?
  /// The kind of the last edge: how the order of versions is known.
  let basis: EdgeKind
}

/// The search for a short cycle in a component of a dependency graph.
///
/// A search from one operation takes O(component). Searching from all of them finds the shortest
/// cycle, but not in linear time, so that there is a limit: when it is exceeded, the shortest cycle
/// so far is taken.
struct CycleSearch {
  let graph: DependencyGraph
  /// How many edges have been followed.
  private(set) var visits = 0
  private var region: GraphRegion
  /// The number of the component in `region`.
  private var number = 0

  // A relay that has been reached from the start of the search alone is another state than one that
  // has been reached from elsewhere: only the latter leads back to the start. State 2*v + 1 is the
  // former, 2*v the latter.
  /// The search in which a state was reached last.
  private var seenIn: [Int]
  /// The state before, and the edge from there.
  private var parents: [(state: Int, edge: Int)]
  private var search = 0

  init(_ graph: DependencyGraph) {
    self.graph = graph
    region = GraphRegion(numbers: Array(repeating: 0, count: graph.vertexCount), level: 0)
    seenIn = Array(repeating: 0, count: 2 * graph.vertexCount)
    parents = Array(repeating: (0, 0), count: 2 * graph.vertexCount)
  }

  /// Finds the shortest cycle in a component.
  ///
  /// - Parameters:
  ///   - component: The vertices of a component.
  ///   - level: The highest level of edges that may be used.
  ///   - effort: How many edges may be followed before the shortest cycle so far is taken.
  ///   - cost: Which of several cycles of one length is taken: the one with the lowest cost.
  /// - Returns: The cycle.
  mutating func shortestCycle(
    in component: [Int], level: Int, effort: Int, cost: ([CycleStep]) -> Int
  ) -> [CycleStep]? {
    enterComponent(component, level: level)
    var best = Best(end: visits + effort)
    for start in component where graph.isOperation(start) && !best.isFinal(visits) {
      guard let path = path(from: start, limit: best.limit, isGoal: { _ in false })
      else { continue }
      let cycle = steps(path)
      best.offer(cycle, cost: cost(cycle))
    }
    return best.cycle
  }

  /// Finds the shortest cycle with exactly one anti-dependency in a component.
  ///
  /// - Parameters:
  ///   - component: The vertices of a component.
  ///   - effort: How many edges may be followed before the search is given up.
  ///   - cost: Which of several cycles of one length is taken: the one with the lowest cost.
  /// - Returns: The cycle; nil if there is none.
  mutating func shortestCycleWithOneAntiDependency(
    in component: [Int], effort: Int, cost: ([CycleStep]) -> Int
  ) -> [CycleStep]? {
    enterComponent(component, level: EdgeKind.wr.level)
    var best = Best(end: visits + effort)
    for relay in component where !graph.isOperation(relay) {
      for edge in graph.edges(of: relay) where graph.kinds[edge] == .step {
        let writer = graph.targets[edge]
        guard region.numbers[writer] == number else { continue }
        if visits > best.end || best.isFinal(visits) { return best.cycle }
        // The step from the reader to the writer comes on top of the path.
        let path = path(from: writer, limit: best.limit - 1) { [graph] in
          graph.reads($0, before: relay)
        }
        guard let path, let reader = path.last.map({ graph.targets[$0.edge] }), reader != writer
        else { continue }
        let closing = CycleStep(
          source: reader, target: writer, kind: .rw, relay: relay, basis: .step)
        let cycle = [closing] + steps(path)
        best.offer(cycle, cost: cost(cycle))
      }
    }
    return best.cycle
  }

  /// The best cycle so far.
  private struct Best {
    /// The number of visits at which it is good enough.
    let end: Int
    private(set) var cycle: [CycleStep]?
    private var cost = Int.max

    init(end: Int) {
      self.end = end
    }

    /// How long a better cycle can be.
    var limit: Int { cycle?.count ?? .max }

    /// Whether there is none better, or no more effort is to be made.
    func isFinal(_ visits: Int) -> Bool {
      cycle.map { $0.count == 2 && cost == 0 || visits > end } ?? false
    }

    mutating func offer(_ cycle: [CycleStep], cost: Int) {
      if let best = self.cycle, (best.count, self.cost) <= (cycle.count, cost) { return }
      self.cycle = cycle
      self.cost = cost
    }
  }

  private mutating func enterComponent(_ component: [Int], level: Int) {
    number += 1
    region.level = level
    for vertex in component { region.numbers[vertex] = number }
  }
}

// MARK: - Breadth-first search

extension CycleSearch {
  /// Looks for the shortest path from an operation to a goal, or back to itself.
  ///
  /// The length is the number of operations that are left on the way. So a step from an operation
  /// costs one and a step from a relay nothing: each round follows the relays first, then takes one
  /// step from each operation.
  ///
  /// - Parameters:
  ///   - start: The operation. A path that returns to it has at least two steps.
  ///   - limit: The length up to which paths are looked for.
  ///   - isGoal: Whether another operation is a goal.
  /// - Returns: The edges of the path, each with the state that it leaves; nil if there is none.
  private mutating func path(
    from start: Int, limit: Int, isGoal: (Int) -> Bool
  ) -> [(state: Int, edge: Int)]? {
    search += 1
    var operations = [start]
    var length = 0
    while !operations.isEmpty, length < limit {
      length += 1
      var states: [Int] = []
      var reached: [Int] = []
      for operation in operations {
        let isStart = operation == start
        for edge in graph.edges(of: operation) {
          guard let target = follow(edge) else { continue }
          let isRelay = !graph.isOperation(target)
          if target == start { return path(to: (2 * operation, edge)) }
          guard enter(2 * target + (isRelay && isStart ? 1 : 0), from: 2 * operation, edge)
          else { continue }
          if isRelay {
            states.append(2 * target + (isStart ? 1 : 0))
          } else {
            if isGoal(target) { return path(to: (2 * operation, edge)) }
            reached.append(target)
          }
        }
      }
      var next = 0
      while next < states.count {
        let state = states[next]
        next += 1
        for edge in graph.edges(of: state / 2) {
          guard let target = follow(edge) else { continue }
          let isRelay = !graph.isOperation(target)
          if target == start {
            if state % 2 == 1 { continue }
            return path(to: (state, edge))
          }
          let targetState = 2 * target + (isRelay ? state % 2 : 0)
          guard enter(targetState, from: state, edge) else { continue }
          if isRelay {
            states.append(targetState)
          } else {
            if isGoal(target) { return path(to: (state, edge)) }
            reached.append(target)
          }
        }
      }
      operations = reached
    }
    return nil
  }

  /// Where an edge leads, if it belongs to the region.
  private mutating func follow(_ edge: Int) -> Int? {
    visits += 1
    let target = graph.targets[edge]
    guard graph.kinds[edge].level <= region.level, region.numbers[target] == number
    else { return nil }
    return target
  }

  private mutating func enter(_ state: Int, from source: Int, _ edge: Int) -> Bool {
    if seenIn[state] == search { return false }
    seenIn[state] = search
    parents[state] = (source, edge)
    return true
  }

  /// The edges up to one, from the start of the search on.
  private func path(to last: (state: Int, edge: Int)) -> [(state: Int, edge: Int)] {
    var path = [last]
    // The start has not been entered: no search returns to it and goes on.
    while seenIn[path[path.count - 1].state] == search {
      path.append(parents[path[path.count - 1].state])
    }
    return path.reversed()
  }

  /// Turns edges into steps from operation to operation.
  private func steps(_ path: [(state: Int, edge: Int)]) -> [CycleStep] {
    var steps: [CycleStep] = []
    var first: (state: Int, edge: Int)?
    for (state, edge) in path {
      let begin = first ?? (state, edge)
      first = begin
      let target = graph.targets[edge]
      guard graph.isOperation(target) else { continue }
      let relay = graph.targets[begin.edge]
      steps.append(
        CycleStep(
          source: begin.state / 2, target: target, kind: graph.kinds[begin.edge],
          relay: graph.isOperation(relay) ? nil : relay, basis: graph.kinds[edge]))
      first = nil
    }
    return steps
  }
}

extension DependencyGraph {
  /// Whether an operation saw the version before a relay.
  fileprivate func reads(_ operation: Int, before relay: Int) -> Bool {
    edges(of: operation).contains { kinds[$0] == .rw && targets[$0] == relay }
  }
}
