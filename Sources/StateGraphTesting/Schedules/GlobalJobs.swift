import StateGraph
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Brings under control what a seeded run would start on the global executor.
///
/// A task made with `Task { }` or `Task.detached { }` inherits no executor preference. The
/// concurrency runtime has a hook for jobs that are handed to the global executor; a job that is
/// handed over by the driver thread goes to the run instead. Where the hook is missing (in a
/// statically linked program) such tasks run on the global executor, and the run does not see
/// them.
enum GlobalJobs {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// How often the library has started a task because of a release outside of every run.
  static let releasesElsewhere = Atomic(0)

  /// The hook that was there before.
  // SAFETY: Written once, before the hook is installed.
  private nonisolated(unsafe) static var next: Hook?

  /// Takes the library's tasks and sleeps into the run.
  private struct Redirection: GraphTasks.Redirection {
    func executor(for label: String) -> (any TaskExecutor)? {
      if let run = ScheduleExecutor.current {
        run.nameOfNextTask = label
        return run
      }
      releasesElsewhere.add(1, ordering: .relaxed)
      return nil
    }

    func sleep(for duration: Duration) async throws {
      try await Task.sleep(for: duration, clock: ScheduleClock())
    }

    var time: Duration { ScheduleClock().now.offset }
  }

  /// Installs both redirections, the first time that it is read.
  static let isInstalled: Bool = {
    GraphTasks.redirect(to: Redirection())
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    // SAFETY: The runtime declares the variable under this name, with this type, and reads it
    // whenever it hands a job to the global executor.
    let hook = symbol.assumingMemoryBound(to: Hook?.self)
    next = hook.pointee
    hook.pointee = { job, original in
      if let run = ScheduleExecutor.current, run.adopt(job) { return }
      if let next = GlobalJobs.next { next(job, original) } else { original(job) }
    }
    return true
  }()
}
