/// How the next step of a seeded run is picked.
///
/// Its description is the Swift expression that makes it.
public struct ScheduleStrategy: Sendable, Hashable, CustomStringConvertible {
  /// What the members make.
  enum Kind: Hashable {
    case random
    case pct(changePoints: Int, length: Int?)
    case depthFirst(interruptions: Int?)
    case replay([Int])
  }

  let kind: Kind

  /// Any step that can be taken, all with the same probability.
  public static var random: ScheduleStrategy { ScheduleStrategy(kind: .random) }

  /// The task with the highest priority; priorities are random and change a few times.
  ///
  /// Finds faults that need few ordered steps more surely than `random` if the body is long: with
  /// *n* tasks and *k* steps, a fault of depth *d* with a probability of at least
  /// 1/(*n* *k*^(*d*−1)) in each run with *d* − 1 change points (Burckhardt et al., "A Randomized
  /// Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
  ///
  /// - Parameters:
  ///   - changePoints: How often the task that would run loses its priority, at least 0.
  ///   - length: How many steps a run has, about; the change points lie among the first so many.
  ///     Without it, one run more is made to count them.
  /// - Returns: The strategy.
  public static func pct(changePoints: Int = 2, length: Int? = nil) -> ScheduleStrategy {
    precondition(changePoints >= 0, "there cannot be \(changePoints) change points")
    return ScheduleStrategy(kind: .pct(changePoints: changePoints, length: length))
  }

  /// Every schedule that there is, one after the other, beginning with the one that switches least
  /// between tasks.
  ///
  /// For `withEverySchedule(upTo:)`, which stops when there is none left; a single seeded run takes
  /// the first. The number of schedules grows exponentially with the steps, so this is for bodies
  /// of two or three tasks with few steps; a bound on the interruptions makes longer ones feasible
  /// and still finds most faults.
  ///
  /// - Parameter interruptions: How often a schedule may switch away from a task that could go on;
  ///   any number if nil.
  /// - Returns: The strategy.
  public static func depthFirst(interruptions: Int? = nil) -> ScheduleStrategy {
    ScheduleStrategy(kind: .depthFirst(interruptions: interruptions))
  }

  /// The choices of an earlier run, as a failure prints them.
  ///
  /// - Parameter choices: One number for each moment at which there was a choice: 0 goes on with
  ///   the task that took the last step, or else with the one that has waited longest; where the
  ///   list has ended, every choice is 0. A number that is too large takes the last step offered.
  /// - Returns: The strategy.
  public static func replay(_ choices: [Int]) -> ScheduleStrategy {
    ScheduleStrategy(kind: .replay(choices))
  }

  /// The Swift expression that makes the strategy.
  public var description: String {
    switch kind {
    case .random: ".random"
    case .pct(let changePoints, nil): ".pct(changePoints: \(changePoints))"
    case .pct(let changePoints, let length?):
      ".pct(changePoints: \(changePoints), length: \(length))"
    case .depthFirst(nil): ".depthFirst()"
    case .depthFirst(let interruptions?): ".depthFirst(interruptions: \(interruptions))"
    case .replay(let choices): ".replay(\(choices))"
    }
  }
}
