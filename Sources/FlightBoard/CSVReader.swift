// The bytes of a file, cut into rows and fields. It works on UTF-8 bytes in one pass, because a
// month of flights has 1.8 million of them and `Character` costs twenty times as much.

/// Reads comma-separated values (RFC 4180) row by row.
///
/// Lines end with LF or CR LF, the last one needs no end; empty lines are skipped; a field may be
/// quoted.
package struct CSVReader {
  /// The line on which the current row begins, counted from 1.
  package private(set) var line = 0

  private let bytes: [UInt8]
  private var position = 0
  private var nextLine = 1

  /// The fields of the current row, one after the other, without quotes.
  private var row: [UInt8] = []

  /// Where each field of the current row ends in `row`.
  private var ends: [Int] = []

  /// Makes a reader that stands before the first row.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The number of fields in the current row.
  package var count: Int { ends.count }

  /// The bytes of a field of the current row.
  package subscript(index: Int) -> ArraySlice<UInt8> {
    row[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// The text of a field of the current row.
  package func text(_ index: Int) -> String {
    String(decoding: self[index], as: UTF8.self)
  }
}

// MARK: - Rows

extension CSVReader {
  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: An error with the line when a quote is not closed or stands in the wrong place.
  /// - Complexity: O(*n*), where *n* is the number of bytes of the row.
  package mutating func readRow() throws(InputError) -> Bool {
    skipEmptyLines()
    row.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    line = nextLine
    guard position < bytes.count else { return false }
    while true {
      try readField()
      ends.append(row.count)
      guard position < bytes.count else { return true }
      let end = bytes[position]
      position += 1
      if end == UInt8(ascii: "\n") {
        nextLine += 1
        return true
      }
    }
  }

  private mutating func skipEmptyLines() {
    while isAtLineEnd {
      position += bytes[position] == UInt8(ascii: "\r") ? 2 : 1
      nextLine += 1
    }
  }

  /// Whether a line end begins here.
  private var isAtLineEnd: Bool {
    guard position < bytes.count else { return false }
    if bytes[position] == UInt8(ascii: "\n") { return true }
    return bytes[position] == UInt8(ascii: "\r") && position + 1 < bytes.count
      && bytes[position + 1] == UInt8(ascii: "\n")
  }

  /// Appends the next field to the row and stops at the comma or the LF after it, or at the end.
  private mutating func readField() throws(InputError) {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      return try readQuotedField()
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") { return }
      if byte == UInt8(ascii: "\r"), isAtLineEnd {
        position += 1
        return
      }
      row.append(byte)
      position += 1
    }
  }

  private mutating func readQuotedField() throws(InputError) {
    let quote = UInt8(ascii: "\"")
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        guard position < bytes.count, bytes[position] == quote else { return try endQuotedField() }
        position += 1
      } else if byte == UInt8(ascii: "\n") {
        nextLine += 1
      }
      row.append(byte)
    }
    throw InputError(.malformedRow, "a quote is not closed; expected a second \"", line: line)
  }

  private mutating func endQuotedField() throws(InputError) {
    if isAtLineEnd, bytes[position] == UInt8(ascii: "\r") { position += 1 }
    guard position < bytes.count, bytes[position] != UInt8(ascii: ","),
      bytes[position] != UInt8(ascii: "\n")
    else { return }
    throw InputError(
      .malformedRow, "text after a closing quote; expected a comma or the end of the line",
      line: line)
  }
}
