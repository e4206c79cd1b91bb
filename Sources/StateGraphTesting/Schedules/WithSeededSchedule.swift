/// Runs a body and all its tasks on one thread, in an order that a seed determines.
///
/// The code is the real code: its actors, `GraphActor` included, its child tasks, its
/// continuations. Whenever a task suspends, hops or is resumed, what goes on next is picked by the
/// strategy, so the same seed makes the same run, and another seed another one:
///
/// ```swift
/// let run = try await withSeededSchedule(seed: 7) {
///   let count = Stored(0)
///   async let one: Void = count.update { $0 += 1 }
///   async let two: Void = count.update { $0 += 1 }
///   _ = await (one, two)
///   try Schedule.require(await count.value == 2, "an update was lost")
/// }
/// ```
///
/// The body reports a fault by throwing. It must make what it uses, because it may run several
/// times: to find the shortest schedule that fails, and again if other code got in the way.
///
/// **What is under control:** the body's task, child tasks, and tasks made with
/// `Task(executorPreference: Schedule.executor)`, from their first step to their last; tasks made
/// with `Task { }` and `Task.detached { }` too, except that they do not stop between leaving an
/// actor and going on. An actor takes up those that wait for it in the order in which they came,
/// as it always does. **What is not:** the main actor, actors with an executor of their own,
/// `Task.sleep`, other threads, and anything that is done without suspending; where nothing is done
/// between two visits of an actor, the compiler may make them one. A step that is not under control
/// is reported and fails the run. Memory is sequentially consistent in a seeded run; what weaker
/// orderings allow is for the thread sanitizer.
///
/// **Other code in the process:** one seeded run is made at a time. An actor that code outside of
/// the run uses meanwhile cannot be kept under control: whichever thread holds it runs what waits
/// for it. That is detected, and the run is made again, up to ten times in a second. Seeded tests
/// of the graph therefore belong in a process of their own: run them by `swift test --filter`,
/// one suite alone and `.serialized`, or in an exit test. Issues of an exit test reach its parent,
/// errors do not:
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///   do { try await withEverySchedule(upTo: 1_000) { … } } catch { Issue.record(error) }
/// }
/// ```
///
/// **Traps:** if a precondition fails in the body, a line on standard error says how to make the
/// run again. An exit test shows it only to those who observe `\.standardErrorContent`.
///
/// - Parameters:
///   - seed: Determines the choices.
///   - strategy: How the next step is picked.
///   - cancellations: Cancellations to inject.
///   - maximumSteps: After how many steps the run has failed.
///   - verifyingRepeatability: Whether to make the run twice and to fail if the schedules differ.
///   - body: What to run.
/// - Returns: What the body returned, and the schedule.
/// - Throws: `ScheduleFailure` if the body throws, if nothing is left to do and it has not returned,
///   if there are too many steps, or if not all steps are under control.
/// - Precondition: The caller is not in a seeded run.
@discardableResult
public func withSeededSchedule<R: Sendable>(
  seed: UInt64, strategy: ScheduleStrategy = .random,
  cancelling cancellations: [ScheduleCancellation] = [], maximumSteps: Int = 100_000,
  verifyingRepeatability: Bool = false, _ body: @escaping @Sendable () async throws -> R
) async throws -> ScheduleRun<R> {
  precondition(!Schedule.isSeeded, "a seeded run cannot be a part of another one")
  let session = ScheduleSession(
    configuration: ScheduleExecutor.Configuration(
      maximumSteps: maximumSteps, cancellations: cancellations, seed: seed, isTraced: true),
    body: body)
  return try await Turnstile.shared.pass {
    let strategy = try await session.completed(strategy)
    let outcome = try await session.check(
      strategy.makeChooser(seed: seed), strategy, isTwice: verifyingRepeatability)
    guard case .success(let value) = outcome.result else {
      preconditionFailure("a run without a fault has no result")
    }
    return ScheduleRun(value: value, record: outcome.record)
  }
}

/// A seeded run that did not fail.
public struct ScheduleRun<Value: Sendable>: Sendable, CustomStringConvertible {
  /// What the body returned.
  public let value: Value
  /// Identifies the schedule: equal for runs that made the same choices among the same steps.
  public let hash: UInt64
  /// How many steps there were.
  public let stepCount: Int
  /// The choices, one for each step at which there was one.
  public let choices: [Int]
  /// The steps, one line each.
  public let description: String

  init(value: Value, record: ScheduleRecord) {
    self.value = value
    hash = record.hash
    stepCount = record.stepCount
    choices = record.choices
    description = record.lines.joined(separator: "\n")
  }
}

extension ScheduleStrategy {
  /// What makes the choices of one run.
  func makeChooser(seed: UInt64) -> any ScheduleChooser {
    switch kind {
    case .random: RandomChooser(seed: seed)
    case .pct(let changePoints, let length):
      PriorityChooser(seed: seed, changePoints: changePoints, length: length ?? 100)
    case .depthFirst(let interruptions): DepthFirstChooser(interruptions: interruptions)
    case .replay(let choices): ReplayChooser(choices)
    }
  }
}

extension ScheduleSession {
  /// The strategy with what it leaves to be measured.
  ///
  /// - Throws: `ScheduleFailure` if the run that is made for it fails.
  func completed(_ strategy: ScheduleStrategy) async throws -> ScheduleStrategy {
    guard case .pct(let changePoints, nil) = strategy.kind else { return strategy }
    let outcome = try await check(ReplayChooser([]), .replay([]), isTwice: false)
    return .pct(changePoints: changePoints, length: outcome.record.stepCount)
  }

  /// Makes one run, or two that must be the same.
  ///
  /// - Throws: `ScheduleFailure`.
  func check(
    _ chooser: any ScheduleChooser, _ strategy: ScheduleStrategy, isTwice: Bool
  ) async throws -> Outcome {
    let outcome = await run(chooser, strategy)
    if fault(of: outcome) != nil { throw await failure(from: outcome, strategy) }
    guard isTwice else { return outcome }
    let second = await run(chooser, strategy)
    guard second.record.hash == outcome.record.hash, fault(of: second) == nil else {
      throw notRepeatable(outcome, second, strategy)
    }
    return outcome
  }
}
