import Synchronization

/// State that tasks and plain threads share.
///
/// Has a lock of its own: the thread sanitizer does not see the slow path of `Mutex`, which is in a
/// library, and reports races under contention.
final class Locked<State>: Sendable {
  private let isLocked = Atomic(false)
  // SAFETY: Used under the lock only.
  private nonisolated(unsafe) var state: State

  init(_ state: sending State) {
    self.state = state
  }

  /// Runs a body that nobody else's body overlaps.
  ///
  /// - Parameter body: Short; must not end the life of an object whose end may come here again.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  func with<R>(_ body: (inout State) throws -> R) rethrows -> R {
    while isLocked.exchange(true, ordering: .acquiring) {}
    // Not a store: optimised code may take a reference that the body returns only after a store, when
    // somebody else may have let go of the object. It does not move that past an exchange.
    defer { _ = isLocked.exchange(false, ordering: .releasing) }
    return try body(&state)
  }
}

/// A count that tasks and plain threads share.
final class Tally: Sendable {
  private let count = Atomic(0)

  init() {}

  var value: Int { count.load(ordering: .acquiring) }

  /// Adds one.
  ///
  /// - Returns: The count with it.
  @discardableResult
  func add() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
