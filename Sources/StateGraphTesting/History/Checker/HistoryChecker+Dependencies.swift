// The edges between operations, apart from those that follow from the order of versions.

extension HistoryChecker {
  /// Adds what follows from reads and writes, from processes and from real time.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of operations; adds O(*n*) edges.
  func addDependencies() {
    // A search looks at edges in this order, and a cycle reads best with a step in real time
    // rather than with an order of versions that follows from it.
    addRealTimeOrder()
    addProcessOrder()
    for key in index.keys {
      for version in key.versions {
        edges.add(.ww, from: index.versions[version].writer, to: edges.vertex(after: version))
      }
    }
    for observation in observations {
      let writer = index.versions[observation.version].writer
      if writer >= 0 { edges.add(.wr, from: writer, to: observation.reader) }
      edges.add(.rw, from: observation.reader, to: edges.vertex(after: observation.version))
    }
  }

  private func addProcessOrder() {
    var latest: [Int: Int] = [:]
    for (number, transaction) in history.transactions.enumerated() where isReader(number) {
      guard let process = transaction.process else { continue }
      if let before = latest[process] { edges.add(.process, from: before, to: number) }
      // What is still under way may take effect at any time.
      if transaction.outcome != .unknown { latest[process] = number }
    }
  }

  /// Adds edges from what had ended to what began later.
  ///
  /// For *n* operations that may be *n*² pairs, and even if those that follow from others are left
  /// out, the square of the number of operations that overlap. They are kept as a chain of relays
  /// instead, one for each end in the order of time: an operation leads to its end's relay, that
  /// to the next one, and the last relay before a begin to the operation that begins.
  private func addRealTimeOrder() {
    let counting = (0..<edges.operationCount).filter(counts)
    let ended = counting.filter { ends[$0] != .max }.sorted { ends[$0] < ends[$1] }
    let begun = counting.filter { begins[$0] != 0 }.sorted { begins[$0] < begins[$1] }
    guard !ended.isEmpty, !begun.isEmpty else { return }
    let firstRelay = edges.makeVertices(ended.count)
    for (place, operation) in ended.enumerated() {
      edges.add(.realTime, from: operation, to: firstRelay + place)
      if place > 0 { edges.add(.realTime, from: firstRelay + place - 1, to: firstRelay + place) }
    }
    var endedBefore = 0
    for operation in begun {
      while endedBefore < ended.count, ends[ended[endedBefore]] < begins[operation] {
        endedBefore += 1
      }
      if endedBefore > 0 {
        edges.add(.realTime, from: firstRelay + endedBefore - 1, to: operation)
      }
    }
  }

  /// Whether an operation has a place in the order: a transaction that counts as a reader, or a
  /// stream element whose value is one that the key had.
  private func counts(_ operation: Int) -> Bool {
    operation < history.transactions.count
      ? isReader(operation) : version(ofElement: operation) != nil
  }
}
