import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Groups and maps that are ended by two at once, in every combination of who ends them.
@Suite struct SimultaneousEndTests {
  /// Who ends a map.
  enum Ender: CaseIterable, Sendable {
    /// Another thread cancels the tracking.
    case thread
    /// Another thread lets go of the tracking.
    case release
    /// Another thread cancels what the tracking has been stored in.
    case parent
    /// The object that the map follows is gone.
    case object
    /// The handler of the map cancels the tracking.
    case handler
    /// A new run of the group around the map ends it.
    case outerGroup
    /// The expression of the map cancels the tracking.
    case expression
  }

  private final class Owner: Sendable {
    let x = Stored(0)
  }

  /// What is ended, in one round.
  private final class Round: Sendable {
    let source = Stored(0)
    let outer = Stored(0)
    let alive: LiveCount
    private let owner = Mutex<Owner?>(Owner())
    private let tracking = Mutex<GraphCancellable?>(nil)
    private let parent = GraphCancellable {}
    private let enders: Set<Ender>

    init(_ enders: Set<Ender>, _ delivery: GraphDelivery, _ alive: LiveCount) async {
      self.enders = enders
      self.alive = alive
      await begin(delivery)
    }

    @GraphActor
    private func begin(_ delivery: GraphDelivery) {
      guard let object = owner.withLock({ $0 }) else { return }
      let tracking = withGraphTracking {
        if enders.contains(.outerGroup) {
          withGraphTrackingGroup(delivery: delivery) { [self] in
            if outer.wrappedValue == 0 { map(object, delivery) }
          }
        } else {
          map(object, delivery)
        }
      }
      if enders.contains(.parent) { tracking.store(in: parent) }
      self.tracking.withLock { $0 = tracking }
    }

    @GraphActor
    private func map(_ object: Owner, _ delivery: GraphDelivery) {
      withGraphTrackingMap(from: object, delivery: delivery) {
        [weak self, source, enders, token = alive.token()] object in
        defer { withExtendedLifetime(token) {} }
        let value = object.x.wrappedValue + source.wrappedValue
        if value > 0, enders.contains(.expression) { self?.cancel() }
        return value
      } onChange: { @GraphActor [weak self, enders, token = alive.token()] value in
        defer { withExtendedLifetime(token) {} }
        if value > 0, enders.contains(.handler) { self?.cancel() }
      }
    }

    private func cancel() {
      tracking.withLock { $0 }?.cancel()
    }

    /// Lets everything happen at once that ends the map.
    func end() async {
      await withTaskGroup { group in
        if enders.contains(.object) { group.addTask { self.owner.withLock { $0 = nil } } }
        if enders.contains(.release) { group.addTask { self.tracking.withLock { $0 = nil } } }
        if enders.contains(.thread) { group.addTask { self.cancel() } }
        if enders.contains(.parent) { group.addTask { self.parent.cancel() } }
        group.addTask { await self.source.set(1) }
        group.addTask { await self.outer.set(1) }
      }
      await GraphActor.settle()
      cancel()
      tracking.withLock { $0 = nil }
    }
  }

  private static let pairs: [Set<Ender>] = Ender.allCases.flatMap { first in
    Ender.allCases.map { [first, $0] }
  }

  @Test(arguments: pairs, [GraphDelivery.immediate, .coalesced])
  private func `two who end a map at once do no harm`(
    _ enders: Set<Ender>, _ delivery: GraphDelivery
  ) async {
    let alive = LiveCount()
    for _ in 0..<200 { await Round(enders, delivery, alive).end() }
    await GraphActor.settle()
    #expect(alive.current == 0)
    #expect(await GraphActor.run { Graph.shared.brokenInvariants() } == [])
  }
}
