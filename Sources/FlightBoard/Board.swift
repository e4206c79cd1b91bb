// What a person watches while the feeds play. Fifty thousand commits a second are no problem for a
// board that draws ten times a second: a stream keeps the latest value only, unless asked for more.

import StateGraph

/// The board that redraws on a terminal.
enum Board {
  /// What the board shows: values of one version.
  struct View: Sendable, Equatable {
    /// The time of the latest event.
    let clock: Moment

    /// The airports.
    let airports: [Replay.Entry]

    /// The network.
    let network: Summary

    /// The share of the events that have been played, from 0 to 1.
    let progress: Double
  }

  /// Draws the board again and again, ten times a second at most, until the replay is over.
  ///
  /// - Parameters:
  ///   - network: The network to watch.
  ///   - screen: Where to draw; it is left empty. With `nil` there is no board.
  static func show(_ network: Network, on screen: Screen?) async {
    guard var screen else { return }
    // Whatever the expression reads is tracked; it is read anew after a commit that changed it.
    let views = GraphTrackings.untilFinished {
      network.isOver.wrappedValue ? .finish : .next(view(of: network))
    }
    for await view in views {
      screen.draw(Report.lines(of: view))
      // Cut short when the replay ends: then the loop ends too.
      try? await Task.sleep(for: .milliseconds(100))
    }
    screen.erase()
  }

  @GraphActor private static func view(of network: Network) -> View {
    View(
      clock: network.clock.wrappedValue,
      airports: network.airports.map {
        Replay.Entry(code: $0.code, summary: $0.summary.wrappedValue)
      },
      network: network.summary.wrappedValue,
      progress: Double(network.played.wrappedValue) / Double(max(1, network.eventCount)))
  }
}
