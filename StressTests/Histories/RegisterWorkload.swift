import StateGraph
import StateGraphTesting

/// Registers under everything that can be done to nodes.
struct RegisterWorkload<Value: HistoryValue>: HistoryWorkload {
  private struct Refused: Error {}

  let nodes: [Stored<Value>]
  /// The numbers of the first two registers.
  let pair: Computed<[Int]>

  init() {
    let nodes = Self.keys.map { Stored(Value(number: 0), name: $0) }
    self.nodes = nodes
    pair = Computed { _ in nodes[..<2].map(\.wrappedValue.number) }
  }

  static func read(_ key: String, _ value: Value, _ log: HistoryLog) {
    log.read(key, value.number)
  }

  static func deliver(_ value: Value, version: UInt64, to stream: HistoryStreamLog) {
    stream.deliver(value.number, version: version)
  }

  func step(_ log: HistoryLog, _ random: inout SeededGenerator) async {
    let (one, other) = (place(&random), place(&random))
    switch Int.random(in: 0..<27, using: &random) {
    case 0: await set(one, log)
    case 1: await update(one, log)
    case 2, 3: await transact(one, other, log)
    case 4: await refuse(one, log)
    case 5, 6: await transactAwaiting(one, other, log)
    case 7: await cancel(one, other, log)
    case 24: await undo(one, other, log)
    case 25: await takeAlternative(one, other, log)
    case 26: await writeAtCommit(one, other, log)
    case let kind: await read(kind, one, other, log)
    }
  }

  // MARK: - Writes

  private func set(_ place: Int, _ log: HistoryLog) async {
    await log.transaction {
      await nodes[place].set(Value(number: log.write(Self.keys[place])))
    }
  }

  private func update(_ place: Int, _ log: HistoryLog) async {
    await log.transaction {
      await nodes[place].update { value in
        log.read(Self.keys[place], value.number)
        value = Value(number: log.write(Self.keys[place]))
      }
    }
  }

  private func transact(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    await log.transaction {
      await withGraphTransaction {
        log.read(Self.keys[one], nodes[one].wrappedValue.number)
        nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
        readPair(pair.wrappedValue, log)
        nodes[one].wrappedValue = Value(number: log.write(Self.keys[one]))
      }
    }
  }

  private func refuse(_ place: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction {
        nodes[place].wrappedValue = Value(number: log.write(Self.keys[place]))
        readPair(pair.wrappedValue, log)
        throw Refused()
      }
    }
  }

  /// Each attempt is a transaction of the history: one that meets a conflict is discarded.
  private func transactAwaiting(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction(maximumAttempts: 1_000) {
        log.begin()
        log.read(Self.keys[one], nodes[one].wrappedValue.number)
        await Task.yield()
        async let child = nodes[other].value
        let value = await child
        log.read(Self.keys[other], value.number)
        nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
        readPair(await pair.value, log)
      }
    }
  }

  private func cancel(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    let task = Task {
      try? await log.transaction {
        try await withGraphTransaction(maximumAttempts: 1) {
          log.read(Self.keys[one], nodes[one].wrappedValue.number)
          nodes[one].wrappedValue = Value(number: log.write(Self.keys[one]))
          await Task.yield()
          try Task.checkCancellation()
          nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
        }
      }
    }
    await Task.yield()
    task.cancel()
    await task.value
  }

  /// A number that is not in the history: nobody else may read it.
  private static var undone: Int { -1 }

  private func undo(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction(maximumAttempts: 1_000) {
        log.begin()
        log.read(Self.keys[one], nodes[one].wrappedValue.number)
        try? await withGraphSavepoint {
          nodes[one].wrappedValue = Value(number: Self.undone)
          nodes[other].wrappedValue = Value(number: Self.undone)
          await Task.yield()
          throw Refused()
        }
        try await withGraphSavepoint {
          nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
          await Task.yield()
        }
        readPair(pair.wrappedValue, log)
      }
    }
  }

  private func takeAlternative(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction(maximumAttempts: 1_000) {
        log.begin()
        do {
          try await withGraphSavepoint {
            let number = log.read(Self.keys[one], nodes[one].wrappedValue.number)
            nodes[other].wrappedValue = Value(number: Self.undone)
            try await graphWait { number.isMultiple(of: 2) }
            nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
          }
        } catch GraphTransactionError.waitInside {
          await Task.yield()
          nodes[one].wrappedValue = Value(number: log.write(Self.keys[one]))
        }
        readPair(pair.wrappedValue, log)
      }
    }
  }

  private func writeAtCommit(_ one: Int, _ other: Int, _ log: HistoryLog) async {
    try? await log.transaction {
      try await withGraphTransaction(maximumAttempts: 1_000) {
        log.begin()
        nodes[one].wrappedValue = Value(number: log.write(Self.keys[one]))
        try GraphTransaction.current?.atCommit {
          log.read(Self.keys[other], nodes[other].wrappedValue.number)
          nodes[other].wrappedValue = Value(number: log.write(Self.keys[other]))
          readPair(pair.wrappedValue, log)
        }
        await Task.yield()
      }
    }
  }

  // MARK: - Reads

  private func read(_ kind: Int, _ one: Int, _ other: Int, _ log: HistoryLog) async {
    switch kind {
    case 8...10:
      await log.transaction { Self.read(Self.keys[one], await nodes[one].value, log) }
    case 11...13:
      await log.transaction { Self.read(Self.keys[one], nodes[one].committedValue, log) }
    case 14, 15:
      await log.transaction {
        let seen = await GraphSnapshot.values(of: nodes[one], nodes[other])
        Self.read(Self.keys[one], seen.0, log)
        Self.read(Self.keys[other], seen.1, log)
      }
    case 16:
      await log.transaction {
        let seen = await GraphSnapshot.values(of: pair, nodes[one])
        readPair(seen.0, log)
        Self.read(Self.keys[one], seen.1, log)
      }
    case 17, 18: await readSnapshot(log)
    case 19, 20: await log.transaction { readPair(await pair.value, log) }
    case 21: await log.transaction { readPair(pair.committedValue ?? [], log) }
    default:
      await log.transaction {
        await GraphActor.run {
          for (key, node) in zip(Self.keys, nodes) { Self.read(key, node.wrappedValue, log) }
        }
      }
    }
  }

  private func readSnapshot(_ log: HistoryLog) async {
    log.begin()
    let version = await withGraphSnapshot { snapshot in
      for place in nodes.indices.reversed() {
        Self.read(Self.keys[place], snapshot[nodes[place]], log)
      }
      readPair(snapshot[pair], log)
      return snapshot.version
    }
    log.commit(version: version)
  }

  private func readPair(_ numbers: [Int], _ log: HistoryLog) {
    for (key, number) in zip(Self.keys, numbers) { log.read(key, number) }
  }
}
