import StateGraph

/// How a computed node of a world derives its number from its sources.
enum Rule: Sendable, CaseIterable {
  /// The sum of all.
  case sum
  /// The second or the third, by whether the first is even.
  case fork
  /// The last, if the first is small, and nothing else.
  case guarded
  /// Through a chain of nodes that the rule makes, one reading the other.
  case chainOfTemporaries
  /// Through several nodes that the rule makes, side by side.
  case severalTemporaries
  /// Through a stored node that the rule makes, and one that reads it.
  case storedTemporary
  /// Through a node that the rule makes and that is kept when the run is over.
  case keptTemporary
  /// Reads one of its sources without depending on it, and ignores it.
  case untracked
  /// Adds a value of the environment.
  case environment
  /// Always 42.
  case constant
  /// The first without the second.
  case difference

  /// The number, from the numbers of the sources; reads only those that a rule reads.
  func apply(_ number: (Int) -> Int, count: Int, environment: () -> Int) -> Int {
    switch self {
    case .sum, .chainOfTemporaries, .severalTemporaries, .storedTemporary, .keptTemporary:
      return (0..<count).reduce(0) { $0 + number($1) }
    case .untracked: return number(0)
    case .fork: return number(0).isMultiple(of: 2) ? number(1 % count) : number(2 % count)
    case .guarded: return number(0) % 10 < 5 ? number(count - 1) : -1
    case .environment: return number(0) + environment()
    case .constant: return 42
    case .difference: return number(0) - number(1 % count)
    }
  }
}

/// A value of the environment that rules read.
enum Weather: GraphEnvironmentKey {
  static var defaultValue: Int { 0 }
}
