import StateGraph
import StateGraphTesting

/// What the tests of async nodes throw.
struct Refused: Error, Equatable {
  var number = 0
}

/// Waits at a gate, whether the task is cancelled or not.
func passHeedlessly(_ gate: Gate) async {
  _ = try? await Task { try await gate.pass() }.value
}

extension AsyncState where Value: Equatable {
  /// `pending`, `success 1` or `failure`, with what was known before.
  var summary: String {
    switch self {
    case .pending(let previous, _): "pending" + Self.suffix(previous)
    case .success(let value): "success \(value)"
    case .failure(_, let previous): "failure" + Self.suffix(previous)
    }
  }

  private static func suffix(_ previous: Value?) -> String {
    previous.map { " after \($0)" } ?? ""
  }
}

/// Takes the states of a node one by one, and keeps the node alive.
@GraphActor final class StateConsumer {
  private let node: AsyncComputed<Int>
  private var iterator: GraphValues<AsyncState<Int>>.Iterator

  init(of node: AsyncComputed<Int>) {
    self.node = node
    iterator = node.states.makeAsyncIterator()
  }

  /// The next state.
  func next() async -> String? {
    var iterator = self.iterator
    let state = await iterator.next(isolation: GraphActor.shared)
    self.iterator = iterator
    return state?.summary
  }

  /// The first state from here on that is not pending.
  func settled() async -> String? {
    while let state = await next() {
      if !state.hasPrefix("pending") { return state }
    }
    return nil
  }
}
