import StateGraph
import StateGraphTesting

extension World {
  /// The nodes of the environment, which stay.
  private static let environmentNodeCount = 1

  /// Makes the nodes that stay.
  package static func prepare() async {
    await GraphActor.run {
      let rule = Computed { context in context.environment[Weather.self] }
      _ = rule.wrappedValue
    }
  }

  /// Waits until nothing is left of a world; the watchdog ends a wait in vain.
  static func expectNothing(of world: Weak<World>) async {
    // Without a visit of the actor, which would remove what the task for it has missed.
    while Census.alive.current != 0 || world.object != nil {
      Watchdog.wait("end", for: "the end of \(Census.alive.current) objects, without a visit")
      await Task.yield()
    }
    while true {
      let left = await leftovers(of: world)
      if left.isEmpty { break }
      Watchdog.wait("end", for: "the end of \(left)")
      await Task.yield()
    }
    Watchdog.note("end", nil)
    await GraphActor.run {
      let broken = Graph.shared.brokenInvariants()
      require(broken.isEmpty, "invariants", "\(broken)")
    }
  }

  private static func leftovers(of world: Weak<World>) async -> String {
    var left: [String] = []
    if world.object != nil { left.append("the world") }
    if Census.alive.current != 0 { left.append("\(Census.alive.current) objects") }
    left += await GraphActor.run {
      let graph = Graph.shared
      var left: [String] = []
      if graph.nodeCount > environmentNodeCount { left.append("\(graph.nodeCount) nodes") }
      if graph.edgeCount != 0 { left.append("\(graph.edgeCount) edges") }
      if graph.participantCount != 0 { left.append("\(graph.participantCount) participants") }
      if graph.replacedValueCount != 0 { left.append("\(graph.replacedValueCount) replaced") }
      if graph.retiredValueCount != 0 { left.append("\(graph.retiredValueCount) retired") }
      return left
    }
    return left.joined(separator: ", ")
  }
}
