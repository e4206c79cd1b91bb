// The followers. A node is an asynchronous sequence of its values: the current one first, then one
// per commit that changed it. A slow reader skips values but never misses the last.

import StateGraph

/// Follows the summary of one airport until its last event.
struct Reader: Sendable {
  private let airport: Tally

  /// Makes a reader.
  init(of airport: Tally) {
    self.airport = airport
  }

  /// Iterates the summaries and checks each.
  ///
  /// - Returns: The number of elements and the faults.
  func follow() async -> Findings {
    var findings = Findings()
    var last: Int?
    for await summary in airport.summary.values {
      findings.streamElements += 1
      findings.report(summary.faults(in: airport.code))
      if let last {
        findings.expect(
          summary.remaining < last,
          "\(airport.code): a stream went from \(last) events to come to \(summary.remaining)")
      }
      last = summary.remaining
      // Leaving the loop is all it takes to end a subscription.
      if summary.remaining == 0 { break }
    }
    findings.expect(last == 0, "\(airport.code): a stream ended before the last event")
    return findings
  }
}
