import Synchronization

/// Where the one consumer of a subscription waits for the actor.
///
/// The consumer asks the actor for an element; if there is none it waits here, without entering
/// the actor again. Between the two the actor may have had something to say: then it has left a
/// signal, and the wait ends at once. Cancellation comes from any thread and wins or loses against
/// an element as a whole.
///
/// ```text
///             wait                resume / signal
///   idle ───────────▶ waiting ───────────────────▶ idle     (the consumer goes on)
///     │ signal           │ cancel
///     ▼                  ▼
///   signalled         cancelled                             (for good)
/// ```
final class WaitSlot<Element: Sendable>: Sendable {
  /// Why a wait has ended.
  enum Outcome {
    /// The actor has delivered.
    case element(Element)
    /// The actor has something: ask it.
    case signalled
    /// The task has been cancelled.
    case cancelled
  }

  private enum State: UInt8, AtomicRepresentable {
    case idle, waiting, signalled, cancelled
  }

  private let state = Atomic(State.idle)
  /// What a waiting consumer is resumed by.
  ///
  /// Written by the consumer before it makes the state `waiting`, with releasing ordering; read
  /// once, by whoever takes the state from there, with acquiring ordering.
  // SAFETY: Whoever wins the exchange of `state` is the only one to touch it.
  private nonisolated(unsafe) var continuation: UnsafeContinuation<Outcome, Never>?

  /// Waits until the actor or a cancellation ends the wait.
  ///
  /// - Precondition: Nobody else waits here.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    if isSignalled, takeSignal() { return .signalled }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        self.begin(continuation)
      }
    } onCancel: {
      self.cancel()
    }
  }

  /// Whether the consumer waits, so that a delivery now may reach it; it has done what it did before.
  var isWaiting: Bool { state.load(ordering: .acquiring) == .waiting }

  /// Whether the actor has something to say to a consumer that does not wait.
  var isSignalled: Bool { state.load(ordering: .relaxed) == .signalled }

  /// Forgets a signal: the consumer is about to be told all there is.
  func clearSignal() {
    _ = takeSignal()
  }

  private func takeSignal() -> Bool {
    state.compareExchange(expected: .signalled, desired: .idle, ordering: .acquiring).exchanged
  }

  /// Delivers an element to a waiting consumer.
  ///
  /// - Returns: False if it does not wait, or no longer.
  func resume(with element: Element) -> Bool {
    guard take(leaving: .idle) else { return false }
    resumeContinuation(.element(element))
    return true
  }

  /// Makes the consumer ask the actor: now if it waits, otherwise instead of its next wait.
  func signal() {
    while true {
      if take(leaving: .idle) { return resumeContinuation(.signalled) }
      let (exchanged, original) = state.compareExchange(
        expected: .idle, desired: .signalled, ordering: .releasing)
      if exchanged || original != .waiting { return }
    }
  }

  private func begin(_ continuation: UnsafeContinuation<Outcome, Never>) {
    self.continuation = continuation
    let (exchanged, original) = state.compareExchange(
      expected: .idle, desired: .waiting, ordering: .releasing)
    if exchanged { return }
    if original != .waiting { self.continuation = nil }
    switch original {
    case .signalled:
      // Only this consumer leaves the state, so a plain store would do; a cancel may be on its way.
      _ = state.compareExchange(expected: .signalled, desired: .idle, ordering: .relaxed)
      continuation.resume(returning: .signalled)
    case .cancelled:
      continuation.resume(returning: .cancelled)
    case .waiting, .idle:
      fatalError("StateGraph: two tasks wait for one iterator; give each its own")
    }
  }

  private func cancel() {
    let before = state.exchange(.cancelled, ordering: .acquiringAndReleasing)
    if before == .waiting { resumeContinuation(.cancelled) }
  }

  private func take(leaving next: State) -> Bool {
    state.compareExchange(
      expected: .waiting, desired: next, ordering: .acquiring
    ).exchanged
  }

  private func resumeContinuation(_ outcome: Outcome) {
    guard let continuation else {
      preconditionFailure("the state is waiting and there is no continuation")
    }
    self.continuation = nil
    continuation.resume(returning: outcome)
  }
}
