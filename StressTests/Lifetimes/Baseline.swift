import StateGraph
import StateGraphTesting

/// What must be left in a graph when everything that was made has been dropped, in a process of
/// its own.
enum Baseline {
  /// Waits until nothing is left, and stops the process if something stays.
  ///
  /// A task lets go of what it captured a moment after its value has been delivered, and what
  /// readers held up is freed by a task, so it takes a while; the deadline is for a message in place
  /// of a test that hangs.
  static func expectNothing(of alive: LiveCount? = nil) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !isReached(alive), .now < deadline { await Task.yield() }
    let left = alive?.current ?? 0
    precondition(left == 0, "\(left) objects are left")
    await GraphActor.run {
      let graph = Graph.shared
      precondition(graph.nodeCount == 0, "\(graph.nodeCount) nodes are left")
      precondition(graph.edgeCount == 0, "\(graph.edgeCount) edges are left")
      precondition(graph.participantCount == 0, "\(graph.participantCount) take part")
      precondition(graph.replacedValueCount == 0, "\(graph.replacedValueCount) are replaced")
      precondition(graph.retiredValueCount == 0, "\(graph.retiredValueCount) are retired")
      let broken = graph.brokenInvariants()
      precondition(broken.isEmpty, "\(broken)")
    }
  }

  private static func isReached(_ alive: LiveCount?) async -> Bool {
    guard alive?.current ?? 0 == 0 else { return false }
    return await GraphActor.run {
      let graph = Graph.shared
      return graph.nodeCount == 0 && graph.edgeCount == 0 && graph.participantCount == 0
        && graph.replacedValueCount == 0 && graph.retiredValueCount == 0
    }
  }
}

/// A value on the heap whose end is observed.
final class ObservedValue: Sendable {
  let number: Int
  /// Shows whether the memory has been used for something else.
  private let text: String
  private let token: LiveCount.Token

  init(_ number: Int, _ count: LiveCount) {
    self.number = number
    text = "the observed value \(number)"
    token = count.token()
  }

  /// Whether the object has not been freed.
  var isWhole: Bool { text.hasSuffix(" \(number)") }
}
