/// A clock whose time stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let rates = AsyncComputed(staleAfter: .seconds(60), clock: clock) { try await load() }
/// _ = try await rates.value
/// try await clock.sleepers(1)           // the result has a time to live
/// clock.advance(by: .seconds(60))       // which is over
/// ```
public final class ManualClock: Clock, Sendable {
  /// A moment: the time since the clock was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let offset: Duration

    /// The moment at a distance from this one.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How much later another moment is.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether one moment is before another.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    /// Until when those sleep who do; each has a number.
    var deadlines: [Int: Instant] = [:]
    var sleepCount = 0
  }

  private let monitor = Monitor(State())

  /// Makes a clock that stands at zero.
  public init() {}

  /// The time.
  public var now: Instant { monitor.withState { $0.now } }

  /// The smallest distance between two moments.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock has been advanced to a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled, at once.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = monitor.withState { state in
      state.sleepCount += 1
      state.deadlines[state.sleepCount] = deadline
      return state.sleepCount
    }
    defer { monitor.withState { _ = $0.deadlines.removeValue(forKey: number) } }
    try await monitor.wait(at: "a manual clock") { $0.now >= deadline }
  }

  /// Advances the time, and wakes those whose moment has come.
  ///
  /// - Parameter duration: By how much; not negative.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a clock does not go back")
    monitor.withState { $0.now = $0.now.advanced(by: duration) }
  }

  /// Waits until so many tasks sleep whose moment has not come.
  ///
  /// - Parameters:
  ///   - count: How many at least.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func sleepers(
    _ count: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await monitor.wait(at: "sleepers of a manual clock") { state in
      state.deadlines.values.count { $0 > state.now } >= count
    }
  }
}
