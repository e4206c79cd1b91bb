/// What the graph promises about values, in the plainest form.
///
/// There are no marks, no edges and no caches: every value is recomputed from the sources. Nodes
/// are named by numbers, in the order in which they are added.
public struct ReferenceModel: Sendable {
  private enum Node {
    case source(Int)
    case derived(ModelRule)
    case gone
  }

  private var nodes: [Node] = []
  /// The writes of the open transaction.
  private var staged: [Int: Int]?

  /// Makes an empty graph.
  public init() {}

  /// The number of nodes that have been added; the next one gets it as its number.
  public var count: Int { nodes.count }

  /// Whether a transaction is open.
  public var isStaging: Bool { staged != nil }

  /// The nodes that can be written.
  public var sources: [Int] {
    nodes.indices.filter { if case .source = nodes[$0] { true } else { false } }
  }

  /// The rule of a node; nil for a source and for a node that is gone.
  public func rule(of node: Int) -> ModelRule? {
    if case .derived(let rule) = nodes[node] { rule } else { nil }
  }

  /// Whether a node has been released.
  public func isGone(_ node: Int) -> Bool {
    if case .gone = nodes[node] { true } else { false }
  }

  /// Adds a source.
  public mutating func addSource(_ value: Int) { nodes.append(.source(value)) }

  /// Adds a derived node.
  public mutating func addDerived(_ rule: ModelRule) { nodes.append(.derived(rule)) }

  /// Releases a node: from now on it reads as nil.
  public mutating func drop(_ node: Int) { nodes[node] = .gone }

  /// Assigns to a source: stages if a transaction is open, commits otherwise.
  public mutating func write(_ value: Int, to node: Int) {
    if staged == nil { nodes[node] = .source(value) } else { staged?[node] = value }
  }

  /// Opens a transaction.
  public mutating func beginTransaction() { staged = [:] }

  /// Closes the transaction.
  ///
  /// - Parameter commits: Whether its writes stay.
  public mutating func endTransaction(commits: Bool) {
    if commits { for (node, value) in staged ?? [:] { nodes[node] = .source(value) } }
    staged = nil
  }

  /// The value of a node, from scratch.
  ///
  /// Numbers grow downstream, so one pass over them has everything that a rule reads.
  ///
  /// - Parameter node: The number of the node.
  /// - Returns: The value, as the open transaction sees it; nil if the node is gone.
  /// - Complexity: O(nodes + what their rules read); O(1) for a source.
  public func value(of node: Int) -> Int? {
    if case .source(let value) = nodes[node] { return staged?[node] ?? value }
    var values: [Int?] = []
    for number in 0...node {
      switch nodes[number] {
      case .source(let value): values.append(staged?[number] ?? value)
      case .derived(let rule): values.append(rule.evaluate { values[$0] })
      case .gone: values.append(nil)
      }
    }
    return values[node]
  }
}
