// `JSONEncoder` leaves out what is nil and has no order of keys; the object of this program needs
// both.

/// A JSON value; objects keep the order of their members.
package indirect enum JSON: Sendable {
  /// An object.
  case object([(String, JSON)])

  /// An array.
  case array([JSON])

  /// A string.
  case string(String)

  /// A whole number.
  case integer(Int)

  /// A number; it must be finite.
  case number(Double)

  /// No value.
  case null

  /// The value as text, two spaces a level; an object of plain values stays on one line.
  package func text(indent: String = "") -> String {
    switch self {
    case .object(let members):
      let parts = members.map { "\(JSON.quoted($0.0)): \($0.1.text(indent: indent + "  "))" }
      let isFlat = !members.contains { $0.1.isContainer }
      return isFlat ? "{\(parts.joined(separator: ", "))}" : JSON.block("{", parts, "}", indent)
    case .array(let elements):
      let parts = elements.map { $0.text(indent: indent + "  ") }
      return elements.isEmpty ? "[]" : JSON.block("[", parts, "]", indent)
    case .string(let string): return JSON.quoted(string)
    case .integer(let integer): return "\(integer)"
    case .number(let number): return "\(number)"
    case .null: return "null"
    }
  }

  private var isContainer: Bool {
    switch self {
    case .object, .array: true
    case .string, .integer, .number, .null: false
    }
  }

  private static func block(
    _ open: String, _ parts: [String], _ close: String, _ indent: String
  ) -> String {
    let lines = parts.map { "\(indent)  \($0)" }.joined(separator: ",\n")
    return "\(open)\n\(lines)\n\(indent)\(close)"
  }

  /// A string in quotes, with escapes where JSON wants them.
  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
