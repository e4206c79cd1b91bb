// What must hold at every version of the graph. A reader that saw half a commit would find one of
// these broken: every event changes several nodes at once.

import StateGraph

extension Network {
  /// The faults of the graph at this moment: none, as long as the library keeps its word.
  ///
  /// It runs without a pause on the graph's actor, so all reads belong to one version.
  ///
  /// - Complexity: O(*a* + *c*), where *a* is the number of airports and *c* that of airlines.
  @GraphActor func faults() -> [String] {
    var faults: [String] = []
    let whole = summary.wrappedValue
    if played.wrappedValue + whole.remaining != eventCount {
      faults.append(
        "\(played.wrappedValue) events played + \(whole.remaining) to come is not \(eventCount)")
    }
    for (kind, tallies) in [("airports", airports), ("airlines", carriers)] {
      var sum = Summary()
      for tally in tallies {
        let summary = tally.summary.wrappedValue
        sum = sum + summary
        faults += summary.faults(in: tally.code)
      }
      if sum != whole {
        faults.append("the \(kind) do not add up to the network: \(sum) is not \(whole)")
      }
    }
    for (airport, gates) in zip(airports, gates) where !gates.isConsistent {
      faults.append("\(airport.code): a flight is at two gates, or at none")
    }
    return faults
  }

  /// The counters that differ from a count of the flights' statuses at the same version.
  ///
  /// - Complexity: O(*n*), where *n* is the number of flights.
  @GraphActor func recountFaults() -> [String] {
    let recount = recount.wrappedValue
    let pairs =
      airports.map { ($0, recount.airports[$0.code]) }
      + carriers.map { ($0, recount.carriers[$0.code]) }
    return pairs.compactMap { tally, expected in
      let counted = tally.summary.wrappedValue
      guard counted != expected else { return nil }
      return "\(tally.code): the counters say \(counted), the statuses say "
        + (expected.map { "\($0)" } ?? "nothing")
    }
  }
}
