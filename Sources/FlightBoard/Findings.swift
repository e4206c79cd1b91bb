// What the tasks around the graph bring home. Each returns its own, and they are added up at the
// end: nothing is shared while the board runs but the graph.

/// What one or more tasks have seen.
package struct Findings: Sendable {
  /// The faults that are kept in words; the others are counted only.
  package static let keptFaults = 10

  /// The commits that played an event.
  package var commits = 0

  /// The elements that the readers' streams delivered.
  package var streamElements = 0

  /// How often the auditors compared the counters with the statuses of all flights.
  package var recounts = 0

  /// How long each read from outside took.
  package var readLatencies = LatencyHistogram()

  /// The number of faults.
  package private(set) var violations = 0

  /// The first faults, in words.
  package private(set) var faults: [String] = []

  /// Makes findings of nothing.
  package init() {}

  /// Reports faults.
  package mutating func report(_ new: [String]) {
    violations += new.count
    faults += new.prefix(Findings.keptFaults - faults.count)
  }

  /// Reports a fault unless something holds.
  package mutating func expect(_ holds: Bool, _ fault: @autoclosure () -> String) {
    guard !holds else { return }
    report([fault()])
  }

  /// Adds the findings of another task.
  package static func += (left: inout Findings, right: Findings) {
    left.commits += right.commits
    left.streamElements += right.streamElements
    left.recounts += right.recounts
    left.readLatencies.merge(right.readLatencies)
    left.violations += right.violations
    left.faults += right.faults.prefix(keptFaults - left.faults.count)
  }
}
