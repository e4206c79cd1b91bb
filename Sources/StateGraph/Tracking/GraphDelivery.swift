/// When a group or a map runs again after commits that concern it.
public enum GraphDelivery: Sendable, Hashable {
  /// Soon: in a visit of the actor of its own, never on the stack of a writer.
  ///
  /// Commits that come before it are answered by one run. After a run that takes more than 20 µs there is
  /// none for nine times as long, so that it takes a tenth of the actor's time, whoever writes how often;
  /// the last state is always answered.
  case coalesced
  /// In the commit, once for each that changes something it has read, before the writer goes on; if
  /// a handler or a tracked expression writes, when that has ended.
  case immediate
}
