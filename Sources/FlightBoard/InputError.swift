// Every complaint about the command line or the file is one of these: one line, exit code 2.

/// What is wrong with the input, and what was expected instead.
package struct InputError: Error, Equatable {
  /// The kinds of bad input.
  package enum Code: Sendable {
    /// The command line cannot be understood.
    case usage

    /// The file cannot be read.
    case unreadable

    /// The file holds no flights.
    case empty

    /// The header lacks a column, or has one twice.
    case columns

    /// A row cannot be understood.
    case malformedRow
  }

  /// The kind of fault.
  package var code: Code

  /// The fault and what was expected, in one line.
  package var message: String

  /// The file, where there is one.
  package var path: String?

  /// The line in the file, counted from 1, where there is one.
  package var line: Int?

  /// Makes an error.
  package init(_ code: Code, _ message: String, path: String? = nil, line: Int? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.line = line
  }

  /// The text of a user as it may stand in a message: quoted, control characters escaped, short.
  package static func quoted(_ text: some StringProtocol) -> String {
    text.count <= 60 ? String(text).debugDescription : (text.prefix(60) + "…").debugDescription
  }
}

extension InputError: CustomStringConvertible {
  /// The place and the fault, in one line.
  package var description: String {
    switch (path, line) {
    case (let path?, let line?): "\(path), line \(line): \(message)"
    case (let path?, nil): "\(path): \(message)"
    case (nil, let line?): "line \(line): \(message)"
    case (nil, nil): message
    }
  }
}
