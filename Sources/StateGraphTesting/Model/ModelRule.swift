/// A rule as data, so that the graph under test and the reference model can both follow it.
///
/// A node is named by a number. A rule reads only nodes with smaller numbers; a node that is gone
/// reads as nil.
public enum ModelRule: Sendable {
  /// Adds up all nodes.
  case sum([Int])
  /// The remainder of a node by 2: changes less often than the node.
  case parity(Int)
  /// Reads one of two nodes, depending on whether the first is odd.
  case choice(of: Int, odd: Int, even: Int)
  /// Reads nodes in order until one is zero, and counts them.
  case countUntilZero([Int])
  /// Reads the first node twice, with the others in between.
  case revisit(Int, [Int])
  /// Never changes, whatever it reads.
  case ignore([Int])

  /// Follows the rule.
  ///
  /// - Parameter read: Reads a node.
  /// - Returns: The value.
  public func evaluate(_ read: (Int) -> Int?) -> Int {
    func value(_ node: Int) -> Int { read(node) ?? -1 }
    switch self {
    case .sum(let nodes):
      return nodes.reduce(0) { ($0 + value($1)) % 1_000 }
    case .parity(let node):
      return abs(value(node)) % 2
    case .choice(let condition, let odd, let even):
      return value(condition).isMultiple(of: 2) ? value(even) : value(odd)
    case .countUntilZero(let nodes):
      var count = 0
      for node in nodes {
        if value(node) == 0 { break }
        count += 1
      }
      return count
    case .revisit(let first, let others):
      let before = value(first)
      let between = others.reduce(0) { $0 + value($1) }
      return (before + between + value(first)) % 1_000
    case .ignore(let nodes):
      for node in nodes { _ = value(node) }
      return 7
    }
  }

  /// Makes a rule that reads nodes with numbers below a limit.
  ///
  /// - Parameters:
  ///   - limit: The number that the rule's own node will have, at least 1.
  ///   - generator: Where the choices come from.
  /// - Returns: The rule.
  public static func random(
    below limit: Int, using generator: inout SeededGenerator
  ) -> ModelRule {
    func node() -> Int {
      // Near nodes make deep graphs, far ones make wide ones.
      let nearest = Bool.random(using: &generator) ? max(0, limit - 4) : 0
      return Int.random(in: nearest..<limit, using: &generator)
    }
    func nodes() -> [Int] {
      (0..<Int.random(in: 1...4, using: &generator)).map { _ in node() }
    }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: return .sum(nodes())
    case 2: return .parity(node())
    case 3, 4: return .choice(of: node(), odd: node(), even: node())
    case 5: return .countUntilZero(nodes())
    case 6: return .revisit(node(), nodes())
    default: return .ignore(nodes())
    }
  }
}
