#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program: runs the benchmarks that are asked for, and prints what they have measured.
@main
enum Command {
  static func main() async {
    let arguments: Arguments
    do {
      arguments = try Arguments(CommandLine.arguments.dropFirst())
    } catch {
      writeError("\(error.reason)\n\(Arguments.usage)")
      exit(2)
    }
    warnIfUnoptimised()
    let selected = Benchmarks.all.filter { arguments.select($0) }
    guard !selected.isEmpty else {
      writeError("no benchmark has a name that contains \(arguments.filters)")
      exit(2)
    }
    guard !arguments.onlyLists else {
      for benchmark in selected { print(benchmark.fullName) }
      return
    }
    let sampler = Sampler(isQuick: arguments.isQuick)
    if let head = Report.head(arguments.format) { print(head) }
    for benchmark in selected {
      let row = Report.Row(benchmark: benchmark, measurement: await benchmark.body(sampler))
      print(Report.line(row, arguments.format))
      fflush(nil)
    }
  }

  /// Says on standard error that a debug build measures nothing of use.
  private static func warnIfUnoptimised() {
    #if DEBUG
      writeError(
        """
        ******************************************************************
        *  DEBUG BUILD: the figures below say nothing about the library. *
        *  swift run -c release StateGraphBenchmarks                     *
        ******************************************************************
        """)
    #endif
  }
}
