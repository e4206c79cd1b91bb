// The command line. Three options do not need a parser library.

/// What the command line asks for.
package struct Arguments: Sendable, Equatable {
  /// How the totals are printed.
  package enum Format: String, CaseIterable, Sendable {
    /// Tables, and a board while it runs if there is a terminal.
    case text

    /// One JSON object.
    case json
  }

  /// The text of `--help`.
  package static let help = """
    Plays a file of flights through a reactive state graph and shows the totals.

    usage: FlightBoard [--format text|json] [FILE]

      FILE             a CSV file of flights; without it, the sample: New York, 1 January 2013
      --format text    a board while it runs if the output is a terminal, then tables (default)
      --format json    one JSON object: airports, carriers, network, commits, violations
      -h, --help       this text

    The first line of the file names its columns:
      \(FlightColumn.allCases.prefix(9).map(\.rawValue).joined(separator: ","))
      \(FlightColumn.allCases.dropFirst(9).map(\.rawValue).joined(separator: ","))
    Times are clock times hhmm (517 is 05:17), delays are minutes; NA or nothing is no value.
    Without dep_time a flight is cancelled; with dep_time but no arr_time it stays airborne.

    exit code: 0 all is well, 1 a reader saw an inconsistent graph, 2 bad arguments or a bad file,
      3 the output cannot be written

    """

  /// Whether to print the help and do nothing else.
  package var isHelp = false

  /// How to print the totals.
  package var format = Format.text

  /// The file; `nil` for the sample.
  package var path: String?

  /// Reads the command line.
  ///
  /// - Parameter words: The arguments, without the name of the program.
  /// - Throws: An error that says what was expected, at the first word that makes no sense.
  package init(_ words: [String]) throws(InputError) {
    guard !words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" })
    else {
      isHelp = true
      return
    }
    var rest = words[...]
    var isOptionAllowed = true
    while let word = rest.popFirst() {
      if isOptionAllowed, word == "--" {
        isOptionAllowed = false
      } else if isOptionAllowed, word == "--format" {
        format = try Arguments.format(rest.popFirst())
      } else if isOptionAllowed, word.hasPrefix("--format=") {
        format = try Arguments.format(String(word.dropFirst("--format=".count)))
      } else if isOptionAllowed, word.hasPrefix("-") {
        throw InputError(
          .usage, "unknown option \(InputError.quoted(word)); expected --format or --help")
      } else {
        guard path == nil else {
          throw InputError(
            .usage, "a second file \(InputError.quoted(word)); expected one file at most")
        }
        path = word
      }
    }
  }

  private static func format(_ word: String?) throws(InputError) -> Format {
    guard let word else {
      throw InputError(.usage, "--format without a value; expected text or json")
    }
    guard let format = Format(rawValue: word) else {
      throw InputError(.usage, "--format is \(InputError.quoted(word)); expected text or json")
    }
    return format
  }
}
