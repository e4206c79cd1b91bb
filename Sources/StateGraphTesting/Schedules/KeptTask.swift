#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A task that is kept in memory until the run has ended, so that it can be cancelled, and asked
/// whether it has ended, at any time.
final class KeptTask {
  /// The task; the only reference that this library has to it.
  private let task: UnsafeCurrentTask
  /// Where the task is.
  private let address: UnsafeRawPointer

  /// Keeps the task that a job belongs to.
  ///
  /// Fails for an `async let`: its memory belongs to its parent and cannot be kept. Retaining such
  /// a task does not change its reference count, which tells.
  ///
  /// - Precondition: The job is a part of a task, and is waiting to run.
  init?(_ job: UnownedJob) {
    guard let retainCount = Self.retainCount else { return nil }
    // SAFETY: The job of a task is the task, and a task whose job is waiting to run is alive.
    address = unsafeBitCast(job, to: UnsafeRawPointer.self)
    let before = retainCount(address)
    task = Self.retain(job)
    guard retainCount(address) > before else { return nil }
  }

  /// Cancels the task; does nothing if it has ended.
  func cancel() {
    task.cancel()
  }

  /// Whether the task has ended and nobody will ask for its result.
  ///
  /// The runtime has a reference to every task that has not ended, and a group to each child whose
  /// result it has not taken.
  var hasEnded: Bool { Self.retainCount.map { $0(address) == 1 } ?? false }

  @inline(never)
  private static func retain(_ job: UnownedJob) -> UnsafeCurrentTask {
    // SAFETY: Both are a reference to the task; the result retains it.
    unsafeBitCast(job, to: UnsafeCurrentTask.self)
  }

  /// `swift_retainCount`, where the program lets it be found.
  private static let retainCount: (@convention(c) (UnsafeRawPointer) -> Int)? = {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_retainCount") else { return nil }
    // SAFETY: The runtime exports the function under this name, with this type.
    return unsafeBitCast(symbol, to: (@convention(c) (UnsafeRawPointer) -> Int).self)
  }()
}
