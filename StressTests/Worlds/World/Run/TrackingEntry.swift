import StateGraph

/// A tracking that has been begun, with what is known of its groups and maps.
final class TrackingEntry: Sendable {
  let cancellable: GraphCancellable
  let records: [ReactionRecord]

  init(_ cancellable: GraphCancellable, _ records: [ReactionRecord]) {
    self.cancellable = cancellable
    self.records = records
  }
}

/// What a group or a map has seen last.
@GraphActor final class ReactionRecord {
  nonisolated let sources: [any Source]
  private(set) var runs = 0
  private(set) var seen: Int?
  /// What the nested groups of its latest run have seen.
  var nested: [ReactionRecord] = []

  nonisolated init(_ sources: [any Source]) {
    self.sources = sources
  }

  /// Reads the sources, verifies them, and notes what it has read.
  func look() -> Int {
    let sum = sources.reduce(0) { $0 + $1.number }
    runs += 1
    seen = sum
    let expected = GraphActor.withoutTracking {
      sources.reduce(0) { $0 + ($1 is any Writable ? $1.number : $1.expected) }
    }
    require(
      sum == expected, "recomputation",
      "a reaction to \(sources.map(\.name)) sees \(sum), not \(expected)")
    return sum
  }

  /// Verifies, after everything has been delivered, that it has seen the last change.
  func verifyEnd() {
    let expected = sources.reduce(0) { $0 + $1.expected }
    require(
      seen == expected, "deliveries",
      "a reaction to \(sources.map(\.name)) has last seen \(seen as Int?), not \(expected), in "
        + "\(runs) runs")
    for record in nested { record.verifyEnd() }
  }
}

/// An actor of its own, to which maps deliver.
@globalActor actor Elsewhere {
  static let shared = Elsewhere()
}
