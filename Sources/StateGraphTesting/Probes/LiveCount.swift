/// Counts objects that are alive.
///
/// ```swift
/// let alive = LiveCount()
/// var node: Computed<Int>? = Computed { [token = alive.token()] _ in
///   withExtendedLifetime(token) { 1 }
/// }
/// node = nil
/// try await alive.wait(for: 0)   // the rule has been freed
/// ```
///
/// Whatever holds a token counts: a stored property, the captures of a closure, a value in a node.
public final class LiveCount: Sendable {
  /// Counts as one object from its making to its release.
  public final class Token: Sendable {
    private let count: LiveCount

    fileprivate init(_ count: LiveCount) {
      self.count = count
      count.monitor.withState { $0.alive += 1 }
    }

    deinit {
      count.monitor.withState { state in
        state.alive -= 1
        state.freed += 1
      }
    }
  }

  private struct State {
    var alive = 0
    var freed = 0
  }

  private let monitor = Monitor(State())

  /// Makes a counter without objects.
  public init() {}

  /// Makes a token, to be held by an object.
  public func token() -> Token { Token(self) }

  /// How many tokens are alive.
  public var current: Int { monitor.withState { $0.alive } }

  /// How many tokens have been freed.
  public var freed: Int { monitor.withState { $0.freed } }

  /// Waits until so many tokens are alive.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func wait(
    for count: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await monitor.wait(at: "\(count) live objects") { $0.alive == count }
  }
}
