// The graph: stored nodes for what the events change, computed nodes for what follows from them.
//
//   status of a flight ─────────────────────────────▶ recount
//   counters of an airport ──▶ its summary ──▶ network summary
//   counters of an airline ──▶ its summary
//   status of a flight ─────────────────────────────▶ median delay (off the actor)
//   clock, played, isOver; gates

import StateGraph

/// All flights of a file, and where they stand.
final class Network: Sendable {
  /// The flights, in the order of the file.
  let flights: [Flight]

  /// The status of each flight, at the index that the flight has.
  let statuses: [Stored<Flight.Status>]

  /// The time of the latest event so far.
  let clock: Stored<Moment>

  /// The number of events so far.
  let played: Stored<Int>

  /// Whether the last event has been played.
  ///
  /// The last commit of the replay sets it, and everyone who follows the graph ends by it.
  let isOver: Stored<Bool>

  /// The airports that flights leave from, by code.
  let airports: [Tally]

  /// The airlines, by code.
  let carriers: [Tally]

  /// The whole network: derived from the airports' summaries, not from flights.
  let summary: Computed<Summary>

  /// Every summary counted anew from the statuses: the same numbers by another way.
  ///
  /// It depends on every flight, so it costs O(*n*) when it is read after a change, and nothing
  /// as long as nobody reads it.
  let recount: Computed<Recount>

  /// The median of the departure delays so far, in minutes; `nil` before the first departure.
  ///
  /// All flights have to be sorted for it, so that is done off the graph's actor. Nobody asking for
  /// it, nobody sorts.
  let medianDelay: AsyncComputed<Int?>

  /// The gates of each airport.
  let gates: [Gates]

  /// The number of events in the file.
  let eventCount: Int

  /// Where the tallies of each flight are in `airports` and `carriers`.
  private let tallyIndices: [(airport: Int, carrier: Int)]

  /// Makes the graph of some flights, all of them scheduled.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of flights.
  init(flights: [Flight]) {
    self.flights = flights
    let airports = Network.tallies(of: flights, by: \.origin)
    let carriers = Network.tallies(of: flights, by: \.carrier)
    let statuses = flights.map {
      Stored(Flight.Status.scheduled, name: "\($0.carrier)\($0.number).status")
    }
    let airportIndices = Network.indices(of: airports)
    let carrierIndices = Network.indices(of: carriers)
    self.airports = airports
    self.carriers = carriers
    self.statuses = statuses
    tallyIndices = flights.map {
      (airportIndices[$0.origin, default: 0], carrierIndices[$0.carrier, default: 0])
    }
    eventCount = flights.reduce(0) { $0 + $1.eventCount }
    clock = Stored(
      flights.map(\.scheduledDeparture).min() ?? Moment(minutes: 0), name: "clock")
    played = Stored(0, name: "played")
    isOver = Stored(false, name: "isOver")
    summary = Computed(name: "network.summary") { _ in
      airports.reduce(Summary()) { $0 + $1.summary.wrappedValue }
    }
    let delays = Computed(name: "delays") { _ in
      Network.departureDelays(of: flights, statuses)
    }
    medianDelay = AsyncComputed(name: "medianDelay") {
      let sorted = await delays.value.sorted()
      return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }
    gates = airports.map { airport in
      Gates(
        of: airport.code, flights: flights.indices.filter { flights[$0].origin == airport.code })
    }
    recount = Computed(name: "recount") { _ in
      var recount = Recount()
      for (flight, status) in zip(flights, statuses) {
        recount.count(flight, status.wrappedValue)
      }
      return recount
    }
  }

  /// The flights that leave from an airport, by their indices.
  func flights(from airport: Tally) -> [Int] {
    flights.indices.filter { flights[$0].origin == airport.code }
  }
}

// MARK: - Writing

extension Network {
  /// Plays an event: one transaction, one commit, whatever the number of nodes.
  @GraphActor func play(_ event: Flight.Event) {
    let flight = flights[event.flight]
    let tallies = tallyIndices[event.flight]
    withGraphTransaction {
      statuses[event.flight].wrappedValue = event.kind.status
      clock.wrappedValue = max(clock.wrappedValue, event.moment)
      played.wrappedValue += 1
      airports[tallies.airport].record(event.kind, of: flight)
      carriers[tallies.carrier].record(event.kind, of: flight)
    }
  }

  /// Ends the replay when the last event has been played, whoever plays it.
  ///
  /// That is the last commit, by which everyone who follows the graph ends.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before that.
  func closeAfterLastEvent() async throws {
    try await graphWait { self.played.wrappedValue == self.eventCount }
    await isOver.set(true)
  }
}

// MARK: - Reading

extension Network {
  /// The delays of the flights that have left.
  @GraphActor private static func departureDelays(
    of flights: [Flight], _ statuses: [Stored<Flight.Status>]
  ) -> [Int] {
    zip(flights, statuses).compactMap { flight, status in
      switch status.wrappedValue {
      case .departed, .landed: flight.departureDelay
      case .scheduled, .cancelled: nil
      }
    }
  }
}

// MARK: - Making

extension Network {
  private static func tallies(of flights: [Flight], by code: KeyPath<Flight, String>) -> [Tally] {
    Dictionary(grouping: flights) { $0[keyPath: code] }
      .map { Tally(code: $0.key, flights: $0.value) }
      .sorted { $0.code < $1.code }
  }

  private static func indices(of tallies: [Tally]) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(tallies.map(\.code), tallies.indices))
  }
}
