import StateGraphTesting

extension SimulatedStore {
  /// What varies from history to history.
  struct Options {
    var keyCount = 3
    var listKeyCount = 1
    var processCount = 3
    var streamCount = 2
    /// How often versions are recorded, out of 4.
    var versions = 2
    /// How often a transaction aborts, or has an unknown outcome, out of 20.
    var aborts = 2
    var unknowns = 1
    /// How often a write comes without a read, out of 4.
    var blindWrites = 2

    /// Options drawn at random.
    static func random(using generator: inout SeededGenerator) -> Options {
      let keyCount = Int.random(in: 1...5, using: &generator)
      return Options(
        keyCount: keyCount, listKeyCount: Int.random(in: 0...keyCount, using: &generator),
        processCount: Int.random(in: 1...6, using: &generator),
        streamCount: Int.random(in: 0...4, using: &generator),
        versions: Int.random(in: 0...4, using: &generator),
        aborts: Int.random(in: 0...4, using: &generator),
        unknowns: Int.random(in: 0...2, using: &generator),
        blindWrites: Int.random(in: 0...4, using: &generator))
    }
  }
}
