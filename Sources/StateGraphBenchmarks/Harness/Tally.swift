import StateGraph

/// Counts what rules and reactions do.
@GraphActor
final class Tally {
  var count = 0

  nonisolated init() {}
}
