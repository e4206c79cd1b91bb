// FlightBoard: the flights of a file, replayed through a state graph by concurrent tasks.
//
// Read on in Network.swift (the graph), Feed.swift (who writes it), Reader.swift, Auditor.swift and
// Board.swift (who reads it), and Replay.swift (how they are started and ended).

import Foundation

/// The program.
@main
package enum Command {
  /// What a run of the program leaves.
  package struct Outcome: Sendable, Equatable {
    /// The exit code: 0 all is well, 1 violations, 2 bad input (and 3, the output is not writable).
    package var code: Int32

    /// The text for standard output.
    package var output: String

    /// The text for standard error.
    package var error: String

    /// Makes an outcome; what is left out is success and silence.
    package init(code: Int32 = 0, output: String = "", error: String = "") {
      self.code = code
      self.output = output
      self.error = error
    }
  }

  /// Runs the program with the arguments of the process.
  package static func main() async {
    let outcome = await run(Array(CommandLine.arguments.dropFirst()), screen: .terminal)
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(outcome.output.utf8))
      try FileHandle.standardError.write(contentsOf: Data(outcome.error.utf8))
      exit(outcome.code)
    } catch {
      exit(3)
    }
  }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - words: The arguments, without the name of the program.
  ///   - screen: Where the board is drawn while it runs; `nil` for no board.
  /// - Returns: What to print and the exit code; nothing has been printed but the board.
  package static func run(_ words: [String], screen: Screen? = nil) async -> Outcome {
    do {
      let arguments = try Arguments(words)
      guard !arguments.isHelp else { return Outcome(output: Arguments.help) }
      let network = Network(flights: try FlightFile.read(arguments.path))
      switch arguments.format {
      case .text:
        let replay = try await Replay.run(network, screen: screen)
        return outcome(of: replay.findings, output: Report.text(replay))
      case .json:
        let replay = try await Replay.run(network)
        return outcome(of: replay.findings, output: Report.json(replay))
      }
    } catch {
      return Outcome(code: 2, error: "FlightBoard: \(error)\n")
    }
  }

  /// The outcome of a replay: violations make it a failure, whatever the totals are.
  package static func outcome(of findings: Findings, output: String) -> Outcome {
    guard findings.violations > 0 else { return Outcome(output: output) }
    let faults = findings.faults.map { "FlightBoard: violation: \($0)\n" }
    return Outcome(code: 1, output: output, error: faults.joined())
  }
}
