public import Synchronization

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
@usableFromInline
package final class WaitSlot<Element: Sendable>: Sendable {
  /// Why a wait has ended.
  @usableFromInline
  enum Outcome: Sendable {
    /// The actor has delivered.
    case element(Element)
    /// The actor has something: ask it.
    case signalled
    /// The task has been cancelled.
    case cancelled
  }

  // A debug build says when a wait is ended twice or is lost. And the thread sanitizer takes it for
  // a race if an unchecked continuation is resumed before its task has suspended
  // (swiftlang/swift#57803); a release build needs no allocation.
  #if DEBUG
    @usableFromInline typealias Continuation = CheckedContinuation<Outcome, Never>
  #else
    @usableFromInline typealias Continuation = UnsafeContinuation<Outcome, Never>
  #endif

  @usableFromInline
  enum State {
    @inlinable static var idle: UInt8 { 0 }
    @inlinable static var waiting: UInt8 { 1 }
    @inlinable static var signalled: UInt8 { 2 }
    @inlinable static var cancelled: UInt8 { 3 }
  }

  @usableFromInline let state = Atomic(State.idle)
  /// What a waiting consumer is resumed by.
  ///
  /// Written by the consumer before it makes the state `waiting`, with releasing ordering; read
  /// once, by whoever takes the state from there, with acquiring ordering.
  @exclusivity(unchecked)
  // SAFETY: Whoever wins the exchange of `state` is the only one to touch it.
  @usableFromInline nonisolated(unsafe) var continuation: Continuation?

  /// Waits until the actor or a cancellation ends the wait.
  ///
  /// - Precondition: Nobody else waits here.
  @inlinable
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    if isSignalled, takeSignal() {
      passes(.findsSignal)
      return .signalled
    }
    let outcome = await withTaskCancellationHandler {
      await suspend(isolation: isolation)
    } onCancel: {
      self.cancel()
    }
    // A continuation that is resumed before its task has suspended goes on without a switch; this
    // orders what the actor did before it resumed, for the sanitizer, too.
    _ = state.load(ordering: .acquiring)
    return outcome
  }

  /// Whether the consumer waits, so that a delivery now may reach it.
  @inlinable var isWaiting: Bool { state.load(ordering: .relaxed) == State.waiting }

  /// Whether the actor has something to say to a consumer that does not wait.
  @inlinable var isSignalled: Bool { state.load(ordering: .relaxed) == State.signalled }

  /// Forgets a signal: the consumer is about to be told all there is.
  @inlinable
  func clearSignal() {
    if takeSignal() { passes(.clearsSignal) }
  }

  @inlinable
  func takeSignal() -> Bool {
    state.compareExchange(expected: State.signalled, desired: State.idle, ordering: .acquiring)
      .exchanged
  }

  /// Delivers an element to a waiting consumer.
  ///
  /// - Returns: False if it does not wait, or no longer.
  @inlinable
  func resume(with element: Element) -> Bool {
    guard take(leaving: State.idle) else { return false }
    passes(.resumesConsumer)
    resumeContinuation(.element(element))
    return true
  }

  /// Makes the consumer ask the actor: now if it waits, otherwise instead of its next wait.
  @inlinable
  func signal() {
    while true {
      if take(leaving: State.idle) {
        passes(.signalsConsumer)
        return isMutated(.neverResumes) ? () : resumeContinuation(.signalled)
      }
      let (exchanged, original) = state.compareExchange(
        expected: State.idle, desired: State.signalled, ordering: .releasing)
      if exchanged { return passes(.signalsBusyConsumer) }
      if original != State.waiting { return }
    }
  }

  @inlinable
  func suspend(isolation: isolated (any Actor)?) async -> Outcome {
    #if DEBUG
      await withCheckedContinuation(isolation: isolation) { self.begin($0) }
    #else
      await withUnsafeContinuation(isolation: isolation) { self.begin($0) }
    #endif
  }

  @inlinable
  func begin(_ continuation: Continuation) {
    self.continuation = continuation
    let (exchanged, original) = state.compareExchange(
      expected: State.idle, desired: State.waiting, ordering: .releasing)
    if exchanged { return passes(.mustWait) }
    if original != State.waiting { self.continuation = nil }
    switch original {
    case State.signalled:
      passes(.findsSignal)
      // Only this consumer leaves the state, so a plain store would do; a cancel may be on its way.
      _ = state.compareExchange(expected: State.signalled, desired: State.idle, ordering: .relaxed)
      continuation.resume(returning: .signalled)
    case State.cancelled:
      passes(.findsCancelled)
      continuation.resume(returning: .cancelled)
    default:
      fatalError("StateGraph: two tasks wait for one iterator; give each its own")
    }
  }

  @inlinable
  func cancel() {
    let before = state.exchange(State.cancelled, ordering: .acquiring)
    guard before == State.waiting, !isMutated(.ignoresCancellation) else { return }
    passes(.cancelsWait)
    resumeContinuation(.cancelled)
  }

  @inlinable
  func take(leaving next: UInt8) -> Bool {
    state.compareExchange(
      expected: State.waiting, desired: isMutated(.resumesTwice) ? State.waiting : next,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  @inlinable
  func resumeContinuation(_ outcome: Outcome) {
    guard let continuation else {
      preconditionFailure("the state is waiting and there is no continuation")
    }
    self.continuation = nil
    continuation.resume(returning: outcome)
  }
}
