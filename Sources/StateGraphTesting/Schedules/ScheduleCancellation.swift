/// A cancellation that a seeded run injects, as somebody outside could at any moment.
///
/// Its description is the Swift expression that makes it.
public struct ScheduleCancellation: Sendable, Hashable, CustomStringConvertible {
  /// Whom to cancel.
  enum Target: Hashable {
    case number(Int)
    case name(String)
  }

  let target: Target
  /// The step before which the task is cancelled; the strategy picks the moment if nil.
  let step: Int?

  /// Cancels a task by its number.
  ///
  /// The body is number 0, and the others are numbered in the order in which they first become
  /// ready to run. A task that is an `async let` is out of reach while it waits, unless it is
  /// inside `Schedule.named(_:)`.
  ///
  /// - Parameters:
  ///   - number: The number of the task.
  ///   - step: The step before which it is cancelled, counted from 1. Nil leaves the moment to the
  ///     strategy: then the cancellation is a step like any other, from the moment on when the task
  ///     exists, and it is tried everywhere.
  /// - Returns: The cancellation.
  public static func task(_ number: Int, atStep step: Int? = nil) -> ScheduleCancellation {
    ScheduleCancellation(target: .number(number), step: step)
  }

  /// Cancels a task by the name that it has in `Schedule.named(_:)`.
  ///
  /// - Parameters:
  ///   - name: The name; the first task that has taken it is meant.
  ///   - step: The step before which it is cancelled, counted from 1; nil leaves the moment to the
  ///     strategy.
  /// - Returns: The cancellation.
  public static func task(_ name: String, atStep step: Int? = nil) -> ScheduleCancellation {
    ScheduleCancellation(target: .name(name), step: step)
  }

  /// The Swift expression that makes the cancellation.
  public var description: String {
    let target =
      switch target {
      case .number(let number): String(number)
      case .name(let name): String(reflecting: name)
      }
    return step.map { ".task(\(target), atStep: \($0))" } ?? ".task(\(target))"
  }
}
