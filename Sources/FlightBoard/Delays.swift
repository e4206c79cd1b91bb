// Means of many numbers, kept so that the order in which they come in makes no difference.

/// A sum of delays, from which the mean follows without loss in any order of events.
package struct Delays: Sendable, Equatable {
  /// The sum in minutes.
  package var total = 0

  /// The number of delays.
  package var count = 0

  /// Makes an empty sum.
  package init() {}

  /// The mean in minutes; `nil` when there is no delay.
  package var mean: Double? {
    count == 0 ? nil : Double(total) / Double(count)
  }

  /// Adds a delay, if there is one.
  package mutating func add(_ delay: Int?) {
    guard let delay else { return }
    total += delay
    count += 1
  }

  /// Adds another sum.
  package static func += (left: inout Delays, right: Delays) {
    left.total += right.total
    left.count += right.count
  }
}
