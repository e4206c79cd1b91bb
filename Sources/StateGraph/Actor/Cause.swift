/// A run of a reaction, or of a handler, that has written what others answer, and what it answered
/// itself.
///
/// Made when the first of its writes concerns a reaction, so runs that only read make none.
// SAFETY: Constant, but for `parent`, which only the last owner of the cause changes, in `deinit`.
final class Cause: @unchecked Sendable {
  /// The cell of the reaction, or of the node whose assignments are handled; nil for other handlers.
  let member: ObjectIdentifier?
  /// What messages call the member.
  let origin: NodeOrigin
  /// What it answered; nil if that was code from outside.
  private(set) var parent: Cause?
  /// The number of the first cause, which all that follow from it share.
  let root: UInt64

  /// Makes a cause.
  ///
  /// - Parameters:
  ///   - member: The cell of the reaction, or of the node whose assignments are handled.
  ///   - origin: What messages call it.
  ///   - parent: What it answers.
  ///   - root: The number of the first cause.
  init(member: ObjectIdentifier?, origin: NodeOrigin, parent: Cause?, root: UInt64) {
    self.member = member
    self.origin = origin
    self.parent = parent
    self.root = root
  }

  deinit {
    // A loop, because a long chain of causes would be freed by recursion.
    var next = parent.take()
    while isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
  }

  /// How often a member is among a cause and its causes.
  ///
  /// - Complexity: O(causes).
  static func repetitions(of member: ObjectIdentifier, in cause: Cause?) -> Int {
    var count = 0
    var next = cause
    while let cause = next {
      if cause.member == member { count += 1 }
      next = cause.parent
    }
    return count
  }

  /// The members that cause each other between the latest run of a member and the one before, in
  /// that order.
  static func cycle(of member: ObjectIdentifier, from cause: Cause) -> [NodeOrigin] {
    var origins: [NodeOrigin] = []
    var next: Cause? = cause
    while let cause = next {
      origins.append(cause.origin)
      if cause.member == member { break }
      next = cause.parent
    }
    return origins.reversed()
  }
}
