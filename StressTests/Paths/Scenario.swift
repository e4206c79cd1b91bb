import Foundation
import StateGraph
import StateGraphTesting
import Synchronization

/// A few steps that take certain paths, with what must come of them.
///
/// To be run in a process of its own, where nobody else takes paths or uses the graph.
struct Scenario: Sendable {
  /// What is shown.
  let name: String
  /// The paths that the steps take, among others.
  let paths: [PropagationPath]
  /// The steps.
  private let steps: @Sendable () async throws -> Void

  init(
    _ name: String, _ paths: [PropagationPath],
    _ steps: @escaping @Sendable () async throws -> Void
  ) {
    self.name = name
    self.paths = paths
    self.steps = steps
  }

  /// Runs the steps; ends the process if something else comes of them, or nothing in time.
  func run() async {
    ScenarioReport.begin(name)
    let deadline = Deadline()
    let before = paths.map { PathCounts.count(of: $0) }
    do {
      try await steps()
    } catch {
      Self.fail("\(error)")
    }
    let broken = await GraphActor.run { Graph.shared.brokenInvariants() }
    if !broken.isEmpty { Self.fail("\(broken)") }
    if PathCounts.areKept {
      for (path, count) in zip(paths, before) where PathCounts.count(of: path) == count {
        Self.fail("does not take the path \(path)")
      }
    }
    deadline.met()
  }

  /// Reports why the scenario has failed that is running, and ends the process.
  static func fail(_ reason: String) -> Never {
    ScenarioReport.end("failed", reason)
    exit(EXIT_FAILURE)
  }
}

/// What a process of scenarios has to say: of one that fails, nothing else is to be seen.
enum ScenarioReport {
  private static let file = Box<URL?>(nil)
  private static let scenario = Box("")

  /// Runs scenarios and writes to a file where they are; for the process of an exit test.
  static func run(_ scenarios: [Scenario], file path: String) async {
    file.value = URL(filePath: path)
    for scenario in scenarios { await scenario.run() }
    write("")
  }

  /// Notes which scenario is running: if the process ends, that is where.
  fileprivate static func begin(_ name: String) {
    scenario.value = name
    end("ended", "the process has ended")
  }

  /// Notes how the scenario that is running has ended.
  fileprivate static func end(_ how: String, _ reason: String) {
    write("\(how): \(scenario.value): \(reason)")
  }

  /// Replaces what the file says.
  static func write(_ text: String) {
    guard let file = file.value else { return }
    try? Data(text.utf8).write(to: file)
  }

  /// Runs a body with the path of a new file.
  ///
  /// - Returns: What the file says afterwards.
  static func collected(_ body: (_ path: String) async -> Void) async -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    await body(file.path)
    defer { try? FileManager.default.removeItem(at: file) }
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }
}

/// Ends the process if a scenario does not come to an end: one with a fault may wait for ever.
private final class Deadline: Sendable {
  private let isMet = Atomic(false)
  /// Far more than any scenario takes, also under the thread sanitizer on a busy machine.
  private static let seconds =
    ProcessInfo.processInfo.environment["STATEGRAPH_SCENARIO_SECONDS"].flatMap(Double.init) ?? 300

  init() {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: Self.seconds)
      if !self.isMet.load(ordering: .acquiring) {
        Scenario.fail("does not end in \(Self.seconds) seconds")
      }
    }
  }

  func met() {
    isMet.store(true, ordering: .releasing)
  }
}

/// Ends the process unless a condition holds.
func require(
  _ condition: Bool, _ message: String = "not what was expected",
  file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { Scenario.fail("\(file):\(line): \(message)") }
}

/// Waits until a condition holds; the deadline of the scenario ends a wait in vain.
func until(_ condition: @Sendable () -> Bool) async {
  while !condition() { await Task.yield() }
}

/// Does something until a path has been taken on the way: which one is taken is a race.
func repeatUntilTaken(
  _ path: PropagationPath, _ steps: @Sendable () async throws -> Void
) async rethrows {
  let before = PathCounts.count(of: path)
  repeat {
    try await steps()
  } while PathCounts.areKept && PathCounts.count(of: path) == before
}

/// Waits until a path has been taken more often than before.
func untilTaken(_ path: PropagationPath, since before: Int) async {
  guard PathCounts.areKept else { return }
  await until { PathCounts.count(of: path) > before }
}

/// How often a path has been taken.
func taken(_ path: PropagationPath) -> Int { PathCounts.count(of: path) }

/// The number of the latest commit.
func latestVersion() async -> UInt64 { await GraphActor.run { Graph.shared.version } }

/// Waits until no task of the library is under way.
func untilTasksAreFinished() async { await until { GraphTasks.areFinished } }

/// Runs a body in a task that takes part in nothing.
func outside(_ body: @escaping @Sendable () async -> Void) async {
  await Task.detached { await body() }.value
}

extension EventLog<String> {
  /// Makes a computed node that records each run of its rule.
  func computed(
    _ name: String, _ rule: @escaping @GraphActor @Sendable () -> Int
  ) -> Computed<Int> {
    Computed(name: name) { _ in
      self.record(name)
      return rule()
    }
  }
}

/// Holds something that tests let go of.
final class Box<Content: Sendable>: Sendable {
  private let content: Mutex<Content>

  init(_ content: Content) {
    self.content = Mutex(content)
  }

  var value: Content {
    get { content.withLock { $0 } }
    set {
      // What is let go must not end under the lock.
      _ = content.withLock { content in
        let before = content
        content = newValue
        return before
      }
    }
  }
}

/// A value of which it matters when it is freed.
final class Payload: Sendable {
  private let token: LiveCount.Token
  let number: Int

  init(_ count: LiveCount, _ number: Int) {
    token = count.token()
    self.number = number
  }
}
