#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A queue into which any thread puts and from which one thread takes, waiting if it has to.
final class Mailbox<Element: Sendable> {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let arrival: UnsafeMutablePointer<pthread_cond_t>
  /// What has been put and not been taken, oldest first.
  private var elements: [Element] = []
  /// Whether nothing can be put any more.
  private var isClosed = false

  init() {
    lock = .allocate(capacity: 1)
    arrival = .allocate(capacity: 1)
    precondition(pthread_mutex_init(lock, nil) == 0 && pthread_cond_init(arrival, nil) == 0)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(lock)
    arrival.deallocate()
    lock.deallocate()
  }

  /// Adds an element.
  ///
  /// - Returns: False if the mailbox is closed; it has not been added then.
  func put(_ element: Element) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    guard !isClosed else { return false }
    elements.append(element)
    pthread_cond_signal(arrival)
    return true
  }

  /// Takes everything out, oldest first.
  func takeAll() -> [Element] {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    guard !elements.isEmpty else { return [] }
    defer { elements = [] }
    return elements
  }

  /// Takes everything out and lets nothing in from here on.
  func close() -> [Element] {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    isClosed = true
    defer { elements = [] }
    return elements
  }

  /// Blocks the thread until there is something to take.
  func wait() {
    pthread_mutex_lock(lock)
    while elements.isEmpty { pthread_cond_wait(arrival, lock) }
    pthread_mutex_unlock(lock)
  }

  /// Blocks the thread until there is something to take, or for a limited time.
  ///
  /// - Returns: Whether there is something to take.
  func wait(milliseconds: Int) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = deadline.tv_nsec + (milliseconds % 1_000) * 1_000_000
    deadline.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while elements.isEmpty {
      guard pthread_cond_timedwait(arrival, lock, &deadline) == 0 else { break }
    }
    return !elements.isEmpty
  }
}

// SAFETY: `elements` and `isClosed` are touched under the lock only; the pointers never change.
extension Mailbox: @unchecked Sendable {}
