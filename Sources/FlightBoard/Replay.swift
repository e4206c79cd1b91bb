// Everything at once: the feeds write, the readers, the auditors and the board read, and the graph
// keeps them apart. There is no lock and no queue in this program.

import StateGraph

/// A run of a whole file through the graph.
struct Replay: Sendable {
  /// The number of auditors.
  static let auditorCount = 4

  /// The totals of the airports, by code.
  let airports: [Entry]

  /// The totals of the airlines, by code.
  let carriers: [Entry]

  /// The totals of the whole network.
  let network: Summary

  /// What the readers, the auditors and the counter of commits have seen.
  let findings: Findings

  /// How long it took, from the first event until every task had ended.
  let elapsed: Duration

  /// The median of the departure delays, in minutes; `nil` if no flight has left.
  let medianDelay: Int?

  /// The totals of an airport or an airline.
  struct Entry: Sendable, Equatable {
    /// The code.
    let code: String

    /// The totals.
    let summary: Summary
  }
}

// MARK: - Running

extension Replay {
  /// Plays all events of a network and waits until all tasks have ended.
  ///
  /// - Parameters:
  ///   - network: The network, before its first event.
  ///   - screen: Where the board is drawn while it runs; `nil` for no board.
  /// - Returns: The totals, taken in one step at the end, and what the tasks have seen.
  /// - Throws: `CancellationError` if the task is cancelled.
  static func run(_ network: Network, screen: Screen? = nil) async throws -> Replay {
    let start = ContinuousClock.now
    async let closed: Void = network.closeAfterLastEvent()
    let findings = await observe(network, screen)
    let elapsed = ContinuousClock.now - start
    try await closed
    let medianDelay = try await network.medianDelay.value
    return await totals(of: network, findings, elapsed, medianDelay)
  }

  private static func observe(_ network: Network, _ screen: Screen?) async -> Findings {
    // Not awaited by name: when this function ends, the board is cancelled, in its nap if need be.
    async let _ = Board.show(network, on: screen)
    return await withTaskGroup(of: Findings.self) { group in
      // Made before the feeds start: the first commit must find it listening.
      var counter = CommitCounter(of: network)
      for airport in network.airports {
        group.addTask { await Reader(of: airport).follow() }
      }
      for _ in 0..<auditorCount {
        group.addTask { await Auditor(of: network).audit() }
      }
      let control = GroundControl()
      for (gates, desk) in network.gates.flatMap({ gates in (0..<2).map { (gates, $0) } }) {
        group.addTask { await gates.work(desk: desk, asking: control) }
      }
      group.addTask { await play(network) }
      let counted = await counter.count()
      return await group.reduce(into: counted) { $0 += $1 }
    }
  }

  /// Plays the feeds of all airports at the same time.
  ///
  /// - Returns: Nothing that anyone could find fault with.
  private static func play(_ network: Network) async -> Findings {
    await withTaskGroup { group in
      for airport in network.airports {
        group.addTask { await Feed(of: airport, in: network).play() }
      }
    }
    return Findings()
  }

  /// The totals, taken in one step.
  @GraphActor private static func totals(
    of network: Network, _ findings: Findings, _ elapsed: Duration, _ medianDelay: Int?
  ) -> Replay {
    Replay(
      airports: network.airports.map { Entry(code: $0.code, summary: $0.summary.wrappedValue) },
      carriers: network.carriers.map { Entry(code: $0.code, summary: $0.summary.wrappedValue) },
      network: network.summary.wrappedValue, findings: findings, elapsed: elapsed,
      medianDelay: medianDelay)
  }
}
