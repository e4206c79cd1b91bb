import Synchronization

/// The last owner of an object that several tasks use, until one of them drops or replaces it.
final class Owner<Object: AnyObject & Sendable>: Sendable {
  private let content: Mutex<Object?>

  init(_ object: Object) {
    content = Mutex(object)
  }

  /// The object, as long as it has not been dropped.
  var object: Object? { content.withLock { $0 } }

  /// Lets go of the object, on the thread and in the isolation of the caller.
  func drop() {
    replace(by: nil)
  }

  /// Lets go of the object and owns another one.
  func replace(by other: Object?) {
    let object = content.withLock { content in
      defer { content = other }
      return content
    }
    // Outside of the lock: the end of an object may run code that comes here again.
    _ = consume object
  }
}
