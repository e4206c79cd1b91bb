import Synchronization

/// Where one task waits until others have arrived a number of times.
///
/// What is compared with one another uses the same, so that its cost is on both sides.
final class Countdown: Sendable {
  private struct State {
    var remaining: Int
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  /// Makes a countdown from a number of arrivals.
  init(_ count: Int) {
    state = Mutex(State(remaining: count))
  }

  /// Begins again from a number of arrivals; nobody may be waiting.
  func restart(from count: Int) {
    state.withLock {
      check($0.remaining, equals: 0, "arrivals that were not waited for")
      $0.remaining = count
    }
  }

  /// Counts one arrival.
  func arrive() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.remaining -= 1
      guard state.remaining == 0 else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for the last arrival.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.remaining > 0 { state.waiter = continuation }
        return state.remaining <= 0
      }
      if isOver { continuation.resume() }
    }
  }
}
