import Synchronization

/// The last owner of an object that several tasks use, until one of them drops or replaces it.
///
/// Has a lock of its own: the thread sanitizer does not see the slow path of `Mutex`, which is in a
/// library, and reports races under contention.
final class Owner<Object: AnyObject & Sendable>: Sendable {
  private let isLocked = Atomic(false)
  // SAFETY: Used under the lock only.
  private nonisolated(unsafe) var content: Object?

  init(_ object: Object) {
    content = object
  }

  /// The object, as long as it has not been dropped.
  var object: Object? { withLock { content } }

  private func withLock(_ body: () -> Object?) -> Object? {
    while isLocked.exchange(true, ordering: .acquiring) {}
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }

  /// Lets go of the object, on the thread and in the isolation of the caller.
  func drop() {
    replace(by: nil)
  }

  /// Lets go of the object and owns another one.
  func replace(by other: Object?) {
    let object = withLock {
      defer { content = other }
      return content
    }
    // Outside of the lock: the end of an object may run code that comes here again.
    _ = consume object
  }
}
