import StateGraph
import Synchronization

extension Memory {
  /// Releasing nodes, until the graph has removed them.
  static var releasing: [Benchmark] {
    inAllSizes("release sources, on the actor") { count, sampler in
      await release(count, sampler, .actor) { Kept(makeFlat(count)) }
    }
      + inAllSizes("release sources, elsewhere") { count, sampler in
        await release(count, sampler, .elsewhere) { Kept(makeFlat(count)) }
      }
      + inAllSizes("release a fan-out, on the actor") { count, sampler in
        await release(count, sampler, .actor) { Kept(makeFan(of: Stored(0), count)) }
      }
      + inAllSizes("release a fan-out, elsewhere") { count, sampler in
        await release(count, sampler, .elsewhere) { Kept(makeFan(of: Stored(0), count)) }
      }
      + inAllSizes("release a chain, on the actor") { count, sampler in
        await release(count, sampler, .actor) { Kept(makeChain(count).last) }
      }
      + inAllSizes("release a chain, elsewhere") { count, sampler in
        await release(count, sampler, .elsewhere) { Kept(makeChain(count).last) }
      }
  }

  /// Where the last reference ends.
  private enum Place {
    case actor, elsewhere
  }

  private static func release(
    _ count: Int, _ sampler: Sampler, _ place: Place, _ make: @GraphActor () -> Kept
  ) async -> Measurement {
    let before = await nodeCount()
    return await sampler.collect(once: isOnce(count)) {
      let kept = await make()
      await GraphActor.settle()
      let start = ContinuousClock.now
      switch place {
      case .actor: await kept.letGoOnActor()
      case .elsewhere: kept.letGo()
      }
      await GraphActor.settle()
      let duration = start.duration(to: .now)
      check(await nodeCount(), equals: before, "nodes in the graph")
      return (duration.nanoseconds / Double(count), nil)
    }
  }

  /// The number of nodes in the graph.
  @GraphActor
  private static func nodeCount() -> Int {
    removeReleasedNodes()
    return Graph.shared.nodeCount
  }
}

/// Holds nodes until it is told to let go of them.
private final class Kept: Sendable {
  private let nodes: Mutex<(any Sendable)?>

  init(_ nodes: any Sendable) {
    self.nodes = Mutex(nodes)
  }

  /// Lets go of the nodes.
  func letGo() {
    nodes.withLock { $0 = nil }
  }

  /// Lets go of the nodes on the graph's actor.
  @GraphActor
  func letGoOnActor() {
    letGo()
  }
}
