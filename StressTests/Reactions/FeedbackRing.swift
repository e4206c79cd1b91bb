import StateGraph
import StateGraphTesting

/// Reactions each of which writes what the next one reads, and the last what the first one reads, with
/// values that never come to rest.
///
/// No cleanup is among them: it writes before the run reads, which may be in time for the ring to rest.
struct FeedbackRing: Sendable {
  /// How a change of one node of the ring becomes a change of the next.
  private enum Link: CaseIterable {
    /// A group that reads through a computed node.
    case groupOverComputed
    /// The handler of a map.
    case map
    /// A group that is nested in one which has no part in it.
    case nested
    /// The first run of a group that is nested in the one which reads.
    case firstRun
    /// A group, and the handler of the assignments of what it writes.
    case handler
    /// A transaction of a group.
    case transaction
  }

  private let links: [(link: Link, delivery: GraphDelivery)]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    links = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      let link = Link.allCases.randomElement(using: &random) ?? .map
      return (link, Bool.random(using: &random) ? .immediate : .coalesced)
    }
  }

  /// The names of those that cause each other, in their order.
  var members: [String] {
    links.indices.flatMap { place in
      switch links[place].link {
      case .firstRun: ["outer\(place)", "member\(place)"]
      case .handler: ["member\(place)", "node\(place)"]
      default: ["member\(place)"]
      }
    }
  }

  /// Sets the ring in motion.
  @GraphActor
  func run() async {
    let nodes = links.map { _ in Stored(0) }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate, name: "bystander") {
        for node in nodes { _ = node.wrappedValue }
      }
      for place in links.indices {
        begin(place, from: nodes[place], to: nodes[(place + 1) % nodes.count])
      }
    }
    nodes[0].wrappedValue = 1
    await GraphActor.settle()
    tracking.cancel()
  }

  @GraphActor
  private func begin(_ place: Int, from node: Stored<Int>, to next: Stored<Int>) {
    let (name, delivery) = ("member\(place)", links[place].delivery)
    func write(_ value: Int) { if value > 0 { next.wrappedValue = value + 1 } }
    switch links[place].link {
    case .groupOverComputed:
      let copy = node.map { $0 }
      withGraphTrackingGroup(delivery: delivery, name: name) { write(copy.wrappedValue) }
    case .map:
      withGraphTrackingMap(delivery: delivery, name: name) {
        node.wrappedValue
      } onChange: {
        @GraphActor in
        write($0)
      }
    case .nested:
      withGraphTrackingGroup(name: "outer\(place)") {
        withGraphTrackingMap(delivery: delivery, name: name) {
          node.wrappedValue
        } onChange: {
          @GraphActor in
          write($0)
        }
      }
    case .firstRun:
      withGraphTrackingGroup(delivery: delivery, name: "outer\(place)") {
        let value = node.wrappedValue
        withGraphTrackingGroup(name: name) { write(value) }
      }
    case .handler:
      let between = Stored(0, name: "node\(place)")
      between.onDidSet { write($1) }
      withGraphTrackingGroup(delivery: delivery, name: name) {
        between.wrappedValue = node.wrappedValue
      }
    case .transaction:
      let copy = node.map { $0 + 1 }
      withGraphTrackingGroup(delivery: delivery, name: name) {
        let value = copy.wrappedValue
        withGraphTransaction { write(value - 1) }
      }
    }
  }
}
