// The writers. Each airport has a task of its own, so several transactions want the graph at any
// time; the actor lets them in one after the other.

/// The events of one airport, played in time order.
struct Feed: Sendable {
  private let network: Network
  private let events: [Flight.Event]

  /// Makes the feed of an airport.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of flights of the network.
  init(of airport: Tally, in network: Network) {
    self.network = network
    events = Flight.timeline(of: network.flights(from: airport), in: network.flights)
  }

  /// Plays all events, as fast as possible.
  func play() async {
    for event in events {
      await network.play(event)
    }
  }
}
