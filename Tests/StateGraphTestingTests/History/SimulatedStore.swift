import StateGraph
import StateGraphTesting

/// A strictly serialisable store and the processes that use it, all simulated: makes histories that
/// are valid by construction.
///
/// Each transaction begins, takes effect and ends in three steps of its own, and in between others
/// do the same, so that intervals overlap at random. What a transaction does, it does in one step.
struct SimulatedStore {
  private struct Process {
    var number: Int
    var transaction: Int?
    var hasTakenEffect = false
  }

  private struct Follower {
    var stream: History.Stream
    let recordsVersions: Bool
    var hasBegun = false
    var hasSubscribed = false
    /// What has been published and not been delivered.
    var buffer: [(value: History.Value, version: UInt64)] = []
  }

  let options: Options
  private var generator: SeededGenerator
  private var values: [String: History.Value] = [:]
  private var version: UInt64 = 0
  private var time: UInt64 = 0
  private var lastValue = 0
  private var transactions: [History.Transaction] = []
  private var processes: [Process] = []
  private var processCount = 0
  private var followers: [Follower] = []
  /// Transactions with an unknown outcome that have not taken effect, and may at any time.
  private var floating: [Int] = []

  /// Prepares a simulation.
  init(_ options: Options, using generator: SeededGenerator) {
    self.options = options
    self.generator = generator
    for key in 0..<options.keyCount { values[name(key)] = isList(key) ? .list([]) : .register(0) }
    for _ in 0..<options.processCount { processes.append(makeProcess()) }
    for _ in 0..<options.streamCount { followers.append(makeFollower()) }
  }

  /// Simulates until there are so many transactions.
  mutating func history(transactions count: Int) -> History {
    while transactions.count < count || processes.contains(where: { $0.transaction != nil }) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where !followers.isEmpty: follow(random(followers.count))
      case 1 where !floating.isEmpty: takeFloatingEffect()
      default: step(random(processes.count), mayBegin: transactions.count < count)
      }
    }
    finishStreams()
    return History(transactions, streams: followers.map(\.stream))
  }

  private func name(_ key: Int) -> String { "k\(key)" }
  private func isList(_ key: Int) -> Bool { key < options.listKeyCount }
  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
  private mutating func chance(_ part: Int, of whole: Int) -> Bool { random(whole) < part }

  private mutating func tick() -> UInt64 {
    time += 1
    return time
  }
}

// MARK: - Transactions

extension SimulatedStore {
  private mutating func makeProcess() -> Process {
    processCount += 1
    return Process(number: processCount)
  }

  private mutating func step(_ place: Int, mayBegin: Bool) {
    guard let number = processes[place].transaction else {
      guard mayBegin else { return }
      begin(place)
      return
    }
    if processes[place].hasTakenEffect { return end(place) }
    if transactions[number].outcome == .unknown {
      floating.append(number)
      return end(place)
    }
    takeEffect(number)
    processes[place].hasTakenEffect = true
  }

  private mutating func begin(_ place: Int) {
    let kind = random(20)
    let outcome: History.Outcome =
      kind < options.aborts
      ? .aborted : kind < options.aborts + options.unknowns ? .unknown : .committed
    processes[place].transaction = transactions.count
    processes[place].hasTakenEffect = false
    let time = tick()
    transactions.append(
      History.Transaction(
        process: processes[place].number, time: time...UInt64.max, outcome: outcome))
  }

  private mutating func end(_ place: Int) {
    guard let number = processes[place].transaction else { return }
    processes[place].transaction = nil
    transactions[number].end = tick()
    // Who does not know how its transaction ended does nothing any more.
    if transactions[number].outcome == .unknown { processes[place] = makeProcess() }
  }

  private mutating func takeFloatingEffect() {
    let number = floating.remove(at: random(floating.count))
    if chance(1, of: 2) { takeEffect(number) }
  }

  /// Performs a transaction in one step.
  private mutating func takeEffect(_ number: Int) {
    var own = values
    var written: Set<String> = []
    for _ in 0...random(4) { perform(random(options.keyCount), number, &own, &written) }
    let isCommitted = transactions[number].outcome != .aborted
    if isCommitted, !written.isEmpty {
      version += 1
      values = own
      for key in written.sorted() { publish(key) }
    }
    if isCommitted, chance(options.versions, of: 4) { transactions[number].version = version }
    transactions[number].isWait = written.isEmpty && chance(1, of: 4)
  }

  private mutating func perform(
    _ key: Int, _ number: Int, _ own: inout [String: History.Value], _ written: inout Set<String>
  ) {
    let name = name(key)
    let writes = chance(1, of: 2)
    if !writes || !chance(options.blindWrites, of: 4), let value = own[name] {
      let isRecorded = !written.contains(name) && chance(options.versions, of: 16)
      transactions[number].operations.append(
        .read(name, value, version: isRecorded ? version : nil))
    }
    guard writes, let value = own[name] else { return }
    lastValue += 1
    written.insert(name)
    switch value {
    case .register:
      own[name] = .register(lastValue)
      transactions[number].operations.append(.write(name, lastValue))
    case .list(let list):
      own[name] = .list(list + [lastValue])
      transactions[number].operations.append(.append(name, lastValue))
    }
  }
}

extension History.Operation {
  /// A read of either kind of key.
  static func read(_ key: String, _ value: History.Value, version: UInt64?) -> Self {
    switch value {
    case .register(let value): .read(key, value, version: version)
    case .list(let list): .read(key, list, version: version)
    }
  }
}

// MARK: - Streams

extension SimulatedStore {
  private mutating func makeFollower() -> Follower {
    let buffering: [GraphBuffering] = [.unbounded, .latest, .newest(2)]
    return Follower(
      stream: History.Stream(
        of: name(random(options.keyCount)), buffering: buffering[random(3)], []),
      recordsVersions: chance(options.versions, of: 4))
  }

  private mutating func publish(_ key: String) {
    guard let value = values[key] else { return }
    for place in followers.indices
    where followers[place].hasSubscribed && followers[place].stream.key == key
      && followers[place].stream.buffering != .latest
    {
      followers[place].buffer.append((value, version))
      if followers[place].stream.buffering != .unbounded, followers[place].buffer.count > 2 {
        followers[place].buffer.removeFirst()
      }
    }
  }

  /// One step of a stream: it is asked for, takes the current value, or delivers.
  private mutating func follow(_ place: Int) {
    if !followers[place].hasBegun {
      followers[place].hasBegun = true
      followers[place].stream.begin = tick()
    } else if !followers[place].buffer.isEmpty {
      deliver(place)
    } else if !followers[place].hasSubscribed {
      followers[place].hasSubscribed = true
      takeCurrent(place)
    } else if followers[place].stream.buffering == .latest {
      takeCurrent(place)
    }
  }

  private mutating func takeCurrent(_ place: Int) {
    guard let value = values[followers[place].stream.key],
      followers[place].stream.elements.last?.value != value
    else { return }
    followers[place].buffer.append((value, version))
  }

  private mutating func deliver(_ place: Int) {
    let (value, version) = followers[place].buffer.removeFirst()
    let recorded = followers[place].recordsVersions ? version : nil
    let time = tick()
    switch value {
    case .register(let value):
      followers[place].stream.elements.append(.init(value, version: recorded, time: time))
    case .list(let list):
      followers[place].stream.elements.append(.init(list, version: recorded, time: time))
    }
  }

  private mutating func finishStreams() {
    for place in followers.indices where followers[place].hasBegun && chance(3, of: 4) {
      repeat { follow(place) } while !followers[place].buffer.isEmpty
      if followers[place].stream.buffering == .latest {
        follow(place)
        if !followers[place].buffer.isEmpty { deliver(place) }
      }
      followers[place].stream.end = chance(1, of: 2) ? .drained : .released
    }
  }
}
