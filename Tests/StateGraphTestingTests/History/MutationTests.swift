import StateGraphTesting
import Testing

/// A valid history with one fault put in is rejected.
@Suite struct MutationTests {
  /// Puts a fault into 200 histories and expects that each is found.
  ///
  /// - Parameter mutate: Puts the fault in; false if the history has no place for it.
  func expectFound(_ mutate: (inout Mutation) -> Bool) {
    var count = 0
    for seed in 0..<UInt64(2_000) {
      var generator = SeededGenerator(seed: seed)
      var options = SimulatedStore.Options.random(using: &generator)
      options.versions = 4
      options.unknowns = 0
      var store = SimulatedStore(options, using: generator)
      var mutation = Mutation(store.history(transactions: 30), SeededGenerator(seed: ~seed))
      guard mutate(&mutation) else { continue }
      count += 1
      let isFound = !mutation.history.anomalies().isEmpty
      #expect(isFound, "seed \(seed): missed\n\(mutation.history)")
      if count == 200 { return }
    }
    Issue.record("only \(count) of 200 histories have a place for the fault")
  }

  @Test func `a read that is replaced by an overwritten value is found`() {
    expectFound { $0.readStale() }
  }

  @Test func `a read that is replaced by a later value is found`() {
    expectFound { $0.readFuture() }
  }

  @Test func `reads of two keys that are made half of a commit are found without any time`() {
    expectFound { $0.readHalf() }
  }

  @Test func `a write that is dropped though somebody read it is found`() {
    expectFound { $0.dropWrite() }
  }

  @Test func `a commit that is declared aborted though somebody read it is found`() {
    expectFound { $0.abort() }
  }

  @Test func `an element that is taken out of a list that was read is found`() {
    expectFound { $0.dropElement() }
  }

  @Test func `an element of a stream that is moved is found`() {
    expectFound { $0.moveElement() }
  }

  @Test func `an element of a stream that is doubled is found`() {
    expectFound { $0.doubleElement() }
  }

  @Test func `a last element of a stream that is taken away is found`() {
    expectFound { $0.dropLastElement() }
  }
}

/// A history, and what is needed to put faults into it.
struct Mutation {
  var history: History
  private var generator: SeededGenerator
  /// The values of each register in order, each with the transaction that wrote it.
  private var values: [String: [(value: Int, writer: Int?)]] = [:]

  init(_ history: History, _ generator: SeededGenerator) {
    self.history = history
    self.generator = generator
    let committed = history.transactions.indices.filter {
      history.transactions[$0].outcome == .committed && history.transactions[$0].version != nil
    }
    let ordered = committed.sorted {
      history.transactions[$0].version ?? 0 < history.transactions[$1].version ?? 0
    }
    for number in ordered {
      var last: [String: Int] = [:]
      for operation in history.transactions[number].operations where operation.action == .write {
        if case .register(let value) = operation.value { last[operation.key] = value }
      }
      for (key, value) in last { values[key, default: [(0, nil)]].append((value, number)) }
    }
  }

  /// A read of a register from others, with the place of its value among those of the key.
  private struct Read {
    let transaction: Int
    let key: String
    let value: Int
    let place: Int
  }

  private func reads() -> [Read] {
    var reads: [Read] = []
    for (number, transaction) in history.transactions.enumerated()
    where transaction.outcome == .committed {
      var known: Set<String> = []
      for operation in transaction.operations where known.insert(operation.key).inserted {
        guard operation.action == .read, case .register(let value) = operation.value,
          let place = values[operation.key]?.firstIndex(where: { $0.value == value })
        else { continue }
        reads.append(Read(transaction: number, key: operation.key, value: value, place: place))
      }
    }
    return reads
  }

  /// Replaces all that a transaction read of a value.
  private mutating func replace(_ read: Read, by value: Int) {
    history.transactions[read.transaction].operations =
      history.transactions[read.transaction].operations.map { operation in
        operation == .read(operation.key, read.value, version: operation.version)
          && operation.key == read.key ? .read(read.key, value) : operation
      }
  }

  mutating func readStale() -> Bool {
    for read in reads().shuffled(using: &generator) {
      let begin = history.transactions[read.transaction].begin
      let stale = values[read.key, default: []].indices.dropFirst().filter { place in
        let writer = values[read.key]?[place].writer
        return place <= read.place && writer.map { history.transactions[$0].end < begin } ?? false
      }
      // The value before one whose writer had ended.
      guard let place = stale.randomElement(using: &generator), let all = values[read.key]
      else { continue }
      replace(read, by: all[place - 1].value)
      return true
    }
    return false
  }

  mutating func readFuture() -> Bool {
    for read in reads().shuffled(using: &generator) {
      let end = history.transactions[read.transaction].end
      let later = values[read.key, default: []].filter {
        $0.writer.map { history.transactions[$0].begin > end } ?? false
      }
      guard let value = later.randomElement(using: &generator)?.value else { continue }
      replace(read, by: value)
      return true
    }
    return false
  }

  mutating func readHalf() -> Bool {
    for number in history.transactions.indices {
      history.transactions[number].begin = 0
      history.transactions[number].end = .max
      history.transactions[number].process = nil
    }
    for read in reads().shuffled(using: &generator) {
      guard let writer = values[read.key]?[read.place].writer else { continue }
      for other in reads()
      where other.transaction == read.transaction && other.key != read.key {
        guard let all = values[other.key],
          let place = all.firstIndex(where: { $0.writer == writer }), place > 0
        else { continue }
        replace(other, by: all[place - 1].value)
        return true
      }
    }
    return false
  }

  /// The writes whose values a committed transaction has read from another one.
  private func seenWrites() -> [(transaction: Int, place: Int)] {
    let seen = Set(reads().map { History.Operation.write($0.key, $0.value) })
    var writes: [(transaction: Int, place: Int)] = []
    for (number, transaction) in history.transactions.enumerated() {
      for (place, operation) in transaction.operations.enumerated() where seen.contains(operation) {
        writes.append((number, place))
      }
    }
    return writes
  }

  mutating func dropWrite() -> Bool {
    guard let (number, place) = seenWrites().randomElement(using: &generator) else { return false }
    history.transactions[number].operations.remove(at: place)
    return true
  }

  mutating func abort() -> Bool {
    guard let (number, _) = seenWrites().randomElement(using: &generator) else { return false }
    history.transactions[number].outcome = .aborted
    return true
  }

  mutating func dropElement() -> Bool {
    for number in history.transactions.indices.shuffled(using: &generator)
    where history.transactions[number].outcome == .committed {
      for place in history.transactions[number].operations.indices {
        let operation = history.transactions[number].operations[place]
        guard case .list(var list) = operation.value, list.count > 1 else { continue }
        list.remove(at: Int.random(in: 0..<list.count - 1, using: &generator))
        history.transactions[number].operations[place] = .read(operation.key, list)
        return true
      }
    }
    return false
  }

  /// A stream with at least so many elements.
  private mutating func stream(_ count: Int) -> Int? {
    history.streams.indices.filter { history.streams[$0].elements.count >= count }
      .randomElement(using: &generator)
  }

  mutating func moveElement() -> Bool {
    guard let number = stream(2) else { return false }
    let elements = history.streams[number].elements
    let place = Int.random(in: 1..<elements.count, using: &generator)
    history.streams[number].elements[place - 1].value = elements[place].value
    history.streams[number].elements[place].value = elements[place - 1].value
    return true
  }

  mutating func doubleElement() -> Bool {
    guard let number = stream(1) else { return false }
    let place = Int.random(in: history.streams[number].elements.indices, using: &generator)
    history.streams[number].elements.insert(history.streams[number].elements[place], at: place)
    return true
  }

  mutating func dropLastElement() -> Bool {
    guard let number = stream(2), history.streams[number].end != .left else { return false }
    history.streams[number].elements.removeLast()
    return true
  }
}
