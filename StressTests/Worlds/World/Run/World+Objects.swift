import StateGraph

extension World {
  /// Stores a tracking in one that lives on, and ends it: nothing of it may stay.
  func storeTrackingAndCancel() async {
    let node = source(.counter(0))
    storeAndCancel(
      await withGraphTracking { withGraphTrackingGroup { _ = node.number } })
  }

  func storeAndCancel(_ cancellable: GraphCancellable) {
    cancellable.store(in: keeper)
    cancellable.cancel()
    ended.with { $0.append(Forgotten(cancellable: cancellable)) }
  }

  /// Begins a map over an object that goes away, while a commit concerns the map and another
  /// thread ends it.
  func mapWithoutObject(
    _ reference: NodeReference, _ place: Int, to number: Int, cancels: Bool
  ) async {
    let node = source(reference)
    let written = writable(place)
    var owner: WorldObject? = WorldObject(1)
    let tracking = await GraphActor.run { [owner] in
      withGraphTracking {
        guard let owner else { return }
        withGraphTrackingMap(from: owner, delivery: .immediate) {
          $0.number + node.number + written.number
        } onChange: { _ in
        }
      }
    }
    owner = nil
    async let one: Void = written.set(number)
    async let two: Void = Task.detached { if cancels { tracking.cancel() } }.value
    _ = await (one, two)
  }

  /// Lets go of a model in one step: a node with its rule under way, who follows it, and a group
  /// whose cleanup writes.
  func dropModel(_ place: Int, _ target: Int, order: Int) async {
    let stored = writable(0)
    let higher = writable(target)
    // A sleep that only the end of the model ends.
    var loader: AsyncComputed<Int>? = AsyncComputed(name: "loader") {
      let number = await stored.currentNumber()
      try await Task.sleep(for: .seconds(1_000))
      return number
    }
    guard var states = loader?.states.makeAsyncIterator() else { return }
    _ = await states.next(isolation: nil)
    let tracking = await GraphActor.run {
      withGraphTracking {
        withGraphTrackingGroup {
          withGraphTrackingCleanup { higher.assign(higher.number % 40 + 1) }
        }
      }
    }
    let bag = Bag([states, loader as Any, tracking], order: order)
    loader = nil
    await GraphActor.run { bag.empty() }
  }
}

/// Things that are let go of together.
// SAFETY: Used by one task at a time.
private final class Bag: @unchecked Sendable {
  private var things: [Any]

  init(_ things: [Any], order: Int) {
    let place = order % things.count
    self.things = Array(things[place...] + things[..<place])
    if order.isMultiple(of: 2) { self.things.reverse() }
  }

  func empty() {
    things = []
  }
}
