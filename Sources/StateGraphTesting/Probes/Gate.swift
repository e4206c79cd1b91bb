/// A place at which tasks wait until a test lets them go on.
///
/// ```swift
/// let gate = Gate("between read and write")
/// async let update: Void = update { try await gate.pass() }   // reads, waits, writes
/// try await gate.arrivals(1)                                  // it has read
/// await model.count.set(5)
/// gate.open()
/// try await update
/// ```
///
/// Works under real threads and in seeded runs, where a report of a deadlock names the gate.
/// Tasks pass in the order in which they arrived.
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    /// How many tasks may pass although the gate is shut.
    var permits = 0
    var arrivalCount = 0
    var passedCount = 0
  }

  private let name: String
  private let monitor: Monitor<State>

  /// Makes a gate.
  ///
  /// - Parameters:
  ///   - name: What reports call it.
  ///   - isOpen: Whether tasks may pass from the beginning.
  public init(_ name: String = "a gate", isOpen: Bool = false) {
    self.name = name
    monitor = Monitor(State(isOpen: isOpen))
  }

  /// Waits until the gate lets the task pass.
  ///
  /// - Parameter isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func pass(isolation: isolated (any Actor)? = #isolation) async throws {
    monitor.withState { $0.arrivalCount += 1 }
    try await monitor.wait(at: name) { state in
      guard state.isOpen || state.permits > 0 else { return false }
      if !state.isOpen { state.permits -= 1 }
      state.passedCount += 1
      return true
    }
  }

  /// Lets everybody pass, from now on.
  public func open() {
    monitor.withState { $0.isOpen = true }
  }

  /// Lets nobody pass any more, but for those who have a permit.
  public func shut() {
    monitor.withState { $0.isOpen = false }
  }

  /// Lets some tasks pass: those that wait, or else the next that come.
  ///
  /// - Parameter count: How many.
  public func admit(_ count: Int = 1) {
    monitor.withState { $0.permits += count }
  }

  /// Waits until tasks have arrived, whether they have passed or not.
  ///
  /// - Parameters:
  ///   - count: How many since the gate was made.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func arrivals(
    _ count: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await monitor.wait(at: "arrivals at \(name)") { $0.arrivalCount >= count }
  }

  /// How many tasks have arrived since the gate was made.
  public var arrivalCount: Int { monitor.withState { $0.arrivalCount } }

  /// How many tasks have passed since the gate was made.
  public var passedCount: Int { monitor.withState { $0.passedCount } }
}
