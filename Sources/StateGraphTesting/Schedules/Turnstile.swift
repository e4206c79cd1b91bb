import Synchronization

/// Lets one exploration through at a time: all of them share the driver thread and `GraphActor`.
final class Turnstile: Sendable {
  /// The turnstile of the process.
  static let shared = Turnstile()

  private struct State {
    var isTaken = false
    /// Who waits, longest first.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Runs a body when everybody who came before has left.
  func pass<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiters.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state in
      if state.waiters.isEmpty {
        state.isTaken = false
        return nil as CheckedContinuation<Void, Never>?
      }
      return state.waiters.removeFirst()
    }
    next?.resume()
  }
}
