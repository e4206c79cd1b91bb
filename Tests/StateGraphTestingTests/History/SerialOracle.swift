import StateGraphTesting

/// Decides strict serialisability by trying every order: for a handful of transactions.
///
/// It knows nothing of graphs. Streams are not looked at.
struct SerialOracle {
  private let history: History
  private var order: [Int] = []
  private var isPlaced: [Bool]
  private var counts: [Bool]
  private var values: [String: History.Value] = [:]
  /// The version of the last write to a key.
  private var versions: [String: UInt64] = [:]

  private init(_ history: History, counts: [Bool]) {
    self.history = history
    self.counts = counts
    isPlaced = counts.map { !$0 }
  }

  /// Whether some order of the committed transactions, and of some of those with an unknown
  /// outcome, explains a history.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - includingAbortedReads: Whether what aborted transactions read must fit, too.
  /// - Returns: Whether there is such an order.
  static func accepts(_ history: History, includingAbortedReads: Bool) -> Bool {
    let unknown = history.transactions.indices.filter {
      history.transactions[$0].outcome == .unknown
    }
    return (0..<1 << unknown.count).contains { choice in
      var counts = history.transactions.map {
        $0.outcome == .committed || includingAbortedReads && $0.outcome == .aborted
      }
      for (bit, number) in unknown.enumerated() { counts[number] = choice >> bit & 1 == 1 }
      var oracle = SerialOracle(history, counts: counts)
      return oracle.canContinue()
    }
  }

  private mutating func canContinue() -> Bool {
    guard let first = isPlaced.firstIndex(of: false) else { return true }
    let before = self
    for number in first..<isPlaced.count where !isPlaced[number] && mayBeNext(number) {
      isPlaced[number] = true
      if perform(number) {
        if history.transactions[number].outcome == .aborted {
          values = before.values
          versions = before.versions
        }
        if canContinue() { return true }
      }
      self = before
    }
    return false
  }

  /// Whether nothing that is left must come before a transaction.
  private func mayBeNext(_ number: Int) -> Bool {
    let next = history.transactions[number]
    return history.transactions.indices.allSatisfy { other in
      let transaction = history.transactions[other]
      guard !isPlaced[other], transaction.outcome != .unknown else { return true }
      if transaction.end < next.begin { return false }
      return other >= number || transaction.process == nil || transaction.process != next.process
    }
  }

  private mutating func perform(_ number: Int) -> Bool {
    let transaction = history.transactions[number]
    var written: Set<String> = []
    for operation in transaction.operations {
      let key = operation.key
      switch (operation.action, operation.value) {
      case (.read, let value):
        let isList = if case .list = value { true } else { false }
        guard values[key, default: isList ? .list([]) : .register(0)] == value else { return false }
        continue
      case (.append, .register(let element)):
        guard case .list(let list) = values[key, default: .list([])] else { return false }
        values[key] = .list(list + [element])
      default:
        values[key] = operation.value
      }
      written.insert(key)
    }
    guard let version = transaction.version else { return true }
    for key in written {
      if versions[key, default: 0] >= version { return false }
      versions[key] = version
    }
    return true
  }
}
