/// The cell of a group: its handler is what is tracked.
// SAFETY: Adds a Sendable constant to what `Reaction` has.
final class GroupReaction: Reaction, @unchecked Sendable {
  private let handler: Releasable<@GraphActor () -> Void>

  init(
    origin: NodeOrigin, delivery: GraphDelivery, outer: Reaction?,
    handler: @escaping @GraphActor () -> Void
  ) {
    self.handler = Releasable(handler)
    super.init(origin: origin, delivery: delivery, outer: outer)
  }

  override func perform() {
    guard let address = handler.take() else { return }
    graph.track(self, handler.content(at: address))
    handler.putBack(address)
  }

  override func releaseClosures() {
    handler.release()
  }
}
