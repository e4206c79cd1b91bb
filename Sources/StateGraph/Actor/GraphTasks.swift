import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The one place where the library starts a task of its own, or sleeps.
package enum GraphTasks {
  /// What takes the place of the global executor and of the clock, for seeded schedules, which must
  /// have every task of the library under control.
  package protocol Redirection: Sendable {
    /// Answers, on the thread that is about to start a task, on which executor the task is to run.
    ///
    /// Called in the middle of anything, on any thread.
    ///
    /// - Parameter label: What the task does.
    /// - Returns: Nil leaves it to the global executor.
    func executor(for label: String) -> (any TaskExecutor)?

    /// Sleeps.
    func sleep(for duration: Duration) async throws

    /// The time since some moment.
    var time: Duration { get }
  }

  /// What redirects the tasks, once somebody does.
  private static let redirector = AtomicLazyReference<Redirector>()
  /// How many tasks on the global executor have been started and have not ended.
  private static let unfinished = Atomic(0)

  private final class Redirector: Sendable {
    let redirection: any Redirection

    init(_ redirection: any Redirection) {
      self.redirection = redirection
    }
  }

  /// Redirects the tasks that the library starts from now on; the first call in a process counts.
  package static func redirect(to redirection: any Redirection) {
    _ = redirector.storeIfNil(Redirector(redirection))
    // A reader that does not suspend would be a step without an end, and its yields would depend on
    // what the process has read before.
    Graph.shared.core.pointee.readers.yieldInterval = 1
  }

  /// Whether no task runs on the global executor, as far as this thread has heard.
  package static var areFinished: Bool { unfinished.load(ordering: .acquiring) == 0 }

  /// Runs a body on the actor, soon.
  static func start(_ label: String, _ body: @escaping @GraphActor @Sendable () -> Void) {
    launch(label) { await body() }
  }

  /// Runs an asynchronous body, soon.
  ///
  /// The body takes part in nothing that the current task takes part in.
  ///
  /// - Parameters:
  ///   - label: What the task does.
  ///   - preference: The executor that the task prefers, unless the tasks are redirected.
  ///   - body: What the task runs.
  /// - Returns: The task, to be cancelled.
  @discardableResult
  static func launch(
    _ label: String, on preference: (any TaskExecutor)? = nil,
    _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if let executor = redirector.load()?.redirection.executor(for: label) {
      return Task.detached(executorPreference: executor) { await body() }
    }
    unfinished.add(1, ordering: .relaxed)
    return Task.detached(executorPreference: preference) {
      await body()
      unfinished.subtract(1, ordering: .releasing)
    }
  }

  /// The time since some moment, in nanoseconds.
  static var time: Int64 {
    nanoseconds(redirector.load()?.redirection.time ?? origin.duration(to: .now))
  }

  /// How long the current thread has been running, in nanoseconds.
  ///
  /// - Complexity: O(1): some 200 ns, a call of the system.
  static var threadTime: Int64 {
    if let redirection = redirector.load()?.redirection { return nanoseconds(redirection.time) }
    var time = timespec()
    // SAFETY: The clock is there on every system that the library runs on.
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return Self.time }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  private static let origin = ContinuousClock.now

  /// Sleeps; returns at once when the task is cancelled.
  static func sleep(for duration: Duration) async {
    do {
      if let redirection = redirector.load()?.redirection {
        try await redirection.sleep(for: duration)
      } else {
        try await Task.sleep(for: duration)
      }
    } catch {
      // Cancelled: whoever sleeps here goes on, and asks for itself whether it is to end.
    }
  }

  /// Runs a body in a child task, which is cancelled when the time is up.
  ///
  /// - Returns: What the body returns, and whether it was cancelled because the time was up.
  static func withTimeout<R: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async -> R
  ) async -> (value: R, isLate: Bool) {
    await withTaskGroup(of: R?.self) { group in
      group.addTask { await body() }
      group.addTask {
        await sleep(for: timeout)
        return nil
      }
      var isLate = false
      while let ended = await group.next() {
        if let value = ended {
          group.cancelAll()
          return (value, isLate)
        }
        isLate = !Task.isCancelled
        group.cancelAll()
      }
      preconditionFailure("a body with a timeout has not returned")
    }
  }
}
