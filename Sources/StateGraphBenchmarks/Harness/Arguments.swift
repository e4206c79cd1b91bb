/// What the command line asks for.
struct Arguments {
  /// How the results are printed.
  enum Format: String, CaseIterable {
    case text, markdown, json
  }

  /// Only benchmarks whose full name contains one of these run; all, if there is none.
  private(set) var filters: [String] = []

  /// Whether the names are printed and nothing runs.
  private(set) var onlyLists = false

  /// Whether everything runs once, only to see whether it is right.
  private(set) var isQuick = false

  /// How the results are printed.
  private(set) var format = Format.text

  /// What can be asked for.
  static let usage = """
    usage: StateGraphBenchmarks [--filter <text>]... [--list] [--quick] [--format text|markdown|json]
      --filter  runs benchmarks whose "group/name" contains the text
      --list    prints the names
      --quick   runs everything once, without the largest sizes, for its checks
    """

  /// Why arguments were refused.
  struct Refusal: Error {
    /// What is wrong.
    let reason: String
  }

  /// Reads the arguments.
  ///
  /// - Throws: `Refusal`.
  init(_ arguments: some Sequence<String>) throws(Refusal) {
    var remaining = arguments.makeIterator()
    while let argument = remaining.next() {
      switch argument {
      case "--list": onlyLists = true
      case "--quick": isQuick = true
      case "--filter":
        guard let text = remaining.next() else { throw Refusal(reason: "--filter needs a text") }
        filters.append(text)
      case "--format":
        guard let format = remaining.next().flatMap(Format.init(rawValue:)) else {
          throw Refusal(reason: "--format needs text, markdown or json")
        }
        self.format = format
      default: throw Refusal(reason: "unknown argument \(argument)")
      }
    }
  }

  /// Whether a benchmark is asked for.
  func select(_ benchmark: Benchmark) -> Bool {
    if isQuick && benchmark.isLong { return false }
    return filters.isEmpty || filters.contains { benchmark.fullName.contains($0) }
  }
}
