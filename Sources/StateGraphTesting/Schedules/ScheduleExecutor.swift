import Synchronization

/// One seeded run: stores the jobs of its tasks and runs them on the driver thread, one at a time.
///
/// A child task inherits the executor preference, a default actor schedules its work on the
/// executor that the task in front prefers (SE-0417), and a task with a preference never runs on
/// without being enqueued. So every hop and every wake-up of the real code comes through here.
final class ScheduleExecutor: TaskExecutor {
  /// What a run is to do.
  struct Configuration: Sendable {
    /// After how many steps it is given up.
    var maximumSteps: Int
    /// What is cancelled, and when.
    var cancellations: [ScheduleCancellation]
    /// The seed, for bodies that ask for it.
    var seed: UInt64
    /// The priority of the body's task.
    var priority = Task.currentPriority
    /// Whether the steps are recorded in words.
    var isTraced = false
    /// Whether all tasks are kept, with their results, to tell those that wait from those that have
    /// ended.
    var keepsTasks = false
    /// For how long to wait for other threads when nothing is left to do, in milliseconds.
    var grace = 0
  }

  /// How a run has ended.
  enum Ending {
    /// The body has returned, or thrown, and nothing is left to do.
    case finished
    /// Nothing is left to do, and the body has not returned.
    case stuck
    /// There were more steps than allowed.
    case tooLong
  }

  /// Set when the driver thread will not touch the run any more.
  ///
  /// The continuation that is resumed then would do, but the thread sanitizer does not see it if it
  /// is resumed before it is awaited.
  let isThrough = Atomic(false)
  let configuration: Configuration
  /// Picks the steps.
  var chooser: any ScheduleChooser
  /// What other threads have sent.
  let mailbox = Mailbox<Mail>()
  /// What can be done next.
  var queue = ScheduleQueue()
  /// The tasks that have been met.
  var tasks: TaskRegistry
  /// What has been done.
  var record = ScheduleRecord()
  /// What happened outside of the run's control, one sentence each.
  var uncontrolled: [String] = []
  /// The tasks that are waiting when the run is stuck.
  var waiting: [String] = []
  /// The virtual time since the run began.
  var now: Duration = .zero
  /// The task that is taking a step.
  var running = 0
  /// Cancellations that have not been made.
  var cancellations: [ScheduleCancellation]
  /// Keys of waits that were cancelled before they began.
  var cancelledKeys: Set<Int> = []
  /// Whether the body has returned or thrown.
  var isBodyFinished = false
  /// Cancels the body's task.
  var cancelBody: () -> Void = {}
  /// Whether there are tasks of the run that have no executor preference.
  var hasAdopted = false
  /// What to call the task that is met next, if it has not said its name.
  var nameOfNextTask: String?
  /// Whether the run itself hands a job to the global executor.
  var isProbing = false

  init(_ configuration: Configuration, chooser: any ScheduleChooser) {
    self.configuration = configuration
    self.chooser = chooser
    cancellations = configuration.cancellations
    var wanted: Set<Int> = []
    for case .number(let number) in cancellations.map(\.target) { wanted.insert(number) }
    tasks = TaskRegistry(keeping: configuration.keepsTasks ? .all : .some(wanted))
  }

  /// The run whose step is being taken by the code that asks.
  static var current: ScheduleExecutor? { DriverThread.isCurrent ? DriverThread.run : nil }

  /// Takes a job of a task that prefers this executor.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if Self.current === self {
      accept(job, JobIdentity(job))
    } else if !mailbox.put(.job(job)) {
      // The run is over: what it has left behind goes on in the pool.
      globalConcurrentExecutor.enqueue(ExecutorJob(job))
    }
  }

  /// Takes a job that the driver thread hands to the global executor, if it belongs to the run.
  ///
  /// - Returns: False if it belongs to somebody else.
  func adopt(_ job: UnownedJob) -> Bool {
    guard !isProbing else { return false }
    let identity = JobIdentity(job)
    guard isOwn(identity) else {
      noteUncontrolled(
        "a task outside of the run went on in step \(record.stepCount); "
          + "an actor is shared with other code, or the body talks to tasks outside")
      return false
    }
    hasAdopted = true
    accept(job, identity)
    return true
  }

  /// Notes something that the run does not control.
  func noteUncontrolled(_ sentence: String) {
    if uncontrolled.count < 20 { uncontrolled.append(sentence) }
  }

  /// Files a job as something that can be done next.
  func accept(_ job: UnownedJob, _ identity: JobIdentity) {
    if let number = tasks.number(of: job, identity) {
      if let name = nameOfNextTask {
        nameOfNextTask = nil
        tasks.suggestName(name, for: number)
      }
      if configuration.isTraced { record.wakes(number) }
      queue.append(.job(job), owner: number)
    } else if let current = tasks.current {
      queue.append(.taskYield(job), owner: current)
    } else {
      queue.append(.actor(job), owner: running)
    }
  }

  /// Whether a job that was handed to the global executor belongs to the run.
  ///
  /// Others get onto the driver thread when an actor that they wait for is run by it.
  private func isOwn(_ identity: JobIdentity) -> Bool {
    if tasks.precedesRun(identity) { return false }
    // A task of the run has made the task; or it has been met before; or it is an actor, which
    // schedules itself for the sake of a task without a preference.
    return tasks.current != nil || tasks.hasMet(identity) || (identity.task == nil && hasAdopted)
  }
}

// `mailbox` is safe by itself; the rest is set up before the driver thread has the run.
// SAFETY: Only the driver touches it while it drives, and others only when it is through.
extension ScheduleExecutor: @unchecked Sendable {}
