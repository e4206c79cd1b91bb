// The part of the graph that an airport and an airline have in common: stored counters, and one
// computed node that makes a summary of them.

import StateGraph

/// The counters of one airport or one airline.
///
/// The counters are nodes of their own although one struct in one node would do: so a transaction
/// has many nodes to keep together, and a reader may follow just the number it needs.
///
/// The class is a plain `Sendable` class of `let` nodes, not an actor-isolated one. Its nodes can
/// therefore be read from anywhere, `await tally.landed.value`, without visiting the graph's actor.
final class Tally: Sendable {
  /// The code of the airport or the airline.
  let code: String

  /// The number of flights; the file fixes it.
  let flights: Int

  /// The flights that have not left yet.
  let scheduled: Stored<Int>

  /// The flights that have left.
  let departed: Stored<Int>

  /// The flights that have arrived.
  let landed: Stored<Int>

  /// The flights in the air: counted up and down, not derived, so that it can be checked.
  let airborne: Stored<Int>

  /// The flights called off.
  let cancelled: Stored<Int>

  /// The events still to come.
  let remaining: Stored<Int>

  /// The sum of the departure delays.
  let departureDelays: Stored<Delays>

  /// The sum of the arrival delays.
  let arrivalDelays: Stored<Delays>

  /// All of these in one value, at one version of the graph.
  let summary: Computed<Summary>

  /// Makes the counters of some flights, all of them scheduled.
  init(code: String, flights: [Flight]) {
    self.code = code
    self.flights = flights.count
    scheduled = Stored(flights.count, name: "\(code).scheduled")
    departed = Stored(0, name: "\(code).departed")
    landed = Stored(0, name: "\(code).landed")
    airborne = Stored(0, name: "\(code).airborne")
    cancelled = Stored(0, name: "\(code).cancelled")
    remaining = Stored(flights.reduce(0) { $0 + $1.eventCount }, name: "\(code).remaining")
    departureDelays = Stored(Delays(), name: "\(code).departureDelays")
    arrivalDelays = Stored(Delays(), name: "\(code).arrivalDelays")
    // A rule captures the nodes it reads, never the object that owns it: the object would be kept
    // alive by its own node.
    summary = Computed(name: "\(code).summary") {
      [
        count = flights.count, scheduled, departed, landed, airborne, cancelled, remaining,
        departureDelays, arrivalDelays
      ] _ in
      var summary = Summary()
      summary.flights = count
      summary.scheduled = scheduled.wrappedValue
      summary.departed = departed.wrappedValue
      summary.landed = landed.wrappedValue
      summary.airborne = airborne.wrappedValue
      summary.cancelled = cancelled.wrappedValue
      summary.remaining = remaining.wrappedValue
      summary.departureDelays = departureDelays.wrappedValue
      summary.arrivalDelays = arrivalDelays.wrappedValue
      return summary
    }
  }

  /// Counts an event of one of the flights.
  ///
  /// - Precondition: It is called in a transaction; otherwise each line would be a commit.
  @GraphActor func record(_ kind: Flight.Event.Kind, of flight: Flight) {
    remaining.wrappedValue -= 1
    switch kind {
    case .departure:
      scheduled.wrappedValue -= 1
      departed.wrappedValue += 1
      airborne.wrappedValue += 1
      departureDelays.wrappedValue.add(flight.departureDelay)
    case .arrival:
      airborne.wrappedValue -= 1
      landed.wrappedValue += 1
      arrivalDelays.wrappedValue.add(flight.arrivalDelay)
    case .cancellation:
      scheduled.wrappedValue -= 1
      cancelled.wrappedValue += 1
    }
  }
}
