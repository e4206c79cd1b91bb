import Foundation

/// Ends the process when nothing happens any more.
package enum Watchdog {
  /// What is under way, by task, for the message.
  private static let doing = Locked<[String: String]>([:])

  /// Notes what a task or thread of the world is doing; nil when it has ended.
  static func note(_ name: String, _ step: String?) {
    doing.with { $0[name] = step }
    Progress.step()
  }

  /// Notes what is waited for, which is no progress.
  static func wait(_ name: String, for what: String) {
    doing.with { $0[name] = what }
  }

  /// Begins to watch.
  ///
  /// - Parameter seconds: How long nothing may happen.
  package static func start(seconds: Double) {
    let thread = Thread {
      var last = -1
      var since = ContinuousClock.now
      while true {
        Thread.sleep(forTimeInterval: 0.1)
        let steps = Progress.steps
        if steps != last {
          last = steps
          since = .now
        } else if ContinuousClock.now - since > .seconds(seconds) {
          stop(seconds)
        }
      }
    }
    thread.start()
  }

  private static func stop(_ seconds: Double) -> Never {
    let tasks = doing.with { $0 }.map { "  \($0): \($1)\n" }.sorted().joined()
    let line = "STANDSTILL: nothing for \(seconds) s\n  in \(Progress.description)\n\(tasks)"
    FileHandle.standardError.write(Data(line.utf8))
    _exit(WorldExit.standstill)
  }
}
