/// A history in numbers: keys and values interned, and who wrote what.
struct HistoryIndex {
  /// A key.
  struct Key {
    let name: String
    let isList: Bool
    /// The version that no transaction wrote.
    let initial: Int
    /// The versions that took effect: of a register the last write of each transaction, of a list
    /// all appends.
    var versions: [Int] = []
  }

  /// A value that a key had, or an element that was appended to it.
  struct Version {
    let key: Int
    /// The value, or the element; nil for an empty list.
    let value: Int?
    /// The transaction that wrote it, -1 if none did.
    let writer: Int
    /// Whether its transaction wrote the key again.
    var isIntermediate = false
    /// Whether it has been written twice, so that nothing follows from reading it.
    var isAmbiguous = false
  }

  private struct KeyedValue: Hashable {
    let key: Int
    let value: Int
  }

  private(set) var keys: [Key] = []
  private(set) var versions: [Version] = []
  /// The keys of all operations, transaction by transaction; -1 for one that is used wrongly.
  private(set) var operationKeys: [Int] = []
  /// The keys of the streams; -1 for one that is used wrongly, or unknown.
  private(set) var streamKeys: [Int] = []
  /// Whether a transaction's writes took effect.
  private(set) var isEffective: [Bool] = []
  /// The values that were written twice: the version, and the transaction that wrote it again.
  private(set) var repeatedWrites: [(version: Int, transaction: Int)] = []
  /// The keys that are used both as a register and as a list.
  private(set) var mixedKeys: Set<String> = []

  private var keyOfName: [String: Int] = [:]
  private var versionOfValue: [KeyedValue: Int] = [:]

  /// Interns a history.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - includesAbortedReads: Whether aborted transactions count as readers.
  /// - Complexity: O(operations and stream elements).
  init(_ history: History, includesAbortedReads: Bool) {
    for (number, transaction) in history.transactions.enumerated() {
      intern(transaction, number, history.initialValues)
    }
    for stream in history.streams {
      guard let first = stream.elements.first else {
        streamKeys.append(keyOfName[stream.key] ?? -1)
        continue
      }
      streamKeys.append(
        intern(stream.key, isList: first.value.isList, history.initialValues))
    }
    decideEffects(history, includesAbortedReads: includesAbortedReads)
    for (number, version) in versions.enumerated()
    where version.writer >= 0 && isEffective[version.writer] && !version.isAmbiguous {
      if version.isIntermediate, !keys[version.key].isList { continue }
      keys[version.key].versions.append(number)
    }
  }

  /// The version that a value of a register, or an element of a list, stands for.
  func version(of key: Int, _ value: Int) -> Int? {
    versionOfValue[KeyedValue(key: key, value: value)]
  }

  /// The key with a name.
  func key(named name: String) -> Int? {
    keyOfName[name]
  }

  private mutating func intern(
    _ transaction: History.Transaction, _ number: Int, _ initialValues: [String: Int]
  ) {
    let firstVersion = versions.count
    for operation in transaction.operations {
      let isList = operation.action == .append || operation.value.isList
      let key = intern(operation.key, isList: isList, initialValues)
      operationKeys.append(key)
      guard key >= 0, operation.action != .read, case .register(let value) = operation.value
      else { continue }
      addVersion(of: key, value, writer: number)
    }
    markIntermediate(from: firstVersion)
  }

  /// Marks which of the versions of one transaction, the last ones, were written over by it.
  private mutating func markIntermediate(from first: Int) {
    guard versions.count - first > 1 else { return }
    var seen: Set<Int> = []
    for number in (first..<versions.count).reversed() where versions[number].writer >= 0 {
      if !seen.insert(versions[number].key).inserted { versions[number].isIntermediate = true }
    }
  }

  private mutating func intern(
    _ name: String, isList: Bool, _ initialValues: [String: Int]
  ) -> Int {
    if let key = keyOfName[name] {
      if keys[key].isList == isList { return key }
      mixedKeys.insert(name)
      return -1
    }
    let key = keys.count
    let value = isList ? nil : initialValues[name] ?? 0
    keyOfName[name] = key
    keys.append(Key(name: name, isList: isList, initial: versions.count))
    if let value { versionOfValue[KeyedValue(key: key, value: value)] = versions.count }
    versions.append(Version(key: key, value: value, writer: -1))
    return key
  }

  private mutating func addVersion(of key: Int, _ value: Int, writer: Int) {
    let keyed = KeyedValue(key: key, value: value)
    if let earlier = versionOfValue[keyed] {
      versions[earlier].isAmbiguous = true
      repeatedWrites.append((earlier, writer))
      return
    }
    versionOfValue[keyed] = versions.count
    versions.append(Version(key: key, value: value, writer: writer))
  }
}

// MARK: - Unknown outcomes

extension HistoryIndex {
  /// Decides which transactions took effect: those that committed, and of those with an unknown
  /// outcome the ones that somebody saw who counts.
  private mutating func decideEffects(_ history: History, includesAbortedReads: Bool) {
    isEffective = history.transactions.map { $0.outcome == .committed }
    guard history.transactions.contains(where: { $0.outcome == .unknown }) else { return }
    var found: [Int] = []
    for stream in history.streams.indices where streamKeys[stream] >= 0 {
      for element in history.streams[stream].elements {
        seeWriters(of: streamKeys[stream], element.value, history, &found)
      }
    }
    var starts: [Int] = []
    var start = 0
    for transaction in history.transactions {
      starts.append(start)
      start += transaction.operations.count
    }
    for (number, transaction) in history.transactions.enumerated()
    where isEffective[number] || includesAbortedReads && transaction.outcome == .aborted {
      found.append(number)
    }
    while let number = found.popLast() {
      for (place, operation) in history.transactions[number].operations.enumerated()
      where operation.action == .read && operationKeys[starts[number] + place] >= 0 {
        let key = operationKeys[starts[number] + place]
        seeWriters(of: key, operation.value, history, &found)
      }
    }
  }

  /// Adds the writers with an unknown outcome whom a read proves to have taken effect.
  private mutating func seeWriters(
    of key: Int, _ value: History.Value, _ history: History, _ found: inout [Int]
  ) {
    for element in value.elements {
      guard let version = version(of: key, element), versions[version].writer >= 0 else { continue }
      let writer = versions[version].writer
      guard history.transactions[writer].outcome == .unknown, !isEffective[writer] else { continue }
      isEffective[writer] = true
      found.append(writer)
    }
  }
}

extension History.Value {
  /// Whether it is that of a list.
  var isList: Bool {
    if case .list = self { true } else { false }
  }

  /// What names the writers: the value of a register, or the elements of a list.
  var elements: [Int] {
    switch self {
    case .register(let value): [value]
    case .list(let list): list
    }
  }
}
