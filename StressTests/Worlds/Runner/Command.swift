import Foundation
import StateGraph
import StateGraphWorlds

/// Runs worlds in this process, one after the other, until the time is up or something is found.
@main enum Command {
  static func main() async {
    guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(Data((Arguments.usage + "\n").utf8))
      exit(2)
    }
    if arguments.shows {
      print(arguments.plan(arguments.seed).description)
      return
    }
    Watchdog.start(seconds: arguments.patience)
    await World.prepare()
    let deadline = ContinuousClock.now + .seconds(arguments.seconds)
    var seed = arguments.seed
    var gauge = MemoryGauge(limit: arguments.memory)
    repeat {
      let plan = arguments.plan(seed)
      write("begin \(seed)")
      await World.run(plan, isSerial: arguments.isSerial(seed))
      gauge.look()
      write("end \(seed) \(plan.stepCount) \((MemoryGauge.residentBytes ?? 0) >> 20)")
      seed += 1
    } while ContinuousClock.now < deadline
  }

  /// Says at once how far the process has got, so that a crash can be told from others.
  private static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
