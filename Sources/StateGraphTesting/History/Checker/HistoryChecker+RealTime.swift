// The order of the versions of a register, as far as it follows from real time.

extension HistoryChecker {
  /// When a version was current, by the operations that wrote or saw it.
  struct Zone {
    /// The operation that was the first to end: the version was current before that.
    var firstToEnd = -1
    /// The operation that was the last to begin: the version was current after that.
    var lastToBegin = -1
  }

  /// Orders the versions of registers by real time, where nothing better is known.
  ///
  /// If an operation that wrote or saw *a* had ended before one that wrote or saw *b* began, then
  /// *a* is earlier than *b*. For *n* versions that may be *n*² pairs. They are kept as a chain of
  /// relays instead, one for each version in the order of the last begin, each leading to the
  /// version's writer and to the next relay: what is later than *a* is a tail of the chain, apart
  /// from *a* itself. Versions in that tail which come before *a* in the chain get an edge of their
  /// own; if there are more of them than versions, some pair contradicts itself and is among them.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of versions; adds O(*n*) edges.
  func orderInRealTime() {
    let zones = zones()
    for (number, key) in index.keys.enumerated() where !key.isList && !order.isTotal(number) {
      let chain = key.versions
        .filter { zones[$0].lastToBegin >= 0 }
        .sorted { lastBegin(zones[$0]) < lastBegin(zones[$1]) }
      if !chain.isEmpty { addChain(chain, key.versions, zones) }
    }
  }

  /// The zones of all versions of registers without a better order.
  func zones() -> [Zone] {
    var zones = Array(repeating: Zone(), count: index.versions.count)
    func note(_ operation: Int, _ version: Int) {
      let zone = zones[version]
      if ends[operation] != .max, zone.firstToEnd < 0 || ends[operation] < ends[zone.firstToEnd] {
        zones[version].firstToEnd = operation
      }
      if begins[operation] != 0,
        zone.lastToBegin < 0 || begins[operation] > begins[zone.lastToBegin]
      {
        zones[version].lastToBegin = operation
      }
    }
    for key in index.keys where !key.isList {
      for version in key.versions { note(index.versions[version].writer, version) }
    }
    for observation in observations { note(observation.reader, observation.version) }
    return zones
  }

  private func lastBegin(_ zone: Zone) -> UInt64 {
    begins[zone.lastToBegin]
  }

  /// Adds the relays of one key: `chain` has its versions by their last begin, as far as known.
  private func addChain(_ chain: [Int], _ versions: [Int], _ zones: [Zone]) {
    let firstRelay = edges.makeVertices(chain.count)
    for (place, version) in chain.enumerated() {
      let writer = index.versions[version].writer
      edges.add(.realTimeStep, from: firstRelay + place, to: writer)
      if place > 0 {
        edges.add(.realTimeStep, from: firstRelay + place - 1, to: firstRelay + place)
      }
    }
    let places = Dictionary(uniqueKeysWithValues: chain.enumerated().map { ($1, $0) })
    var spare = chain.count + 1
    for version in versions where zones[version].firstToEnd >= 0 {
      let end = ends[zones[version].firstToEnd]
      var entry = firstPlace(in: chain, after: end, zones)
      if let own = places[version], own >= entry {
        for place in (entry..<own).reversed() where spare > 0 {
          spare -= 1
          addStep(.realTimeStep, from: version, to: chain[place])
        }
        entry = own + 1
      }
      guard entry < chain.count else { continue }
      order.noteSuccessor(chain[entry], of: version)
      edges.add(.realTimeStep, from: edges.vertex(after: version), to: firstRelay + entry)
    }
  }

  /// The first place in a chain of a version whose last begin is after a time.
  private func firstPlace(in chain: [Int], after time: UInt64, _ zones: [Zone]) -> Int {
    var low = 0
    var high = chain.count
    while low < high {
      let middle = (low + high) / 2
      if lastBegin(zones[chain[middle]]) > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
