/// A schedule in which a body fails.
///
/// Its description says what is wrong, how to make the run again, and what happens in it step by
/// step.
public struct ScheduleFailure: Error, Sendable, CustomStringConvertible {
  /// What is wrong with the run.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The words of the report.
    public let description: String

    /// The body has thrown an error.
    public static let bodyFailed = Code(description: "the body throws")
    /// Nothing was left to do, and the body had not returned: a deadlock, a lost wake-up, or a
    /// wait for something outside of the run.
    public static let stuck = Code(
      description: "nothing is left to do, and the body has not returned")
    /// The run had more steps than allowed.
    public static let tooLong = Code(description: "there is no end after the allowed steps")
    /// Something took place that the run does not control.
    public static let uncontrolled = Code(description: "not all steps are under control")
    /// The same choices did not lead to the same schedule.
    public static let notRepeatable = Code(
      description: "the same choices do not lead to the same schedule")
  }

  /// What is wrong.
  public let code: Code
  /// The error of the body, if it has thrown one.
  public let underlyingError: (any Error)?
  /// The seed of the run.
  public let seed: UInt64
  /// The strategy with which the fault was found.
  public let strategy: ScheduleStrategy
  /// The shortest list of choices found that leads to it, for `ScheduleStrategy.replay(_:)`.
  public let choices: [Int]
  /// The tasks that wait, if the run is stuck.
  public let waitingTasks: [String]
  /// The report.
  public let description: String
}
