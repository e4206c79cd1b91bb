import StateGraph

// What is checked of a stream by itself. Its place among the transactions is checked by cycles.

extension HistoryChecker {
  /// Finds out who wrote the elements of the streams.
  func replayStreams() {
    elementVersions = Array(repeating: -1, count: edges.operationCount - history.transactions.count)
    for (number, stream) in history.streams.enumerated() where index.streamKeys[number] >= 0 {
      let key = index.streamKeys[number]
      for (place, element) in stream.elements.enumerated() {
        let operation = firstElements[number] + place
        guard element.value.isList == index.keys[key].isList else {
          report(
            .malformed, [operation], about: key,
            "\(name(of: operation)) has a \(element.value.isList ? "list" : "single value") for "
              + "\(stream.key), unlike the elements before or the transactions")
          continue
        }
        replay(element, operation, key)
      }
    }
  }

  private func replay(_ element: History.Stream.Element, _ operation: Int, _ key: Int) {
    switch element.value {
    case .register(let value):
      let read = readRegister(key, value, reader: operation, version: element.version)
      if let read { setVersion(read, of: operation) }
    case .list(let list):
      statistics.visits += list.count
      listReads.append(
        ListRead(
          reader: operation, key: key, list: list, externalCount: list.count,
          version: element.version))
    }
  }

  /// The version that a stream element delivered, if it can be used.
  func version(ofElement operation: Int) -> Int? {
    let version = elementVersions[operation - history.transactions.count]
    return version < 0 ? nil : version
  }

  func setVersion(_ version: Int, of operation: Int) {
    guard operation >= history.transactions.count else { return }
    elementVersions[operation - history.transactions.count] = version
  }

  /// Checks the order, the gaps and the end of every stream, as far as the order of values is
  /// known.
  func checkStreams() {
    for number in history.streams.indices {
      guard index.streamKeys[number] >= 0 else {
        checkNotEmpty(number)
        continue
      }
      if checkSteps(number) { addStreamOrder(number) }
      checkEnd(number)
    }
  }

  /// Compares each element with the one before; false if something is wrong.
  private func checkSteps(_ number: Int) -> Bool {
    let elements = history.streams[number].elements
    var isGood = true
    for place in elements.indices.dropFirst() {
      let operation = firstElements[number] + place
      guard let before = version(ofElement: operation - 1),
        let version = version(ofElement: operation)
      else { continue }
      if let fault = fault(number, operation, from: before, to: version) {
        isGood = false
        let key = index.versions[version].key
        report(fault.kind, [operation - 1, operation], about: key, fault.text)
      }
    }
    return isGood
  }

  /// What is wrong between an element and the one before.
  private func fault(
    _ number: Int, _ operation: Int, from before: Int, to version: Int
  ) -> (kind: Anomaly.Kind, text: String)? {
    let stream = history.streams[number]
    let place = operation - firstElements[number]
    var pair: String {
      "\(name(of: operation - 1)) \(read(before, by: operation - 1)), "
        + "then \(name(of: operation)) \(read(version, by: operation))"
    }
    if before == version { return (.brokenStream, "\(pair): the same twice") }
    if let old = stream.elements[place - 1].version, let new = stream.elements[place].version,
      old >= new
    {
      return (.outOfOrderStream, "\(pair): version \(old), then version \(new)")
    }
    guard let old = order.rank(of: before), let new = order.rank(of: version) else { return nil }
    if new < old { return (.outOfOrderStream, "\(pair), which is earlier") }
    if stream.buffering == .unbounded, new > old + 1 {
      let missing = order.versions(of: index.versions[version].key)[old + 1]
      return (.brokenStream, "\(pair), without \(text(of: missing)) in between")
    }
    return nil
  }

  /// Checks that a stream did not end too early.
  private func checkEnd(_ number: Int) {
    let stream = history.streams[number]
    let key = index.streamKeys[number]
    guard stream.end != .left else { return }
    guard checkNotEmpty(number) else { return }
    let last = firstElements[number] + stream.elements.count - 1
    guard let version = version(ofElement: last) else { return }
    let successor = order.rank(of: version) == nil ? order.someSuccessor(of: version) : nil
    let final = order.rank(of: version).map { _ in order.versions(of: key).last ?? version }
    if let later = successor ?? final, later != version {
      report(
        .missingLastElement, [last, index.versions[later].writer], about: key,
        "S\(number + 1) ended with \(name(of: last)), which \(read(version, by: last)), yet "
          + "\(name(of: index.versions[later].writer)) \(wrote(later)) later")
    } else if order.rank(of: version) == nil {
      checkCompleteness(number, key)
    }
  }

  /// Whether a stream has an element, as it must if it was drained.
  @discardableResult
  private func checkNotEmpty(_ number: Int) -> Bool {
    let stream = history.streams[number]
    if stream.elements.isEmpty, stream.end == .drained {
      report(
        .missingLastElement, [], about: nil,
        "S\(number + 1) of \(stream.key) was drained and had no element")
    }
    return !stream.elements.isEmpty
  }

  /// Checks that a stream of everything has everything, where the order of values is not known.
  private func checkCompleteness(_ number: Int, _ key: Int) {
    let stream = history.streams[number]
    let operations = firstElements[number]..<firstElements[number] + stream.elements.count
    guard stream.buffering == .unbounded, let first = operations.first,
      version(ofElement: first) == index.keys[key].initial
    else { return }
    let delivered = Set(operations.compactMap { version(ofElement: $0) })
    for version in index.keys[key].versions
    where !delivered.contains(version) && !index.versions[version].isIntermediate {
      let writer = index.versions[version].writer
      return report(
        .brokenStream, [operations.upperBound - 1, writer], about: key,
        "S\(number + 1) delivered every change, yet not that \(name(of: writer)) \(wrote(version))")
    }
  }

  /// Adds what the order of the elements of a stream says of the order of versions.
  private func addStreamOrder(_ number: Int) {
    for place in history.streams[number].elements.indices.dropFirst() {
      let operation = firstElements[number] + place
      guard let before = version(ofElement: operation - 1),
        let version = version(ofElement: operation)
      else { continue }
      edges.add(.stream, from: operation - 1, to: operation)
      if order.rank(of: version) == nil { addStep(.streamStep, from: before, to: version) }
    }
  }
}
