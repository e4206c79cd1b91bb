import StateGraph
import StateGraphTesting

/// Lists that are appended to; those of the second half are large.
struct ListWorkload: HistoryWorkload {
  private struct Refused: Error {}

  let nodes: [Stored<[Int]>]
  /// The first and the last list.
  let ends: Computed<[[Int]]>

  init() {
    let nodes = Self.keys.indices.map { place in
      Stored([Int](repeating: 0, count: place < 2 ? 0 : 300), name: Self.keys[place])
    }
    self.nodes = nodes
    ends = Computed { _ in [nodes[0].wrappedValue, nodes[3].wrappedValue] }
  }

  static func read(_ key: String, _ value: [Int], _ log: HistoryLog) {
    log.read(key, Array(value.drop { $0 == 0 }))
  }

  static func deliver(_ value: [Int], version: UInt64, to stream: HistoryStreamLog) {
    stream.deliver(Array(value.drop { $0 == 0 }), version: version)
  }

  func step(_ log: HistoryLog, _ random: inout SeededGenerator) async {
    let (one, other) = (place(&random), place(&random))
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1, 2: await update(one, log)
    case 3: await transact(one, other, log)
    case 4: await transactAwaiting(one, other, log)
    case 5: await refuse(one, log)
    case let kind: await read(kind, one, other, log)
    }
  }

  // MARK: - Writes

  private func update(_ place: Int, _ log: HistoryLog) async {
    await log.transaction {
      await nodes[place].update { list in
        Self.read(Self.keys[place], list, log)
        list.append(log.append(Self.keys[place]))
      }
    }
  }

  private func transact(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    await log.transaction {
      await withGraphTransaction {
        Self.read(Self.keys[one], nodes[one].wrappedValue, log)
        nodes[other].wrappedValue.append(log.append(Self.keys[other]))
        readEnds(ends.wrappedValue, log)
        nodes[one].wrappedValue.append(log.append(Self.keys[one]))
      }
    }
  }

  /// Each attempt is a transaction of the history: one that meets a conflict is discarded.
  private func transactAwaiting(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction(maximumAttempts: 1_000) {
        log.begin()
        Self.read(Self.keys[one], await nodes[one].value, log)
        await Task.yield()
        await nodes[other].update { $0.append(log.append(Self.keys[other])) }
        readEnds(await ends.value, log)
      }
    }
  }

  private func refuse(_ place: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await nodes[place].update { list in
        Self.read(Self.keys[place], list, log)
        list.append(log.append(Self.keys[place]))
        throw Refused()
      }
    }
  }

  // MARK: - Reads

  private func read(_ kind: Int, _ one: Int, _ other: Int, _ log: HistoryLog) async {
    await log.transaction {
      switch kind {
      case 6, 7: Self.read(Self.keys[one], await nodes[one].value, log)
      case 8: Self.read(Self.keys[one], nodes[one].committedValue, log)
      case 9, 10:
        let seen = await GraphSnapshot.values(of: nodes[one], nodes[other])
        Self.read(Self.keys[one], seen.0, log)
        Self.read(Self.keys[other], seen.1, log)
      case 11: readEnds(await ends.value, log)
      case 12:
        await withGraphSnapshot { snapshot in
          for (key, node) in zip(Self.keys, nodes) { Self.read(key, snapshot[node], log) }
        }
      default:
        await GraphActor.run {
          readEnds(ends.wrappedValue, log)
          Self.read(Self.keys[one], nodes[one].wrappedValue, log)
        }
      }
    }
  }

  private func readEnds(_ lists: [[Int]], _ log: HistoryLog) {
    Self.read(Self.keys[0], lists[0], log)
    Self.read(Self.keys[3], lists[1], log)
  }
}
