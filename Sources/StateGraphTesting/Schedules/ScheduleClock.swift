/// A clock whose time is virtual in a seeded run.
///
/// A sleep ends in a step that the strategy picks among all others, and moves the time on to its
/// end; of several sleeps the one that ends first comes first. So no schedule waits, and a sleep
/// may end before a task that could run has run, as on a machine that is busy. Outside of a
/// seeded run it is a `ContinuousClock`.
///
/// ```swift
/// try await Task.sleep(for: .seconds(5), clock: ScheduleClock())
/// ```
public struct ScheduleClock: Clock {
  /// A moment: the time since the run began, or, outside of a run, since the clock was first used.
  public struct Instant: InstantProtocol {
    /// The time since the origin.
    public let offset: Duration

    /// The moment at a distance from this one.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later another moment is.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether one moment is before another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }
  }

  /// The origin outside of a seeded run.
  private static let origin = ContinuousClock.now

  /// Makes a clock; all of them show the same time.
  public init() {}

  /// The time.
  public var now: Instant {
    guard let run = ScheduleExecutor.current else {
      return Instant(offset: Self.origin.duration(to: .now))
    }
    return Instant(offset: run.now)
  }

  /// The smallest distance between two moments.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits for a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment; one that is past makes a point at which other tasks may run.
  ///   - tolerance: Ignored in a seeded run.
  /// - Throws: `CancellationError` if the task is cancelled, at once.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    guard let run = ScheduleExecutor.current else {
      let end = Self.origin.advanced(by: deadline.offset)
      return try await ContinuousClock().sleep(until: end, tolerance: tolerance)
    }
    let key = run.queue.makeKey()
    let isOver = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        run.park(.wakeUp(continuation, at: max(deadline.offset, run.now)), key: key)
      }
    } onCancel: {
      if ScheduleExecutor.current === run { run.unpark(key: key) }
    }
    guard isOver else { throw CancellationError() }
  }
}
