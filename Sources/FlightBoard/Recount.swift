// The second opinion: the same summaries as the graph's counters, from the statuses alone.

/// The summaries of all airports and airlines, by code.
struct Recount: Sendable, Equatable {
  /// The summary of each airport.
  private(set) var airports: [String: Summary] = [:]

  /// The summary of each airline.
  private(set) var carriers: [String: Summary] = [:]

  /// Makes a count of no flights.
  init() {}

  /// Counts one more flight.
  mutating func count(_ flight: Flight, _ status: Flight.Status) {
    airports[flight.origin, default: Summary()].count(flight, status)
    carriers[flight.carrier, default: Summary()].count(flight, status)
  }
}
