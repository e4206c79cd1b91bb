// What each transaction read from others, and whether it agrees with itself.

extension HistoryChecker {
  /// What a transaction knows of a key so far.
  private struct Knowledge {
    /// The transaction; knowledge of another one is void.
    var transaction = -1
    /// The operation that it is from.
    var operation = 0
    /// The value of a register.
    var value = 0
    /// The version that was read from another transaction, until it is replaced; -1 if none was.
    var external = -1
    /// What the list was without the own elements, once it has been read.
    var base: ArraySlice<Int>?
    /// The own elements of a list.
    var own: [Int] = []
  }

  /// Follows every transaction step by step.
  ///
  /// - Complexity: O(operations and lengths of lists).
  func replayTransactions() {
    var knowledge = Array(repeating: Knowledge(), count: index.keys.count)
    var place = 0
    for (number, transaction) in history.transactions.enumerated() {
      let first = place
      place += transaction.operations.count
      guard isReader(number) else { continue }
      for step in transaction.operations.indices {
        let key = index.operationKeys[first + step]
        guard key >= 0 else { continue }
        if knowledge[key].transaction != number {
          knowledge[key] = Knowledge(transaction: number, operation: -1)
        }
        replay(number, step, key, &knowledge[key])
      }
      noteVersion(of: number, transaction)
    }
  }

  private func replay(
    _ number: Int, _ step: Int, _ key: Int, _ known: inout Knowledge
  ) {
    let operation = history.transactions[number].operations[step]
    switch (operation.action, operation.value) {
    case (.read, .register(let value)):
      if known.operation < 0 {
        known.external = readRegister(key, value, reader: number, version: operation.version) ?? -1
      } else if known.value != value {
        reportInternal(number, known.operation, step, key)
      }
      known.value = value
      known.operation = step
    case (.write, .register(let value)):
      if known.external >= 0, let version = index.version(of: key, value) {
        addUpdate(known.external, version, number)
      }
      known.value = value
      known.operation = step
    case (.read, .list(let list)):
      replay(list, number, step, key, &known)
      known.operation = step
    case (.append, .register(let value)):
      known.own.append(value)
      known.operation = step
    default:
      preconditionFailure("a \(operation.action) of \(operation.value)")
    }
  }

  /// Notes that a transaction replaced what it had read; its last write is the one that counts.
  private func addUpdate(_ read: Int, _ written: Int, _ transaction: Int) {
    let version = index.versions[written]
    guard index.isEffective[transaction], version.writer == transaction,
      !version.isIntermediate, !version.isAmbiguous
    else { return }
    updates.append((read, written))
  }

  private func replay(
    _ list: [Int], _ number: Int, _ step: Int, _ key: Int, _ known: inout Knowledge
  ) {
    statistics.visits += list.count
    let baseCount = list.count - known.own.count
    guard baseCount >= 0, list.suffix(known.own.count).elementsEqual(known.own),
      known.base == nil || known.base == list.prefix(baseCount)
    else { return reportInternal(number, known.operation, step, key) }
    guard known.base == nil else { return }
    known.base = list.prefix(baseCount)
    // Nobody else sees what an aborted transaction appended.
    let seen = index.isEffective[number] ? list : Array(list.prefix(baseCount))
    listReads.append(
      ListRead(
        reader: number, key: key, list: seen, externalCount: baseCount,
        version: history.transactions[number].operations[step].version))
  }

  /// Notes what the version of a transaction says of the values that it wrote.
  private func noteVersion(of number: Int, _ transaction: History.Transaction) {
    guard let version = transaction.version, index.isEffective[number] else { return }
    for operation in transaction.operations where operation.action != .read {
      guard case .register(let value) = operation.value,
        let key = index.key(named: operation.key),
        let written = index.version(of: key, value), index.versions[written].writer == number,
        !index.versions[written].isIntermediate
      else { continue }
      order.note(written, at: version)
    }
  }
}

// MARK: - Reads from others

extension HistoryChecker {
  /// Finds out who wrote what an operation saw of a register, and reports it if nobody can have.
  ///
  /// - Returns: The version, if it can be used for the order of transactions.
  func readRegister(
    _ key: Int, _ value: Int, reader: Int, version: UInt64?
  ) -> Int? {
    guard let read = index.version(of: key, value) else {
      report(
        reader < history.transactions.count ? .unknownValue : .brokenStream, [reader], about: key,
        "\(name(of: reader)) \(read(reader)) \(index.keys[key].name) = \(value), "
          + "which nobody wrote")
      return nil
    }
    guard admit(read, reader: reader) else { return nil }
    observations.append(Observation(reader: reader, version: read))
    if let version = version ?? versionOfReads(reader) { order.note(read, at: version) }
    return read
  }

  /// The version at which an operation read, if it is a transaction that wrote nothing.
  func versionOfReads(_ reader: Int) -> UInt64? {
    reader < versionsOfReads.count ? versionsOfReads[reader] : nil
  }

  /// Whether a version could be seen at all by an operation; reports it if not.
  func admit(_ version: Int, reader: Int) -> Bool {
    let read = index.versions[version]
    if read.isAmbiguous { return false }
    guard read.writer >= 0 else { return true }
    let isTransaction = reader < history.transactions.count
    if read.writer == reader {
      report(
        .internal, [reader], about: read.key,
        "\(name(of: reader)) \(self.read(version, by: reader)), which it wrote only later")
      return false
    }
    if !index.isEffective[read.writer] {
      reportPair(
        isTransaction ? .g1a : .brokenStream, version, reader, "\(wrote(version)) and aborted")
      return false
    }
    if read.isIntermediate {
      reportPair(
        isTransaction ? .g1b : .brokenStream, version, reader,
        "\(wrote(version)) and then wrote it again")
      return false
    }
    return true
  }
}
