/// Places in the code of several tasks, numbered in the order in which a test wants them passed.
///
/// ```swift
/// let gates = NumberedGates()
/// async let reader: Void = { await read(); try await gates.pass(1); try await gates.pass(3) }()
/// async let writer: Void = { try await gates.pass(2); await write() }()
/// ```
///
/// A task that arrives at a number waits until all smaller ones have been passed. So the order of
/// the steps is written at the steps, and there is nothing to open.
public final class NumberedGates: Sendable {
  /// The numbers that have been passed: all up to this one.
  private let monitor = Monitor(0)

  /// Makes gates of which none has been passed.
  public init() {}

  /// Waits until all smaller numbers have been passed, and passes.
  ///
  /// - Parameters:
  ///   - number: The number of the place, from 1; each is passed once.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  /// - Precondition: The number has not been passed.
  public func pass(
    _ number: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let passed = monitor.withState { $0 }
    precondition(number > passed, "gate \(number) is passed twice")
    try await monitor.wait(at: "gate \(number)") { last in
      guard last == number - 1 else { return false }
      last = number
      return true
    }
  }

  /// The number that was passed last; 0 if none was.
  public var lastPassed: Int { monitor.withState { $0 } }
}
