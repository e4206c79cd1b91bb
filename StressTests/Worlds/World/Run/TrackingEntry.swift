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
  private(set) var nested: [ReactionRecord] = []
  /// Whether a new run of the group that it was made in has begun.
  private var isOver = false
  /// The group that it was made in.
  private weak var outer: ReactionRecord?

  /// The tracking that it belongs to, once that is known.
  private let tracking: Locked<World.Forgotten>

  nonisolated init(
    _ sources: [any Source], in tracking: Locked<World.Forgotten> = Locked(World.Forgotten())
  ) {
    self.sources = sources
    self.tracking = tracking
  }

  /// Notes that the run under way has made others.
  func add(_ record: ReactionRecord) {
    nested.append(record)
    record.outer = self
  }

  /// Notes that a run begins, which ends what the run before has made.
  private func endNested() {
    for record in nested {
      record.isOver = true
      record.endNested()
    }
    nested = []
  }

  /// Verifies that it may run: what it is nested in comes first.
  private func verifyOrder() {
    require(!isOver, "nesting", "a reaction to \(names) runs after the end of what made it")
    // The first run is a part of the outer one's, which may have written what that has read.
    guard let outer, runs > 0 else { return }
    let expected = GraphActor.withoutTracking { outer.expected }
    // Another thread may be in the middle of cancelling, and have ended the outer one only.
    require(
      outer.seen == expected || isEnding, "nesting",
      "a reaction to \(names) runs before the outer one, which is to see \(expected)")
    outer.verifyOrder()
  }

  private var isEnding: Bool { tracking.with { $0.cancellable }?.isCancelled ?? true }

  private var names: [String] { sources.map(\.name) }

  /// What its sources come to.
  private var expected: Int {
    sources.reduce(0) { $0 + ($1 is any Writable ? $1.number : $1.expected) }
  }

  /// Reads the sources, verifies them, and notes what it has read.
  func look() -> Int {
    endNested()
    verifyOrder()
    let sum = sources.reduce(0) { $0 + $1.number }
    runs += 1
    seen = sum
    let expected = GraphActor.withoutTracking { self.expected }
    require(
      sum == expected, "recomputation",
      "a reaction to \(names) sees \(sum), not \(expected)")
    return sum
  }

  /// Verifies, after everything has been delivered, that it has seen the last change.
  func verifyEnd() {
    let expected = sources.reduce(0) { $0 + $1.expected }
    require(
      seen == expected, "deliveries",
      "a reaction to \(names) has last seen \(seen as Int?), not \(expected), in "
        + "\(runs) runs")
    for record in nested { record.verifyEnd() }
  }
}

/// An actor of its own, to which maps deliver.
@globalActor actor Elsewhere {
  static let shared = Elsewhere()
}
