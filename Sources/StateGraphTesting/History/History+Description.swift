import StateGraph

extension History: CustomStringConvertible {
  /// The history as a Swift expression, one transaction or stream a line, for a test.
  public var description: String {
    var lines = ["History(["]
    lines += transactions.map { "  \($0)," }
    lines.append("]")
    if !streams.isEmpty {
      lines[lines.count - 1] += ", streams: ["
      lines += streams.map { "  \($0)," }
      lines.append("]")
    }
    if !initialValues.isEmpty {
      let values = initialValues.sorted { $0.key < $1.key }
      let list = values.map { "\(quoted($0.key)): \($0.value)" }.joined(separator: ", ")
      lines[lines.count - 1] += ", initialValues: [\(list)]"
    }
    lines[lines.count - 1] += ")"
    return lines.joined(separator: "\n")
  }
}

extension History.Transaction: CustomStringConvertible {
  /// The transaction as a Swift expression.
  public var description: String {
    var parts: [String] = []
    if let process { parts.append("process: \(process)") }
    if begin != 0 || end != .max {
      parts.append("time: \(begin)...\(end == .max ? "UInt64.max" : "\(end)")")
    }
    if outcome != .committed { parts.append("outcome: .\(outcome)") }
    if let version { parts.append("version: \(version)") }
    if isWait { parts.append("isWait: true") }
    parts += operations.map(\.description)
    return ".init(\(parts.joined(separator: ", ")))"
  }
}

extension History.Operation: CustomStringConvertible {
  /// The operation as a Swift expression.
  public var description: String {
    let version = version.map { ", version: \($0)" } ?? ""
    return ".\(action)(\(quoted(key)), \(value)\(version))"
  }
}

extension History.Value: CustomStringConvertible {
  /// The value as a literal.
  public var description: String {
    switch self {
    case .register(let value): "\(value)"
    case .list(let list): "\(list)"
    }
  }
}

extension History.Stream: CustomStringConvertible {
  /// The stream as a Swift expression; a buffering with a number is written as `.newest(1)`.
  public var description: String {
    var parts = ["of: \(quoted(key))"]
    if buffering != .unbounded {
      parts.append("buffering: \(buffering == .latest ? ".latest" : ".newest(1)")")
    }
    if begin != 0 { parts.append("begin: \(begin)") }
    parts.append("[\(elements.map(\.description).joined(separator: ", "))]")
    if end != .left { parts.append("end: .\(end)") }
    return ".init(\(parts.joined(separator: ", ")))"
  }
}

extension History.Stream.Element: CustomStringConvertible {
  /// The element as a Swift expression.
  public var description: String {
    let version = version.map { ", version: \($0)" } ?? ""
    return ".init(\(value)\(version)\(time == .max ? "" : ", time: \(time)"))"
  }
}

private func quoted(_ key: String) -> String {
  key.debugDescription
}
