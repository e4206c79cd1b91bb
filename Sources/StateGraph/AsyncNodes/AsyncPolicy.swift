// How long the result of an async rule holds, and what becomes of a run that fails or takes long.

/// When a run of an async rule that has failed is tried again.
///
/// ```swift
/// let quote = AsyncComputed(retry: AsyncRetry(maximumAttempts: 4, delay: .milliseconds(100))) {
///   try await market.quote(for: symbol.value)
/// }
/// ```
///
/// Between two attempts the node is pending; what each attempt has read is a dependency of the run, so
/// a change of it begins another run at once.
public struct AsyncRetry: Sendable {
  /// How long to wait before the next attempt; nil if there is none.
  private let pause: @Sendable (_ error: any Error, _ attempt: Int) -> Duration?

  /// Tries again after a pause that grows from attempt to attempt.
  ///
  /// - Precondition: `maximumAttempts` and `factor` are at least 1, and `delay` is not negative.
  /// - Parameters:
  ///   - maximumAttempts: How often the rule runs at most, the first time included; at least 1.
  ///   - delay: The pause after the first attempt.
  ///   - factor: How many times as long each pause is as the one before; at least 1.
  ///   - maximumDelay: The longest pause.
  ///   - isRetryable: Says whether an error is worth another attempt; by default each is that is no
  ///     `CancellationError`. Called on the actor: it has to be quick.
  public init(
    maximumAttempts: Int, delay: Duration = .zero, factor: Int = 2,
    maximumDelay: Duration = .seconds(60),
    when isRetryable: @escaping @Sendable (any Error) -> Bool = { !($0 is CancellationError) }
  ) {
    if maximumAttempts < 1 { fatalError("StateGraph: a retry needs at least one attempt") }
    if factor < 1 { fatalError("StateGraph: the pauses of a retry must not shrink") }
    if delay < .zero { fatalError("StateGraph: the pause of a retry is negative") }
    self.init { error, attempt in
      guard attempt < maximumAttempts, isRetryable(error) else { return nil }
      var pause = delay
      for _ in 1..<attempt where pause < maximumDelay { pause *= factor }
      return min(pause, maximumDelay)
    }
  }

  /// Tries again as a closure decides.
  ///
  /// - Parameter pause: Says how long to wait after an error before the next attempt, or nil if there is
  ///   none; `attempt` is the number of the attempt that has failed, beginning with 1. Called on the
  ///   actor: it has to be quick.
  public init(pause: @escaping @Sendable (_ error: any Error, _ attempt: Int) -> Duration?) {
    self.pause = pause
  }

  func delay(after error: any Error, attempt: Int) -> Duration? { pause(error, attempt) }
}

/// An async rule has not returned within its time limit.
public struct AsyncTimeoutError: Error, Sendable, CustomStringConvertible {
  /// The name of the node, or where it was made.
  public let node: String
  /// How long an attempt may take.
  public let limit: Duration

  /// Which node, and which limit.
  public var description: String { "the rule of \(node) has not returned within \(limit)" }
}

/// How long the result of an async rule holds, and what becomes of a run that fails or takes long.
struct AsyncPolicy: Sendable {
  /// How long a result holds; for ever, if nil.
  var staleAfter: Duration?
  /// How long an attempt may take; as long as it likes, if nil.
  var timeout: Duration?
  /// Whether a run that has failed is tried again.
  var retry: AsyncRetry?
  /// What measures these times; the time of the tasks of the library, if nil.
  var clock: (any Clock<Duration>)?

  init(
    staleAfter: Duration?, timeout: Duration?, retry: AsyncRetry?, clock: (any Clock<Duration>)?
  ) {
    if let staleAfter, staleAfter <= .zero {
      fatalError("StateGraph: the result of an async rule has to hold for some time")
    }
    if let timeout, timeout <= .zero {
      fatalError("StateGraph: an async rule needs some time")
    }
    self.staleAfter = staleAfter
    self.timeout = timeout
    self.retry = retry
    self.clock = clock
  }

  /// Waits.
  ///
  /// - Returns: False if the task has been cancelled.
  func sleep(for duration: Duration) async -> Bool {
    guard let clock else {
      await GraphTasks.sleep(for: duration)
      return !Task.isCancelled
    }
    do {
      try await clock.sleep(for: duration)
    } catch {
      return false
    }
    return !Task.isCancelled
  }
}
