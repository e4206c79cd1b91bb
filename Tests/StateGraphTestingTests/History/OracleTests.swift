import StateGraphTesting
import Testing

/// Small histories, half of them spoilt, are judged as by trying every order.
@Suite struct OracleTests {
  /// How often the oracle and the checker have said no.
  struct Tally {
    var accepted = 0
    var rejected = 0
    var missed = 0
  }

  /// Compares the checker with the oracle on 1,000 small histories.
  func compare(
    part: UInt64, isComplete: Bool, _ make: (inout SeededGenerator) -> History
  ) -> Tally {
    var tally = Tally()
    for seed in part * 1_000..<(part + 1) * 1_000 {
      var generator = SeededGenerator(seed: seed)
      let history = make(&generator)
      let aborted = !seed.isMultiple(of: 4)
      let anomalies = history.anomalies(includingAbortedReads: aborted)
      if SerialOracle.accepts(history, includingAbortedReads: aborted) {
        tally.accepted += 1
        #expect(anomalies.isEmpty, "seed \(seed): \(anomalies)\n\(history)")
      } else {
        tally.rejected += 1
        if anomalies.isEmpty { tally.missed += 1 }
        if isComplete { #expect(!anomalies.isEmpty, "seed \(seed): missed\n\(history)") }
      }
    }
    return tally
  }

  @Test(arguments: 0..<5)
  func `with the versions of all commits the checker decides`(part: UInt64) {
    let tally = compare(part: part, isComplete: true) { generator in
      var history = SmallHistory.make(using: &generator)
      SmallHistory.spoil(&history, using: &generator)
      return history
    }
    #expect(tally.accepted > 100 && tally.rejected > 100, "\(tally)")
  }

  @Test(arguments: 0..<5)
  func `with lists that have been read to the end the checker decides`(part: UInt64) {
    let tally = compare(part: part, isComplete: true) { generator in
      var history = SmallHistory.makeLists(using: &generator)
      SmallHistory.spoil(&history, using: &generator)
      for number in history.transactions.indices { history.transactions[number].version = nil }
      return history
    }
    #expect(tally.accepted > 100 && tally.rejected > 100, "\(tally)")
  }

  @Test(arguments: 0..<5)
  func `without versions a register with one operation a transaction is decided`(part: UInt64) {
    let tally = compare(part: part, isComplete: true) { generator in
      var history = SmallHistory.makeRegister(using: &generator)
      SmallHistory.spoil(&history, using: &generator)
      return history
    }
    #expect(tally.accepted > 100 && tally.rejected > 100, "\(tally)")
  }

  @Test(arguments: 0..<5)
  func `without versions nothing is reported wrongly and little is missed`(part: UInt64) {
    let tally = compare(part: part, isComplete: false) { generator in
      var history = SmallHistory.make(using: &generator)
      SmallHistory.spoil(&history, using: &generator)
      for number in history.transactions.indices { history.transactions[number].version = nil }
      return history
    }
    #expect(tally.accepted > 100 && tally.missed * 20 < tally.rejected, "\(tally)")
  }
}

/// Histories of a handful of transactions.
enum SmallHistory {
  /// Registers and lists, with the versions of all commits.
  static func make(using generator: inout SeededGenerator) -> History {
    var options = SimulatedStore.Options.random(using: &generator)
    options.keyCount = Int.random(in: 1...3, using: &generator)
    options.listKeyCount = Int.random(in: 0...1, using: &generator)
    options.streamCount = 0
    options.versions = 4
    var store = SimulatedStore(options, using: generator)
    var history = store.history(transactions: Int.random(in: 2...6, using: &generator))
    for number in history.transactions.indices {
      let operations = history.transactions[number].operations
      if operations.allSatisfy({ $0.action == .read }) {
        history.transactions[number].version = nil
      }
      history.transactions[number].operations = operations.map { operation in
        operation.action == .read
          ? .read(operation.key, operation.value, version: nil) : operation
      }
    }
    // Real time, process order, both or none.
    if Bool.random(using: &generator) { forgetTimes(&history) }
    if Bool.random(using: &generator) {
      for number in history.transactions.indices { history.transactions[number].process = nil }
    }
    return history
  }

  /// Lists only, and a transaction that reads all of them in the end.
  static func makeLists(using generator: inout SeededGenerator) -> History {
    var options = SimulatedStore.Options.random(using: &generator)
    options.keyCount = Int.random(in: 1...2, using: &generator)
    options.listKeyCount = options.keyCount
    options.streamCount = 0
    options.versions = 0
    options.unknowns = 0
    var store = SimulatedStore(options, using: generator)
    var history = store.history(transactions: Int.random(in: 2...5, using: &generator))
    if Bool.random(using: &generator) { forgetTimes(&history) }
    var lists: [String: [Int]] = [:]
    for transaction in history.transactions {
      for operation in transaction.operations {
        guard case .list(let list) = operation.value, transaction.outcome == .committed else {
          continue
        }
        if list.count > lists[operation.key]?.count ?? -1 { lists[operation.key] = list }
      }
    }
    // Appends that nobody has read by then would not be ordered.
    let committed = history.transactions.filter { $0.outcome == .committed }
    let isRead = committed.flatMap(\.operations).allSatisfy { operation in
      guard operation.action == .append, case .register(let value) = operation.value else {
        return true
      }
      return lists[operation.key]?.contains(value) ?? false
    }
    return isRead ? history : makeLists(using: &generator)
  }

  /// One register, one operation a transaction, real time and nothing else.
  static func makeRegister(using generator: inout SeededGenerator) -> History {
    var options = SimulatedStore.Options()
    options.keyCount = 1
    options.listKeyCount = 0
    options.streamCount = 0
    options.processCount = 4
    options.versions = 0
    var store = SimulatedStore(options, using: generator)
    var history = store.history(transactions: Int.random(in: 3...7, using: &generator))
    generator = SeededGenerator(seed: generator.next())
    for number in history.transactions.indices {
      history.transactions[number].process = nil
      let operations = history.transactions[number].operations
      // The first operation if it is a read, else the last: both are seen by others.
      let kept = operations.first?.action == .read ? operations.first : operations.last
      history.transactions[number].operations = kept.map { [$0] } ?? []
    }
    // A value whose write has been left out is replaced by one that is left.
    let writes = history.transactions.flatMap(\.operations).filter { $0.action == .write }
    let written = Set(writes.map(\.value))
    for number in history.transactions.indices {
      for operation in history.transactions[number].operations
      where operation.action == .read && !written.contains(operation.value) {
        let value = writes.randomElement(using: &generator)?.value ?? .register(0)
        history.transactions[number].operations = [.read("k0", value, version: nil)]
      }
    }
    return history
  }

  /// Changes one or two reads or times, or nothing.
  static func spoil(_ history: inout History, using generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let number = Int.random(in: history.transactions.indices, using: &generator)
      if Bool.random(using: &generator), history.transactions[number].begin != 0 {
        let end = UInt64.random(in: 1...30, using: &generator)
        history.transactions[number].begin = UInt64.random(in: 1...end, using: &generator)
        history.transactions[number].end = end
      } else {
        spoilRead(&history.transactions[number], history, using: &generator)
      }
    }
  }

  private static func spoilRead(
    _ transaction: inout History.Transaction, _ history: History,
    using generator: inout SeededGenerator
  ) {
    let reads = transaction.operations.indices.filter { transaction.operations[$0].action == .read }
    guard let place = reads.randomElement(using: &generator) else { return }
    let key = transaction.operations[place].key
    var seen = history.transactions.flatMap(\.operations).filter { $0.key == key }.compactMap {
      $0.action == .append ? nil : $0.value
    }
    if case .list(let list) = transaction.operations[place].value {
      seen += [.list([]), .list(list.dropLast()), .list(list.reversed())]
    } else {
      seen.append(.register(0))
    }
    guard let value = seen.randomElement(using: &generator) else { return }
    transaction.operations[place] = .read(key, value, version: nil)
  }

  private static func forgetTimes(_ history: inout History) {
    for number in history.transactions.indices {
      history.transactions[number].begin = 0
      history.transactions[number].end = .max
    }
  }
}
