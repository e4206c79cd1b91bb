// How anomalies are told and drawn.

extension HistoryChecker {
  /// Reports something that is no cycle.
  ///
  /// - Parameters:
  ///   - kind: What it is called.
  ///   - operations: The operations that show it.
  ///   - key: The key that it is about, if it is about one.
  ///   - text: What has happened.
  func report(
    _ kind: Anomaly.Kind, _ operations: [Int], about key: Int?, _ text: String
  ) {
    guard anomalies.count < limit else { return }
    add(kind, operations, keys: key.map { [$0] } ?? [], [text])
  }

  /// Reports a read of what should not have been seen.
  func reportPair(
    _ kind: Anomaly.Kind, _ version: Int, _ reader: Int, _ fault: String
  ) {
    guard anomalies.count < limit else { return }
    let writer = index.versions[version].writer
    let key = index.versions[version].key
    let arrow = "\(name(of: writer)) --wr(\(index.keys[key].name))--> \(name(of: reader))"
    let text =
      "\(arrow): \(name(of: writer)) \(fault); "
      + "\(name(of: reader)) \(read(version, by: reader))"
    add(kind, [writer, reader], keys: [key], [arrow, text])
  }

  /// Reports a transaction that read something else than it knew.
  func reportInternal(_ transaction: Int, _ earlier: Int, _ later: Int, _ key: Int) {
    guard anomalies.count < limit else { return }
    let operations = history.transactions[transaction].operations
    let before = earlier < 0 ? "" : "\(operations[earlier].text), then "
    add(
      .internal, [transaction], keys: [key],
      ["\(name(of: transaction)): \(before)\(operations[later].text)"])
  }

  /// Reports a cycle; of a long one only the ends.
  func report(_ kind: Anomaly.Kind, _ cycle: [CycleStep]) {
    let half = 8
    let isLong = cycle.count > 2 * half
    var drawing = [name(of: cycle[0].source)]
    var reasons: [String] = []
    var keys: [Int] = []
    for (place, step) in cycle.enumerated() {
      if isLong, place >= half, place < cycle.count - half {
        if place == half { drawing.append("  … \(cycle.count - 2 * half) more …") }
        continue
      }
      let part = "\(arrow(step)) \(name(of: step.target))"
      if drawing[drawing.count - 1].count + part.count < 90, place != cycle.count - half {
        drawing[drawing.count - 1] += " \(part)"
      } else {
        drawing.append("  \(part)")
      }
      reasons.append("\(name(of: step.source)) \(part): \(reason(for: step))")
      if let key = key(of: step), !keys.contains(key) { keys.append(key) }
    }
    let shown = isLong ? cycle.prefix(half) + cycle.suffix(half) : cycle[...]
    add(kind, shown.map(\.source), keys: keys, drawing + reasons, transactions: cycle.map(\.source))
  }

  private func add(
    _ kind: Anomaly.Kind, _ operations: [Int], keys: [Int], _ lines: [String],
    transactions: [Int]? = nil
  ) {
    let names = Set(keys.map { index.keys[$0].name })
    var legend: [String] = []
    for operation in operations where operation < history.transactions.count {
      let line = "\(name(of: operation)): \(history.transactions[operation].text(about: names))"
      if !legend.contains(line) { legend.append(line) }
    }
    let all = [kind.description] + (lines + legend).map { "  \($0)" }
    anomalies.append(
      Anomaly(
        kind: kind,
        transactions: (transactions ?? operations)
          .filter { $0 < history.transactions.count }.map { $0 + 1 },
        description: all.joined(separator: "\n")))
  }
}

// MARK: - Words

extension HistoryChecker {
  /// What messages call an operation: T1, or S1#1 for the first element of the first stream.
  func name(of operation: Int) -> String {
    guard operation >= history.transactions.count else { return "T\(operation + 1)" }
    // The last stream that begins at or before the operation; empty ones begin there, too.
    let stream = firstElements.lastIndex { $0 <= operation } ?? 0
    return "S\(stream + 1)#\(operation - firstElements[stream] + 1)"
  }

  /// That a version was written.
  func wrote(_ version: Int) -> String {
    let written = index.versions[version]
    let key = index.keys[written.key]
    guard key.isList, let value = written.value else { return "wrote \(text(of: version))" }
    return "appended \(value) to \(key.name)"
  }

  /// How an operation sees something: transactions read, streams deliver.
  func read(_ operation: Int) -> String {
    operation < history.transactions.count ? "read" : "delivered"
  }

  /// That a version was seen.
  func read(_ version: Int, by operation: Int) -> String {
    "\(read(operation)) \(text(of: version))"
  }

  /// A version: `x = 1`, or, for a list, `x up to 1`.
  func text(of version: Int) -> String {
    let key = index.keys[index.versions[version].key]
    guard let value = index.versions[version].value else { return "\(key.name) = []" }
    return key.isList ? "\(key.name) up to \(value)" : "\(key.name) = \(value)"
  }

  /// A list without its middle.
  func shortened(_ list: [Int]) -> String {
    History.Value.list(list).text
  }

  private func arrow(_ step: CycleStep) -> String {
    if let key = key(of: step) { return "--\(step.kind)(\(index.keys[key].name))-->" }
    switch step.kind {
    case .process:
      return "--process \(history.transactions[step.source].process ?? 0)-->"
    case .stream:
      return "--stream-->"
    default:
      return "--real time-->"
    }
  }

  private func reason(for step: CycleStep) -> String {
    let (source, target) = (name(of: step.source), name(of: step.target))
    guard let version = version(of: step) else {
      switch step.kind {
      case .process:
        return "process \(history.transactions[step.source].process ?? 0) ran them in this order"
      case .stream:
        return "the stream delivered them in this order"
      default:
        let (end, begin) = (ends[step.source], begins[step.target])
        return "\(source) had ended at \(end), \(target) began at \(begin)"
      }
    }
    switch step.kind {
    case .wr:
      return "\(source) \(wrote(version)); \(target) \(read(version, by: step.target))"
    default:
      let first = step.kind == .ww ? wrote(version) : read(version, by: step.source)
      guard let later = laterVersion(of: step, than: version) else { return "\(source) \(first)" }
      return "\(source) \(first); \(target) \(wrote(later)), which is later"
        + basis(step, version, later)
    }
  }

  /// What the target of a step wrote to the key.
  private func laterVersion(of step: CycleStep, than version: Int) -> Int? {
    let versions = index.keys[index.versions[version].key].versions
    return versions.first { index.versions[$0].writer == step.target }
  }

  /// Why one version is later than another, if it is not what is recorded with them.
  private func basis(_ step: CycleStep, _ version: Int, _ later: Int) -> String {
    switch step.basis {
    case .streamStep:
      return ", as a stream delivered it later"
    case .realTimeStep:
      let zones = zones()
      let (first, second) = (zones[version].firstToEnd, zones[later].lastToBegin)
      guard first >= 0, second >= 0 else { return "" }
      return ", as \(name(of: first)) had ended at \(ends[first]) with \(text(of: version)), "
        + "and \(name(of: second)) began at \(begins[second]) with \(text(of: later))"
    default:
      return ""
    }
  }
}

extension History.Operation {
  /// The operation in words.
  var text: String {
    switch action {
    case .read: "read \(key) = \(value.text)"
    case .write: "write \(key) = \(value.text)"
    case .append: "append \(value.text) to \(key)"
    }
  }
}

extension History.Value {
  /// The value; of a long list only the ends.
  var text: String {
    guard case .list(let list) = self, list.count > 9 else { return description }
    let ends = [list.prefix(4), list.suffix(4)].map { part in
      part.map(String.init).joined(separator: ", ")
    }
    return "[\(ends.joined(separator: ", …, "))]"
  }
}

extension History.Transaction {
  /// The transaction in words; of a long one only what concerns some keys.
  func text(about keys: Set<String>) -> String {
    let told = operations.count > 8 ? operations.filter { keys.contains($0.key) } : operations
    var parts = told.prefix(12).map(\.text)
    if parts.count < operations.count { parts.append("…") }
    if parts.isEmpty { parts.append("nothing") }
    var circumstances: [String] = []
    if isWait { circumstances.append("wait") }
    if let process { circumstances.append("process \(process)") }
    if begin != 0 || end != .max {
      circumstances.append("time \(begin)...\(end == .max ? "?" : "\(end)")")
    }
    if let version { circumstances.append("version \(version)") }
    if outcome != .committed { circumstances.append("\(outcome)") }
    let line = parts.joined(separator: ", ")
    return circumstances.isEmpty ? line : "\(line) (\(circumstances.joined(separator: ", ")))"
  }
}
