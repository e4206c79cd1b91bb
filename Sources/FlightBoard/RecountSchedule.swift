// How often an auditor recounts. A value without a graph and a clock, so that its bound can be tested
// with numbers.

/// Decides when an auditor recounts: at once, and then whenever an eighth as many events have been
/// played as there are flights.
///
/// A recount costs O(*n*) and holds up the feeds, so the events between two recounts grow with *n*
/// too. With a fixed distance instead, the number of recounts would grow with the file as well, and
/// the whole replay would take O(*n*²). As it is, an auditor recounts at most 17 times during a
/// replay, whatever the file, because a flight has two events at most.
///
/// Events are what is measured, rather than rounds or time: how many events a file has does not
/// depend on how the tasks take turns, and a graph without new events has nothing new to recount.
package struct RecountSchedule: Sendable, Equatable {
  /// The number of recounts while as many events are played as there are flights.
  private static let recountsPerFlight = 8

  /// The number of events from one recount to the next, at least.
  package let eventsBetweenRecounts: Int

  /// The number of events that had been played when the latest recount began; `nil` before the
  /// first.
  private var latest: Int?

  /// Makes a schedule whose first recount is due at once.
  ///
  /// - Parameter flightCount: The number of flights that a recount goes through.
  package init(flightCount: Int) {
    let share = RecountSchedule.recountsPerFlight
    eventsBetweenRecounts = max(1, (flightCount + share - 1) / share)
  }

  /// Whether a recount is due.
  ///
  /// - Parameter played: The number of events that have been played so far.
  /// - Returns: `true` before the first recount, and when enough has been played since the latest.
  package func isDue(afterEvents played: Int) -> Bool {
    guard let latest else { return true }
    return played - latest >= eventsBetweenRecounts
  }

  /// Begins to wait for the next recount.
  ///
  /// - Parameter played: The number of events that had been played when the recount began.
  package mutating func recounted(afterEvents played: Int) {
    latest = played
  }
}
