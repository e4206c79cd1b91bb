// The sceptics. They read from outside, as a request handler of a service would, and try to catch
// the graph with half a commit.

import StateGraph

/// Reads the graph all the time and checks what must hold at every version.
struct Auditor: Sendable {
  private let network: Network

  /// Makes an auditor.
  init(of network: Network) {
    self.network = network
  }

  /// Audits until the replay is over, and once more then.
  ///
  /// The counters are compared with the statuses of all flights when `RecountSchedule` says so and
  /// at the end, the other checks are made in every round.
  ///
  /// - Returns: The latencies of the reads and the faults.
  func audit() async -> Findings {
    var findings = Findings()
    var remaining = network.eventCount
    var schedule = RecountSchedule(flightCount: network.flights.count)
    var round = 0
    while true {
      let isOver = await read(network.isOver, &findings)
      await checkOneByOne(round, &remaining, &findings)
      await checkInOneStep(&findings)
      let played = network.eventCount - remaining
      if isOver || schedule.isDue(afterEvents: played) {
        findings.report(await network.recountFaults())
        findings.recounts += 1
        schedule.recounted(afterEvents: played)
      }
      if isOver { return findings }
      round += 1
      // Reads of stored nodes do not suspend; without this an idle graph would be read by a task
      // that never lets go of its thread.
      await Task.yield()
    }
  }

  /// Reads from outside, one node at a time.
  ///
  /// Commits may fall between two reads, so only what holds across versions can be checked: the
  /// second read is never older than the first.
  private func checkOneByOne(
    _ round: Int, _ remaining: inout Int, _ findings: inout Findings
  ) async {
    let airport = network.airports[round % network.airports.count]
    let landed = await read(airport.landed, &findings)
    let departed = await read(airport.departed, &findings)
    findings.expect(
      landed <= departed, "\(airport.code): \(landed) landed, but later only \(departed) departed")
    let summary = await read(network.summary, &findings)
    findings.report(summary.faults(in: "network"))
    findings.expect(
      summary.remaining <= remaining,
      "the network went from \(remaining) events to come back to \(summary.remaining)")
    remaining = summary.remaining
  }

  /// Reads everything in one step on the graph's actor, between two commits.
  private func checkInOneStep(_ findings: inout Findings) async {
    findings.report(await GraphActor.run { network.faults() })
  }
}

// MARK: - Timed reads

extension Auditor {
  private func read<Value>(_ node: Stored<Value>, _ findings: inout Findings) async -> Value {
    let start = ContinuousClock.now
    let value = await node.value
    findings.readLatencies.record(ContinuousClock.now - start)
    return value
  }

  private func read<Value>(_ node: Computed<Value>, _ findings: inout Findings) async -> Value {
    let start = ContinuousClock.now
    let value = await node.value
    findings.readLatencies.record(ContinuousClock.now - start)
    return value
  }
}
