import StateGraph
import Synchronization

/// Keeps the actor busy, so that whoever enters it has to wait.
final class BusyActor: Sendable {
  private let isHeld = Atomic(false)
  private let isReleased = Atomic(false)

  /// Runs a body while nobody can enter the actor.
  ///
  /// - Returns: Whether the body got through without the actor; a body that needs it is stopped
  ///   from waiting after a minute.
  @MainActor
  static func during(_ body: @MainActor () async -> Void) async -> Bool {
    let actor = BusyActor()
    async let wasInTime = actor.hold()
    while !actor.isHeld.load(ordering: .acquiring) { await Task.yield() }
    await body()
    actor.isReleased.store(true, ordering: .releasing)
    return await wasInTime
  }

  /// The same, after nodes have been read, which publishes them.
  @MainActor
  static func during<each Node: GraphNode>(
    afterReading nodes: repeat each Node, body: @MainActor () async -> Void
  ) async -> Bool {
    for node in repeat each nodes { _ = await node.value }
    return await during(body)
  }

  @GraphActor
  private func hold() -> Bool {
    isHeld.store(true, ordering: .releasing)
    let deadline = ContinuousClock.now + .seconds(60)
    while !isReleased.load(ordering: .acquiring) {
      if ContinuousClock.now > deadline { return false }
    }
    return true
  }
}
