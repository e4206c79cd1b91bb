import StateGraph
import StateGraphTesting
import Testing

/// What belongs together and goes at once, while cleanups and destructors write in the middle of it.
@Suite struct RemovalTests {
  /// Writes a node when it is freed.
  @GraphActor private final class Writer {
    private let node: Stored<Int>

    init(to node: Stored<Int>) {
      self.node = node
    }

    isolated deinit { node.wrappedValue += 1 }
  }

  /// What a model holds: a loader whose run is open, a stream of its states, and something that writes
  /// when the model goes.
  private enum Part: CaseIterable {
    case iterator, loader, source, tracking
  }

  private static let orders: [[Part]] = permutations(Part.allCases)

  private static func permutations(_ parts: [Part]) -> [[Part]] {
    guard parts.count > 1 else { return [parts] }
    return parts.indices.flatMap { index in
      var rest = parts
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  @Test(arguments: orders)
  private func `a model with an open run goes, in any order, while its cleanup writes`(
    _ order: [Part]
  ) async throws {
    let (other, gate, alive) = (Stored(0), Gate(), LiveCount())
    var source: Stored<Int>? = Stored(0)
    var loader: AsyncComputed<Int>? = AsyncComputed { [source, token = alive.token()] in
      defer { withExtendedLifetime(token) {} }
      _ = await source?.value
      try await gate.pass()
      return 1
    }
    var iterator = loader?.states.makeAsyncIterator()
    #expect(await iterator?.next(isolation: nil)?.isPending == true)
    try await gate.arrivals(1)
    var tracking: GraphCancellable? = await withGraphTracking {
      withGraphTrackingGroup { withGraphTrackingCleanup { other.wrappedValue += 1 } }
    }
    await GraphActor.run {
      for part in order {
        switch part {
        case .iterator: iterator = nil
        case .loader: loader = nil
        case .source: source = nil
        case .tracking: tracking = nil
        }
      }
    }
    await GraphActor.settle()
    #expect(await other.value == 1)
    try await alive.wait(for: 0)
    #expect(await GraphActor.run { Graph.shared.brokenInvariants() } == [])
    withExtendedLifetime((source, loader, tracking)) {}
  }

  @Test func `a destructor of what a removed rule held may write`() async throws {
    let (written, gate) = (Stored(0), Gate())
    for round in 1...100 {
      let writer = await Writer(to: written)
      var loader: AsyncComputed<Int>? = AsyncComputed { [writer] in
        _ = await written.value
        try await gate.pass()
        return withExtendedLifetime(writer) { 1 }
      }
      let follower = Task { [states = loader?.states] in
        guard let states else { return }
        for await _ in states {}
      }
      try await gate.arrivals(round)
      await GraphActor.run { loader = nil }
      await follower.value
    }
    await GraphActor.settle()
    #expect(await GraphActor.run { Graph.shared.brokenInvariants() } == [])
    withExtendedLifetime(written) {}
  }
}
