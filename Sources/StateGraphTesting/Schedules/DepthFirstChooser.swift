/// Walks the tree of all schedules of a body, one a run, depth first.
///
/// With a bound on interruptions it leaves out the schedules that take a step away from a task
/// that could go on more often than that (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for
/// Systematic Testing of Multithreaded Programs", PLDI 2007).
struct DepthFirstChooser: ScheduleChooser {
  /// A moment with a choice, on the path of the current run.
  private struct Branch {
    var choice: Int
    /// How many choices there are; one if the bound allows no other.
    let count: Int
  }

  private let interruptions: Int?
  private var path: [Branch] = []
  /// How many branches the current run has passed.
  private var depth = 0
  /// How many interruptions the current run has made.
  private var used = 0
  /// Whether a run did not have the branches that the run before it had.
  private(set) var hasDiverged = false

  /// Begins at the schedule that switches least.
  ///
  /// - Parameter interruptions: How many interruptions a schedule may have; any number if nil.
  init(interruptions: Int?) {
    self.interruptions = interruptions
  }

  mutating func choose(_ moment: ScheduleMoment) -> Int {
    guard moment.owners.count > 1 else { return 0 }
    defer { depth += 1 }
    let isBound = moment.isContinued && interruptions.map { used >= $0 } ?? false
    let count = isBound ? 1 : moment.owners.count
    if depth == path.count { path.append(Branch(choice: 0, count: count)) }
    if path[depth].count != count { hasDiverged = true }
    let choice = min(path[depth].choice, count - 1)
    if choice > 0, moment.isContinued { used += 1 }
    return choice
  }

  /// Turns to the next schedule.
  ///
  /// - Returns: False if there is none.
  mutating func advance() -> Bool {
    path.removeLast(path.count - min(depth, path.count))
    depth = 0
    used = 0
    while let last = path.last {
      if last.choice + 1 < last.count {
        path[path.count - 1].choice += 1
        return true
      }
      path.removeLast()
    }
    return false
  }

  /// Begins the current schedule again.
  mutating func restart() {
    depth = 0
    used = 0
    hasDiverged = false
  }

  /// The choices that lead to the current schedule.
  var choices: [Int] { path.map(\.choice) }
}
