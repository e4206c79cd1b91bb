import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The one thread on which seeded runs take their steps.
///
/// A thread of its own, so that no thread of the pool is blocked when a run has to wait for
/// another thread, and so that nested rules have the stack that they have in the pool.
enum DriverThread {
  /// The run that is taking its steps.
  // SAFETY: Only the driver thread reads or writes it; everybody else asks `isCurrent` first.
  nonisolated(unsafe) static var run: ScheduleExecutor?

  /// What the thread is to do.
  private static let work = Mailbox<@Sendable () -> Void>()
  /// Identifies the thread; 0 before it has begun.
  private static let identity = Atomic<UInt>(0)
  /// Starts the thread, the first time.
  private static let start: Void = {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 16 << 20)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, &attributes, { _ in DriverThread.loop() }, nil)
    precondition(result == 0, "no thread for seeded schedules: error \(result)")
    pthread_attr_destroy(&attributes)
  }()

  /// Whether the code that asks runs on the driver thread.
  ///
  /// The C library declares `pthread_self` constant, so a compiler may move it across an `await`;
  /// it cannot do that to a function that loads an atomic and is not inlined.
  static var isCurrent: Bool {
    @inline(never) get {
      let driver = identity.load(ordering: .acquiring)
      return driver != 0 && driver == ownIdentity
    }
  }

  /// Identifies the thread that asks.
  private static var ownIdentity: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Makes the thread do something, after what it has been given before.
  static func perform(_ body: @escaping @Sendable () -> Void) {
    _ = start
    _ = work.put(body)
  }

  private static func loop() -> UnsafeMutableRawPointer? {
    identity.store(ownIdentity, ordering: .releasing)
    TrapReport.installAlternateStack()
    while true {
      work.wait()
      for body in work.takeAll() { body() }
    }
  }
}
