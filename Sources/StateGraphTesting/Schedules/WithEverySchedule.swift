/// Runs a body in many schedules, one after the other, until one fails.
///
/// ```swift
/// try await withEverySchedule(upTo: 2_000) {
///   let count = Stored(0)
///   …
///   try Schedule.require(await count.value == 2, "an update was lost")
/// }
/// ```
///
/// Each run has a seed of its own. With `ScheduleStrategy.depthFirst(interruptions:)` all have the
/// first seed, and the loop ends when there is no schedule left. Everything said at
/// `withSeededSchedule` holds for each run. If standard error is a terminal, the progress is shown
/// there.
///
/// - Parameters:
///   - count: How many runs to make at most.
///   - firstSeed: The seed of the first run; the others follow it.
///   - strategy: How the next step is picked.
///   - cancellations: Cancellations to inject into each run.
///   - maximumSteps: After how many steps a run has failed.
///   - verifyingRepeatability: Whether to make each run twice and to fail if the schedules differ.
///   - body: What to run. It must make what it uses.
/// - Returns: What was tried.
/// - Throws: `ScheduleFailure` at the first schedule that fails, shortened as far as possible;
///   `CancellationError` if the task is cancelled.
/// - Precondition: The caller is not in a seeded run.
@discardableResult
public func withEverySchedule(
  upTo count: Int, from firstSeed: UInt64 = 0, strategy: ScheduleStrategy = .random,
  cancelling cancellations: [ScheduleCancellation] = [], maximumSteps: Int = 100_000,
  verifyingRepeatability: Bool = false, _ body: @escaping @Sendable () async throws -> Void
) async throws -> ScheduleSummary {
  precondition(!Schedule.isSeeded, "a seeded run cannot be a part of another one")
  let session = ScheduleSession(
    configuration: ScheduleExecutor.Configuration(
      maximumSteps: maximumSteps, cancellations: cancellations, seed: firstSeed),
    body: body)
  return try await Turnstile.shared.pass {
    var loop = ScheduleLoop(session: session, isTwice: verifyingRepeatability, count: count)
    if case .depthFirst(let interruptions) = strategy.kind {
      return try await loop.runDepthFirst(interruptions)
    }
    return try await loop.run(session.completed(strategy))
  }
}

/// The loop over the schedules of a body.
private struct ScheduleLoop {
  let session: ScheduleSession<Void>
  let isTwice: Bool
  let count: Int
  private var summary = ScheduleSummary()
  private var progress = ScheduleProgress()

  init(session: ScheduleSession<Void>, isTwice: Bool, count: Int) {
    self.session = session
    self.isTwice = isTwice
    self.count = count
  }

  /// One run for each seed.
  mutating func run(_ strategy: ScheduleStrategy) async throws -> ScheduleSummary {
    defer { progress.end() }
    for place in 0..<max(count, 0) {
      try Task.checkCancellation()
      var configuration = session.configuration
      configuration.seed &+= UInt64(place)
      let session = ScheduleSession(configuration: configuration, body: session.body)
      let chooser = strategy.makeChooser(seed: configuration.seed)
      add(try await session.check(chooser, strategy, isTwice: isTwice))
    }
    return summary
  }

  /// One run for each schedule.
  mutating func runDepthFirst(_ interruptions: Int?) async throws -> ScheduleSummary {
    defer { progress.end() }
    var chooser = DepthFirstChooser(interruptions: interruptions)
    for _ in 0..<max(count, 0) {
      try Task.checkCancellation()
      let strategy = ScheduleStrategy.replay(chooser.choices)
      let outcome = try await session.check(chooser, strategy, isTwice: isTwice)
      add(outcome)
      guard let after = outcome.chooser as? DepthFirstChooser else {
        preconditionFailure("a run has exchanged its chooser")
      }
      guard !after.hasDiverged else {
        let repetition = await session.explain(chooser.choices)
        throw session.notRepeatable(outcome, repetition, strategy)
      }
      chooser = after
      guard chooser.advance() else {
        summary.isExhaustive = true
        break
      }
    }
    return summary
  }

  private mutating func add(_ outcome: ScheduleSession<Void>.Outcome) {
    summary.add(outcome.record)
    progress.show(summary, of: count)
  }
}
