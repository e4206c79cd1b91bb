// What the file says about one flight, and the events that follow from it. Nothing here changes
// while the board runs: what changes is in the graph (Network.swift).

/// One flight of the file.
package struct Flight: Sendable, Equatable {
  /// Where a flight stands; the graph keeps it in a stored node per flight.
  package enum Status: Sendable {
    /// It has not left yet.
    case scheduled

    /// It is in the air.
    case departed

    /// It has arrived.
    case landed

    /// It will never leave.
    case cancelled
  }

  /// The code of the airline.
  package var carrier: String

  /// The number of the flight, unique for an airline, an airport and a day.
  package var number: Int

  /// The code of the airport it leaves from.
  package var origin: String

  /// The code of the airport it is bound for.
  package var destination: String

  /// When it should leave.
  package var scheduledDeparture: Moment

  /// When it left; `nil` if it was cancelled.
  package var departure: Moment?

  /// The minutes it left late (negative: early), if recorded.
  package var departureDelay: Int?

  /// When it arrived, by the clock of its destination; `nil` if it was cancelled or diverted.
  package var arrival: Moment?

  /// The minutes it arrived late (negative: early), if recorded.
  ///
  /// An arrival may have none: the flight was diverted and reached its destination after all.
  package var arrivalDelay: Int?
}

// MARK: - Events

extension Flight {
  /// Something that happens to a flight.
  package struct Event: Sendable, Equatable {
    /// What happens; the order of the cases orders the events of one minute.
    package enum Kind: Int, Sendable {
      /// The flight leaves.
      case departure

      /// The flight arrives.
      case arrival

      /// The flight is called off, at the time it should have left.
      case cancellation

      /// The status of a flight after the event.
      package var status: Status {
        switch self {
        case .departure: .departed
        case .arrival: .landed
        case .cancellation: .cancelled
        }
      }
    }

    /// When it happens.
    package var moment: Moment

    /// What happens.
    package var kind: Kind

    /// To which flight: its index in the file.
    package var flight: Int
  }

  /// The number of events in the life of the flight: 1 or 2.
  package var eventCount: Int {
    arrival == nil ? 1 : 2
  }

  /// The events of flights in time order; a flight departs before it arrives, in one minute too.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of indices.
  package static func timeline(of indices: [Int], in flights: [Flight]) -> [Event] {
    var events: [Event] = []
    for index in indices {
      let flight = flights[index]
      guard let departure = flight.departure else {
        events.append(
          Event(moment: flight.scheduledDeparture, kind: .cancellation, flight: index))
        continue
      }
      events.append(Event(moment: departure, kind: .departure, flight: index))
      guard let arrival = flight.arrival else { continue }
      events.append(Event(moment: arrival, kind: .arrival, flight: index))
    }
    return events.sorted {
      ($0.moment, $0.kind.rawValue, $0.flight) < ($1.moment, $1.kind.rawValue, $1.flight)
    }
  }
}
