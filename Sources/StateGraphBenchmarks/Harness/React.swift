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

/// Enters the graph, which removes the nodes that have been released.
///
/// What times a release must time this as well.
@GraphActor
func removeReleasedNodes() {
  withGraphTransaction {}
}
