/// What code says to the seeded run that it is a part of.
///
/// Outside of a seeded run everything here does the ordinary thing or nothing, so a test's code can
/// run in both ways.
public enum Schedule {
  /// Whether the code that asks is running in a seeded run.
  public static var isSeeded: Bool { ScheduleExecutor.current != nil }

  /// The seed of the run; nil outside of one.
  ///
  /// For bodies that need random data: whatever comes from a generator with this seed is the same
  /// when the run is repeated.
  public static var seed: UInt64? { ScheduleExecutor.current?.configuration.seed }

  /// The executor of the run; nil outside of one.
  ///
  /// `Task(executorPreference: Schedule.executor) { … }` makes a task of its own that is under
  /// control from its first step to its last, on every platform; see `withSeededSchedule` about
  /// `Task { … }`.
  public static var executor: (any TaskExecutor)? { ScheduleExecutor.current }

  /// Lets time pass on the clock of the run, as long work would.
  ///
  /// Outside of a seeded run it does nothing.
  ///
  /// - Parameter duration: How long the work takes.
  public static func spend(_ duration: Duration) {
    ScheduleExecutor.current?.now += duration
  }

  /// A point at which another task may run.
  ///
  /// In a seeded run, going on from here is a step that the strategy picks like any other. Outside,
  /// the same as `Task.yield()`.
  ///
  /// - Parameters:
  ///   - label: What the report of a failure calls the point.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  public static func yield(
    _ label: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async {
    guard let run = ScheduleExecutor.current else { return await Task.yield() }
    let key = run.queue.makeKey()
    _ = await withUnsafeContinuation(isolation: isolation) { continuation in
      run.park(.yield(continuation, label: label), key: key)
    }
  }

  /// Does something under a name by which reports and cancellations know the task.
  ///
  /// ```swift
  /// async let reader = Schedule.named("reader") { … }
  /// group.addTask { await Schedule.named("writer") { … } }
  /// ```
  ///
  /// While the operation runs, `ScheduleCancellation.task("reader")` can reach the task, and a
  /// report of a deadlock knows that it has not ended. The concurrency library does not show the
  /// name given to `addTask(name:)` to anybody but the task itself; such a name appears when the
  /// task has waited at a `Gate` or the like.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  ///   - operation: What the task does.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public static func named<R>(
    _ name: String, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> R
  ) async rethrows -> R {
    guard let run = ScheduleExecutor.current else { return try await operation() }
    let task = run.beginNamed(name)
    defer { run.endNamed(task) }
    return try await operation()
  }

  /// Adds a remark to the report of a failure, at the step in which it is made.
  ///
  /// - Parameter remark: What to say.
  public static func note(_ remark: @autoclosure () -> String) {
    guard let run = ScheduleExecutor.current, run.configuration.isTraced else { return }
    run.note(remark())
  }

  /// Ends the body with an error if a condition does not hold.
  ///
  /// A body reports a fault by throwing. This throws an error that names the place; `#expect` and
  /// `#require` would record an issue in every run that is made to find a shorter schedule.
  ///
  /// - Parameters:
  ///   - condition: What must hold.
  ///   - message: What is wrong otherwise.
  ///   - fileID: The file of the check, for the message.
  ///   - line: The line of the check, for the message.
  /// - Throws: `ScheduleCheckFailed` if the condition does not hold.
  public static func require(
    _ condition: Bool, _ message: @autoclosure () -> String = "the condition does not hold",
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    guard !condition else { return }
    throw ScheduleCheckFailed(message: message(), place: "\(fileID):\(line)")
  }

  /// Ends the body with an error if a condition does not hold, with a message that has to be awaited.
  ///
  /// ```swift
  /// try await Schedule.require(sum == 10, explaining: "\(await accounts.value)")
  /// ```
  ///
  /// - Parameters:
  ///   - condition: What must hold.
  ///   - message: What is wrong otherwise.
  ///   - fileID: The file of the check, for the message.
  ///   - line: The line of the check, for the message.
  /// - Throws: `ScheduleCheckFailed` if the condition does not hold.
  public static func require(
    _ condition: Bool, explaining message: @autoclosure () async -> String,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws {
    guard !condition else { return }
    throw ScheduleCheckFailed(message: await message(), place: "\(fileID):\(line)")
  }
}

/// A check of a body has failed.
public struct ScheduleCheckFailed: Error, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let message: String
  /// The file and the line of the check.
  public let place: String

  /// The place and the message.
  public var description: String { "\(place): \(message)" }
}
