import StateGraphWorlds

/// What the command line says.
struct Arguments {
  static let usage = """
    usage: Worlds [--seed N] [--seconds S] [--patience S] [--memory MB] [--serial | --concurrent]
      [--with SHAPES] [--without SHAPES] [--keep STEPS] [--show]
    """

  /// The first seed.
  var seed: UInt64 = 1
  /// For how long; one world if 0.
  var seconds = 0.0
  /// How long nothing may happen.
  var patience = 20.0
  /// Whether one task does everything; by the seed if nil.
  private var mode: Bool?
  private var shapes = WorldShapes()
  private var kept: Set<Int>?
  /// By how many bytes memory may grow; not watched if nil.
  var memory: Int?
  /// Whether the plan is to be printed, and not to be run.
  var shows = false

  init?(_ words: some Sequence<String>) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      switch word {
      case "--serial": mode = true
      case "--concurrent": mode = false
      case "--show": shows = true
      case "--seed", "--seconds", "--patience", "--with", "--without", "--keep", "--memory":
        guard let value = words.popFirst(), take(word, value) else { return nil }
      default: return nil
      }
    }
  }

  private mutating func take(_ word: String, _ value: String) -> Bool {
    switch word {
    case "--seed":
      guard let number = UInt64(value) else { return false }
      seed = number
    case "--seconds":
      guard let number = Double(value) else { return false }
      seconds = number
    case "--patience":
      guard let number = Double(value) else { return false }
      patience = number
    case "--memory":
      guard let megabytes = Int(value) else { return false }
      memory = megabytes << 20
    case "--with": return shapes.set(value, true)
    case "--without": return shapes.set(value, false)
    default: kept = Set(value.split(separator: ",").compactMap { Int($0) })
    }
    return true
  }

  func isSerial(_ seed: UInt64) -> Bool { mode ?? seed.isMultiple(of: 4) }

  func plan(_ seed: UInt64) -> WorldPlan {
    var plan = WorldPlan.draw(seed: seed, shapes: shapes)
    if let kept { plan.keep(kept) }
    return plan
  }
}
