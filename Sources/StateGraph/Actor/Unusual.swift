public import Synchronization

/// What is not as it mostly is, so that a write or a read has to look into it.
///
/// Writes and reads ask once whether there is nothing, and go the short way then. One word for what the
/// actor is in the middle of, kept by `DeliveryStateMachine`, and one that any thread may set.
@usableFromInline
package struct Unusual: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  // On the actor:

  /// Removals or writes are restricted.
  static var restricted: Unusual { Unusual(rawValue: 1 << 0) }
  /// A run or a handler that may write is on the call stack.
  static var acting: Unusual { Unusual(rawValue: 1 << 1) }
  /// The actor is in the synchronous code of a transaction.
  static var transaction: Unusual { Unusual(rawValue: 1 << 2) }
  /// Somebody follows the commits.
  static var commitsFollowed: Unusual { Unusual(rawValue: 1 << 3) }
  /// Something that has been replaced may have to be freed after the commit.
  @inlinable static var reclamationDue: Unusual { Unusual(rawValue: 1 << 4) }

  // From any thread:

  /// Transactions that await, or async rules, are under way.
  static var participants: Unusual { Unusual(rawValue: 1 << 5) }
  /// Cells have lost their owners.
  static var releases: Unusual { Unusual(rawValue: 1 << 6) }
  /// Somebody has begun to follow the commits.
  static var arrivals: Unusual { Unusual(rawValue: 1 << 7) }
}

extension Graph {
  /// Whether nothing unusual is the case: code from outside runs, in nothing that others have to know,
  /// and nothing is left to do.
  @GraphActor
  @inlinable
  @inline(__always)
  var isOrdinary: Bool {
    core.pointee.machine.unusual.rawValue | core.pointee.news.load(ordering: .relaxed) == 0
      && core.pointee.engine.runDepth == 0
  }

  /// Whether there may be streams of commits.
  @GraphActor var areCommitsFollowed: Bool {
    let unusual = core.pointee.machine.unusual.rawValue
    let news = core.pointee.news.load(ordering: .relaxed)
    return !Unusual(rawValue: unusual | news).isDisjoint(with: [.commitsFollowed, .arrivals])
  }

  /// Notes something that any thread may note.
  func note(_ news: Unusual) {
    core.pointee.news.bitwiseOr(news.rawValue, ordering: .releasing)
  }

  /// Notes that something is as usual again.
  func forget(_ news: Unusual) {
    guard core.pointee.news.load(ordering: .relaxed) & news.rawValue != 0 else { return }
    core.pointee.news.bitwiseAnd(~news.rawValue, ordering: .acquiringAndReleasing)
  }
}
