import Foundation
import StateGraph
import Synchronization

/// How a process that runs worlds ends early.
package enum WorldExit {
  /// An oracle has found something.
  package static let finding: Int32 = 3
  /// No progress has been made for a long time.
  package static let standstill: Int32 = 4
}

/// What is being run in this process, for messages.
enum Progress {
  private static let world = Locked<(description: String, phase: String)>(("no world", ""))
  private static let count = Atomic(0)

  /// Notes that a world begins.
  static func begin(_ description: String) {
    world.with { $0 = (description, "begin") }
    step()
  }

  /// Notes what the world as a whole is doing.
  static func enter(_ phase: String) {
    world.with { $0.phase = phase }
    step()
  }

  /// Notes that something has been done.
  static func step() {
    count.add(1, ordering: .relaxed)
  }

  static var steps: Int { count.load(ordering: .relaxed) }
  static var description: String { world.with { "\($0.description), phase \($0.phase)" } }
}

/// Ends the process with what an oracle has found.
func report(_ oracle: String, _ complaint: String) -> Never {
  let line = "FINDING \(oracle): \(complaint)\n  in \(Progress.description)\n"
  FileHandle.standardError.write(Data(line.utf8))
  _exit(WorldExit.finding)
}

/// Ends the process if a condition does not hold.
@inline(__always)
func require(
  _ condition: Bool, _ oracle: @autoclosure () -> String, _ complaint: @autoclosure () -> String
) {
  if !condition { report(oracle(), complaint()) }
}
