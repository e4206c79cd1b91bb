// The value that the computed nodes hold. It is a plain struct: the graph moves values, it does not
// care what they are, as long as they are Sendable; Equatable lets it stop a wave that changes
// nothing.

/// Where the flights of an airport, of an airline or of the whole network stand.
package struct Summary: Sendable, Equatable {
  /// All flights.
  package var flights = 0

  /// Those that have not left yet.
  package var scheduled = 0

  /// Those that have left, landed or not.
  package var departed = 0

  /// Those that have arrived.
  package var landed = 0

  /// Those in the air.
  package var airborne = 0

  /// Those called off.
  package var cancelled = 0

  /// The events that are still to come.
  package var remaining = 0

  /// The departure delays of the flights that have left.
  package var departureDelays = Delays()

  /// The arrival delays of the flights that have arrived.
  package var arrivalDelays = Delays()

  /// Makes the summary of no flights.
  package init() {}

  /// The summary of two sets of flights together.
  package static func + (left: Summary, right: Summary) -> Summary {
    var sum = left
    sum.flights += right.flights
    sum.scheduled += right.scheduled
    sum.departed += right.departed
    sum.landed += right.landed
    sum.airborne += right.airborne
    sum.cancelled += right.cancelled
    sum.remaining += right.remaining
    sum.departureDelays += right.departureDelays
    sum.arrivalDelays += right.arrivalDelays
    return sum
  }
}

// MARK: - Counting by hand

extension Summary {
  /// Counts one more flight, given where it stands.
  ///
  /// The graph does not use this for its counters: it is the other way to the same numbers, from
  /// the statuses alone, by which they are verified.
  package mutating func count(_ flight: Flight, _ status: Flight.Status) {
    flights += 1
    switch status {
    case .scheduled:
      scheduled += 1
      remaining += flight.eventCount
    case .departed, .landed:
      departed += 1
      departureDelays.add(flight.departureDelay)
      if status == .landed {
        landed += 1
        arrivalDelays.add(flight.arrivalDelay)
      } else {
        airborne += 1
        remaining += flight.eventCount - 1
      }
    case .cancelled:
      cancelled += 1
    }
  }
}

// MARK: - Checking

extension Summary {
  /// The numbers that do not agree with each other.
  ///
  /// A summary is one value of one version of the graph, so it can be checked anywhere.
  package func faults(in name: String) -> [String] {
    var faults: [String] = []
    if scheduled + departed + cancelled != flights {
      faults.append(
        "\(name): \(scheduled) scheduled + \(departed) departed + \(cancelled) cancelled "
          + "is not \(flights)")
    }
    if airborne != departed - landed {
      faults.append("\(name): \(airborne) airborne is not \(departed) departed − \(landed) landed")
    }
    return faults
  }
}
