import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Leaves a line on standard error when the process traps in a seeded run.
///
/// A precondition that fails ends the process before anybody could catch an error. The line that
/// says how to repeat the run is prepared before it begins; a handler of the signals of traps
/// writes it, with nothing but `write`, and then gives way to the handler that was there before.
enum TrapReport {
  /// The signals of traps and crashes.
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  /// The longest line.
  private static let capacity = 1 << 16

  /// The prepared line.
  // SAFETY: Never freed; written by whoever has passed the turnstile while `length` is 0.
  private nonisolated(unsafe) static let line =
    UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  /// The handlers that were there before, by signal.
  // SAFETY: Allocated once and never freed; written before the handler is installed.
  private nonisolated(unsafe) static let previous =
    UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
  /// How much of `line` is to be written; 0 when no run is under way.
  private static let length = Atomic(0)

  /// Installs the handlers, the first time that it is read.
  private static let isInstalled: Bool = {
    // The handler must find its globals initialised.
    _ = line
    for signal in signals {
      var action = sigaction()
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = { TrapReport.handle($0) }
      #else
        action.__sigaction_handler.sa_handler = { TrapReport.handle($0) }
      #endif
      action.sa_flags = Int32(SA_ONSTACK)
      sigaction(signal, &action, previous + Int(signal))
    }
    return true
  }()

  /// Prepares the line for a run that is about to begin.
  static func arm(_ text: String) {
    _ = isInstalled
    length.store(0, ordering: .sequentiallyConsistent)
    var count = 0
    for byte in "StateGraphTesting: the process ends during \(text)".utf8.prefix(capacity - 1) {
      line[count] = byte
      count += 1
    }
    line[count] = UInt8(ascii: "\n")
    length.store(count + 1, ordering: .sequentiallyConsistent)
  }

  /// Forgets the line.
  static func disarm() {
    length.store(0, ordering: .sequentiallyConsistent)
  }

  /// Lets the driver thread report that its stack has overflowed; to be called by it.
  static func installAlternateStack() {
    let size = 1 << 16
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = numericCast(size)
    sigaltstack(&stack, nil)
  }

  private static func handle(_ signal: Int32) {
    let count = length.exchange(0, ordering: .sequentiallyConsistent)
    if count > 0 { _ = write(STDERR_FILENO, line, count) }
    sigaction(signal, previous + Int(signal), nil)
    // A trap happens again when the handler returns; an abort does not.
    if signal == SIGABRT { raise(signal) }
  }
}
