import Synchronization

/// A closure, with what it captures, of which anybody can let go on any thread.
///
/// ```text
///            take              put back
///   idle ───────────▶ in use ───────────▶ idle
///     │ release          │ release
///     ▼                  ▼
///   gone               gone          (who has it in use lets go when it is through)
/// ```
final class Releasable<Content: Sendable>: Sendable {
  private final class Box: Sendable {
    let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  private static var gone: UInt { 0 }
  private static var inUse: UInt { 1 }

  /// The address of a box, which owns a reference to it, or one of the constants above.
  private let state: Atomic<UInt>

  init(_ content: Content) {
    // SAFETY: The reference is owned by `state`; whoever exchanges the address takes it over.
    state = Atomic(UInt(bitPattern: Unmanaged.passRetained(Box(content)).toOpaque()))
  }

  deinit {
    release()
  }

  /// Runs a body with the content, unless it is gone or in use.
  ///
  /// - Returns: What the body returns; nil if it has not run.
  func use<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Content) async -> R
  ) async -> R? {
    guard let address = take() else { return nil }
    let result = await body(content(at: address))
    putBack(address)
    return result
  }

  /// Runs a synchronous body with the content, unless it is gone or in use.
  ///
  /// - Returns: What the body returns; nil if it has not run.
  func use<R>(_ body: (Content) -> R) -> R? {
    guard let address = take() else { return nil }
    let result = body(content(at: address))
    putBack(address)
    return result
  }

  /// Lets go of the content: now, or when whoever uses it is through.
  func release() {
    let before = state.exchange(Self.gone, ordering: .acquiring)
    if before > Self.inUse { free(before) }
  }

  /// Takes the content, unless it is gone or in use.
  ///
  /// - Returns: Where it is, for `content(at:)` and then `putBack`.
  func take() -> UInt? {
    let address = state.load(ordering: .relaxed)
    guard address > Self.inUse else { return nil }
    let isTaken = state.compareExchange(
      expected: address, desired: Self.inUse, ordering: .acquiring
    ).exchanged
    return isTaken ? address : nil
  }

  /// Ends what `take` began.
  func putBack(_ address: UInt) {
    let isBack = state.compareExchange(
      expected: Self.inUse, desired: address, ordering: .releasing
    ).exchanged
    if !isBack {
      passes(.releasesInUse)
      free(address)
    }
  }

  /// The content that has been taken.
  func content(at address: UInt) -> Content {
    // SAFETY: The caller has taken the address out of `state`, and with it the reference.
    unmanaged(address)._withUnsafeGuaranteedRef { $0.content }
  }

  private func free(_ address: UInt) {
    unmanaged(address).release()
  }

  // SAFETY: The caller owns the reference, see `content(at:)` and `release()`.
  private func unmanaged(_ address: UInt) -> Unmanaged<Box> {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else {
      preconditionFailure("the address of a box is not a pointer")
    }
    // SAFETY: Only `init` makes addresses, from boxes.
    return Unmanaged.fromOpaque(pointer)
  }
}
