/// A watcher that may write.
// SAFETY: Mutable state is isolated to GraphActor.
class ReactionCell: WatcherCell, @unchecked Sendable {
  /// What its next run answers; nil if that is code from outside.
  @exclusivity(unchecked) @GraphActor final var cause: Cause?
  /// The first cause of what it has caused last.
  @exclusivity(unchecked) @GraphActor final var latestRoot: UInt64 = 0

  override final var kind: Engine.Kind { .reaction }
}
