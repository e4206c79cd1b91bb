/// What the graph promises, in the plainest form: no marks, no edges, no cutting of corners.
///
/// Values are recomputed from scratch, down to the sources, every time. Beside that, the model
/// keeps what a rule read in its latest run and whether that has changed since; this is the oracle
/// for which rules may run.
package struct ReferenceModel {
  /// What was known of a dependency when a rule read it.
  private struct Reading {
    let node: Int
    let change: Int
  }

  /// A node: a source if it has no rule.
  private struct Node {
    var rule: ModelRule?
    var value: Int
    var isCached = false
    /// How often the value has changed.
    var change = 0
    var readings: [Reading] = []
    var isGone = false
  }

  private var nodes: [Node] = []
  private var staged: [Int: Int]?
  private var memos: [Int: Int] = [:]
  /// The rules that have run since the list was emptied, by node.
  package var runs: [Int] = []

  package init() {}

  /// The number of nodes that have been added; the next one gets it as its number.
  package var count: Int { nodes.count }

  package func isSource(_ node: Int) -> Bool { nodes[node].rule == nil }
  package func isGone(_ node: Int) -> Bool { nodes[node].isGone }

  package mutating func addSource(_ value: Int) {
    nodes.append(Node(rule: nil, value: value))
  }

  package mutating func addDerived(_ rule: ModelRule) {
    nodes.append(Node(rule: rule, value: 0))
  }

  /// Releases a node: who has read it must run again.
  package mutating func drop(_ node: Int) {
    nodes[node].isGone = true
    nodes[node].change += 1
  }

  package mutating func write(_ value: Int, to node: Int) {
    if staged != nil {
      staged?[node] = value
      memos = [:]
    } else if nodes[node].value != value {
      nodes[node].value = value
      nodes[node].change += 1
    }
  }

  package mutating func beginTransaction() {
    staged = [:]
    memos = [:]
  }

  package mutating func endTransaction(commits: Bool) {
    let writes = staged ?? [:]
    staged = nil
    if commits { for (node, value) in writes { write(value, to: node) } }
  }

  /// The value of a node from scratch; nil if it is gone.
  package func value(of node: Int) -> Int? {
    // Numbers grow downstream, so one pass upwards has everything that a rule reads.
    var values: [Int?] = []
    for (number, candidate) in nodes.prefix(node + 1).enumerated() {
      let value = candidate.rule?.evaluate { values[$0] } ?? staged?[number] ?? candidate.value
      values.append(candidate.isGone ? nil : value)
    }
    return values[node]
  }

  /// Reads a node like a user, and notes which rules have to run for that.
  package mutating func read(_ node: Int) -> Int? {
    if nodes[node].isGone { return nil }
    return staged == nil ? readCommitted(node) : readStaged(node)
  }

  private mutating func readCommitted(_ node: Int) -> Int {
    guard let rule = nodes[node].rule, mustRun(node) else { return nodes[node].value }
    var readings: [Reading] = []
    runs.append(node)
    let value = rule.evaluate { dependency in
      let value = nodes[dependency].isGone ? nil : readCommitted(dependency)
      if !nodes[dependency].isGone, !readings.contains(where: { $0.node == dependency }) {
        readings.append(Reading(node: dependency, change: nodes[dependency].change))
      }
      return value
    }
    if !nodes[node].isCached || nodes[node].value != value { nodes[node].change += 1 }
    nodes[node].value = value
    nodes[node].isCached = true
    nodes[node].readings = readings
    return value
  }

  /// Whether something that the rule read in its latest run has changed, in reading order.
  private mutating func mustRun(_ node: Int) -> Bool {
    guard nodes[node].isCached else { return true }
    for reading in nodes[node].readings {
      if !nodes[reading.node].isGone { _ = readCommitted(reading.node) }
      if nodes[reading.node].change != reading.change { return true }
    }
    return false
  }

  private mutating func readStaged(_ node: Int) -> Int {
    guard let rule = nodes[node].rule else { return staged?[node] ?? nodes[node].value }
    if let memo = memos[node] { return memo }
    var value = nodes[node].value
    if mustRunStaged(node) {
      runs.append(node)
      value = rule.evaluate { nodes[$0].isGone ? nil : readStaged($0) }
    }
    memos[node] = value
    return value
  }

  private mutating func mustRunStaged(_ node: Int) -> Bool {
    guard nodes[node].isCached else { return true }
    for reading in nodes[node].readings {
      if nodes[reading.node].change != reading.change { return true }
      if readStaged(reading.node) != nodes[reading.node].value { return true }
    }
    return false
  }
}
