import Synchronization

/// The one place where the library starts a task of its own.
package enum GraphTasks {
  /// Answers, on the thread that is about to start a task, on which executor the task is to run.
  ///
  /// Nil leaves it to the global executor.
  package typealias Redirection = @Sendable () -> (any TaskExecutor)?

  /// What redirects the tasks, once somebody does.
  private static let redirector = AtomicLazyReference<Redirector>()
  /// How many tasks on the global executor have been started and have not ended.
  private static let unfinished = Atomic(0)

  private final class Redirector: Sendable {
    let redirection: Redirection

    init(_ redirection: @escaping Redirection) {
      self.redirection = redirection
    }
  }

  /// Redirects the tasks that the library starts from now on; the first call in a process counts.
  ///
  /// For seeded schedules, which must have every task of the library under control. The closure is
  /// called wherever a node is released: on any thread, in the middle of anything.
  ///
  /// - Parameter redirection: Chooses the executor.
  package static func redirect(_ redirection: @escaping Redirection) {
    _ = redirector.storeIfNil(Redirector(redirection))
  }

  /// Whether no task runs on the global executor, as far as this thread has heard.
  package static var areFinished: Bool { unfinished.load(ordering: .acquiring) == 0 }

  /// Runs a body on the actor, soon.
  static func start(_ body: @escaping @GraphActor @Sendable () -> Void) {
    if let executor = redirector.load()?.redirection() {
      Task(executorPreference: executor) { await body() }
      return
    }
    unfinished.add(1, ordering: .relaxed)
    Task {
      await body()
      unfinished.subtract(1, ordering: .releasing)
    }
  }
}
