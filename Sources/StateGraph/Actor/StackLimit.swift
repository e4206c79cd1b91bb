#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// How deeply rules can be nested: the first evaluation of a chain goes through the rules of the user
// and recurses by nature.

extension Graph {
  /// Stops with a message before rules that read each other have used up the stack.
  ///
  /// The limit begins shortly below the outermost run, and is replaced by that of the thread when the
  /// stack gets there: asking the system is too slow for every run.
  @GraphActor
  func guardStack(of id: NodeID) {
    let address = stackPointer()
    if core.pointee.engine.runDepth == 1 {
      core.pointee.stackLimit = address &- StackLimit.unmeasured
    } else if address < core.pointee.stackLimit {
      measureStack(for: id, at: address)
    }
  }

  @GraphActor
  @inline(never)
  private func measureStack(for id: NodeID, at address: UInt) {
    // Of a thread about which nothing is known, or on whose stack the sanitizer puts no variables,
    // there is nothing to be said.
    guard let stack = StackLimit.ofCurrentThread(), stack.contains(address) else { return }
    core.pointee.stackLimit = stack.lowerBound + StackLimit.reserve(of: stack)
    if address < core.pointee.stackLimit { failDepth(cell(of: id)) }
  }
}

/// What is known of stacks, which grow downwards.
enum StackLimit {
  /// How many bytes rules can use before the thread is asked for its stack.
  static var unmeasured: UInt { 32 << 10 }

  /// How many bytes are left to the last rule and to the message.
  static func reserve(of stack: Range<UInt>) -> UInt { min(256 << 10, UInt(stack.count) / 4) }

  /// The addresses of the stack of the current thread; nil if the system does not say.
  static func ofCurrentThread() -> Range<UInt>? {
    #if canImport(Darwin)
      let top = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      return top - UInt(pthread_get_stacksize_np(pthread_self()))..<top
    #else
      var attributes = pthread_attr_t()
      guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { pthread_attr_destroy(&attributes) }
      var start: UnsafeMutableRawPointer?
      var size = 0
      guard pthread_attr_getstack(&attributes, &start, &size) == 0, let start else { return nil }
      let lowest = UInt(bitPattern: start)
      return lowest..<lowest + UInt(size)
    #endif
  }

  #if !canImport(Darwin)
    private typealias GetAttributes =
      @convention(c) (
        pthread_t, UnsafeMutablePointer<pthread_attr_t>
      ) -> CInt

    /// `pthread_getattr_np`, which the module of the C library leaves out because POSIX does.
    private static let getAttributes: GetAttributes? = {
      guard let symbol = dlsym(nil, "pthread_getattr_np") else { return nil }
      // SAFETY: The type is that of the declaration in `pthread.h`.
      return unsafeBitCast(symbol, to: GetAttributes.self)
    }()
  #endif
}

/// About where the stack ends at the moment.
///
/// Isolated to nothing: a closure that an isolated function gives to the standard library checks
/// its isolation each time.
@inline(__always)
@usableFromInline
nonisolated func stackPointer() -> UInt {
  var marker: UInt8 = 0
  return withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
}
