import StateGraph
import Synchronization

/// Runs one body again and again.
struct ScheduleSession<R: Sendable>: Sendable {
  /// What a run of the body has come to.
  struct Outcome: Sendable {
    let ending: ScheduleExecutor.Ending
    /// What the body returned or threw; nil if it did neither.
    let result: Result<R, any Error>?
    let record: ScheduleRecord
    /// What happened outside of the run's control.
    let uncontrolled: [String]
    /// The tasks that wait, if the run is stuck.
    let waiting: [String]
    /// The chooser after the run.
    let chooser: any ScheduleChooser
    /// Whether other code used the graph meanwhile.
    let isDisturbed: Bool
  }

  let configuration: ScheduleExecutor.Configuration
  let body: @Sendable () async throws -> R

  /// Makes one run, and makes it again, later, if other code got in the way.
  ///
  /// - Parameters:
  ///   - chooser: Picks the steps.
  ///   - strategy: What makes the chooser, for the message of a trap.
  /// - Returns: What the last run has come to.
  func run(_ chooser: any ScheduleChooser, _ strategy: ScheduleStrategy) async -> Outcome {
    await undisturbed(chooser, strategy, configuration)
  }

  private func undisturbed(
    _ chooser: any ScheduleChooser, _ strategy: ScheduleStrategy,
    _ configuration: ScheduleExecutor.Configuration
  ) async -> Outcome {
    var pause = 1
    while true {
      let outcome = await attempt(chooser, strategy, configuration)
      guard !outcome.uncontrolled.isEmpty, pause < 500 else { return outcome }
      try? await Task.sleep(for: .milliseconds(pause))
      pause *= 2
    }
  }

  /// Makes one run that follows a list of choices, for a reader.
  ///
  /// - Parameters:
  ///   - choices: The list.
  ///   - grace: For how long to wait for other threads when nothing is left to do, in milliseconds.
  ///   - keepsTasks: Whether to find out which tasks have ended.
  /// - Returns: What the run has come to.
  func explain(_ choices: [Int], grace: Int = 0, keepsTasks: Bool = false) async -> Outcome {
    var configuration = configuration
    configuration.isTraced = true
    configuration.keepsTasks = keepsTasks
    configuration.grace = grace
    return await undisturbed(ReplayChooser(choices), .replay(choices), configuration)
  }

  /// Makes one run that follows a list of choices.
  func replay(_ choices: [Int]) async -> Outcome {
    var configuration = configuration
    configuration.isTraced = false
    return await attempt(ReplayChooser(choices), .replay(choices), configuration)
  }

  private func attempt(
    _ chooser: any ScheduleChooser, _ strategy: ScheduleStrategy,
    _ configuration: ScheduleExecutor.Configuration
  ) async -> Outcome {
    _ = GlobalJobs.isInstalled
    await waitForReleases()
    let executor = ScheduleExecutor(configuration, chooser: chooser)
    let releases = GlobalJobs.releasesElsewhere.load(ordering: .relaxed)
    TrapReport.arm(invocation(strategy))
    let task = Task(executorPreference: executor, priority: configuration.priority) {
      defer { executor.bodyFinished() }
      return try await body()
    }
    executor.cancelBody = task.cancel
    let ending = await withCheckedContinuation { continuation in
      DriverThread.perform { continuation.resume(returning: executor.drive()) }
    }
    precondition(executor.isThrough.load(ordering: .acquiring), "the run is still under way")
    TrapReport.disarm()
    return Outcome(
      ending: ending,
      result: executor.isBodyFinished ? await task.result : nil,
      record: executor.record,
      uncontrolled: executor.uncontrolled,
      waiting: executor.waiting,
      chooser: executor.chooser,
      isDisturbed: GlobalJobs.releasesElsewhere.load(ordering: .relaxed) != releases)
  }

  /// Waits until the actor has removed what was released before, or a while.
  private func waitForReleases() async {
    for _ in 0..<100 where !GraphTasks.areFinished { await Task.yield() }
  }

  /// The expression that makes a run again.
  func invocation(_ strategy: ScheduleStrategy) -> String {
    var text = "withSeededSchedule(seed: \(configuration.seed), strategy: \(strategy)"
    if !configuration.cancellations.isEmpty {
      let list = configuration.cancellations.map(\.description).joined(separator: ", ")
      text += ", cancelling: [\(list)]"
    }
    if configuration.maximumSteps != ScheduleExecutor.Configuration.usualMaximumSteps {
      text += ", maximumSteps: \(configuration.maximumSteps)"
    }
    return text + ")"
  }
}

extension ScheduleExecutor.Configuration {
  /// The number of steps after which a run is given up unless another is given.
  static var usualMaximumSteps: Int { 100_000 }
}
