import StateGraph
import StateGraphTesting
import Testing

/// Makes many runs of a protocol, each in another schedule, and records the first failure.
///
/// A body leaves the graph empty and sound; that is checked after each run.
struct Exploration {
  /// The seed of the first run; the others follow it.
  let seed: UInt64

  /// Makes 2,000 runs with random choices and 500 with priorities, times the scale.
  func explore(
    cancelling cancellations: [ScheduleCancellation] = [],
    _ body: @escaping @Sendable () async throws -> Void
  ) async {
    await reporting {
      try await withEverySchedule(
        upTo: 2_000 * StressScale.factor, from: seed, cancelling: cancellations
      ) {
        try await leavingNothing(body)
      }
      try await withEverySchedule(
        upTo: 500 * StressScale.factor, from: seed, strategy: .pct(), cancelling: cancellations
      ) {
        try await leavingNothing(body)
      }
    }
  }

  /// Makes a run of every schedule, or of every one with few interruptions.
  func exhaust(
    interruptions: Int? = nil, cancelling cancellations: [ScheduleCancellation] = [],
    _ body: @escaping @Sendable () async throws -> Void
  ) async {
    await reporting {
      let summary = try await withEverySchedule(
        upTo: 20_000, strategy: .depthFirst(interruptions: interruptions), cancelling: cancellations
      ) {
        try await leavingNothing(body)
      }
      #expect(summary.isExhaustive, "there are more schedules than \(summary)")
    }
  }

  /// Records a failure as an issue: those of an exit test reach its parent, errors do not.
  private func reporting(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      Issue.record(error)
    }
  }
}

/// Runs a body and checks that the graph is empty and sound afterwards.
private func leavingNothing(_ body: () async throws -> Void) async throws {
  try await body()
  try await GraphActor.run {
    let graph = Graph.shared
    let broken = graph.brokenInvariants()
    try Schedule.require(broken.isEmpty, broken.joined(separator: ", "))
    try Schedule.require(
      graph.nodeCount == 0 && graph.edgeCount == 0,
      "\(graph.nodeCount) nodes and \(graph.edgeCount) edges are left")
    try Schedule.require(graph.replacedValueCount == 0, "replaced values are left")
  }
}
