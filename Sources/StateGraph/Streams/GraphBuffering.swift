/// What a stream keeps for a consumer that is behind.
public struct GraphBuffering: Sendable, Hashable {
  /// What is done with a change that finds no room.
  @usableFromInline
  enum Policy: Hashable, Sendable {
    case latest
    case unbounded
    case newest(Int)
    case oldest(Int)
  }

  @usableFromInline let policy: Policy

  /// Keeps nothing and takes the node's value when the consumer asks.
  ///
  /// The last value is never lost, values in between are. O(1) memory; costs a commit nothing while
  /// the consumer is busy.
  public static var latest: GraphBuffering { GraphBuffering(policy: .latest) }

  /// Keeps every change until it is taken.
  public static var unbounded: GraphBuffering { GraphBuffering(policy: .unbounded) }

  /// Keeps the newest changes and drops the oldest.
  ///
  /// - Parameter count: How many to keep, at least 1.
  /// - Returns: The policy.
  public static func newest(_ count: Int) -> GraphBuffering {
    precondition(count > 0, "a stream buffers at least one change, not \(count)")
    return GraphBuffering(policy: .newest(count))
  }

  /// Keeps the oldest changes and drops what comes while it is full.
  ///
  /// - Parameter count: How many to keep, at least 1.
  /// - Returns: The policy.
  public static func oldest(_ count: Int) -> GraphBuffering {
    precondition(count > 0, "a stream buffers at least one change, not \(count)")
    return GraphBuffering(policy: .oldest(count))
  }
}
