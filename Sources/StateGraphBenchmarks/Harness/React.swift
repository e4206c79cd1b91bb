import StateGraph

/// Begins a reaction that runs in every commit that concerns it: the effect of other libraries.
///
/// - Returns: What ends it when it is released.
@GraphActor
func react(_ handler: @escaping @GraphActor () -> Void) -> GraphCancellable {
  withGraphTracking {
    withGraphTrackingGroup(delivery: .immediate, handler)
  }
}

/// Removes the nodes that have been released, as code does that comes from outside.
///
/// What times a release must time this as well.
@GraphActor
func removeReleasedNodes() {
  repeat {
    Graph.shared.arrive()
  } while !Graph.shared.areRemovalsComplete || Graph.shared.hasReleased
}
