import StateGraph

/// The nodes of a world, and what is under way in it.
package final class World: Sendable {
  let plan: WorldPlan
  /// True at the end, so that whatever waits goes on.
  let closing = Stored(false, name: "closing")
  private let stored: [Locked<(any Writable)?>]
  private let derived: [Locked<(any Source)?>]
  private let outcomes: [Locked<(any Outcome)?>]
  private let states: [Locked<StateSource?>]
  let counters: [Counter]
  let triplets: [Triplet]
  let board = Board()
  /// The trackings that have been begun and not ended.
  let trackings = Locked<[TrackingEntry]>([])
  /// What keeps trackings until the end of the world.
  let keeper = GraphCancellable {}
  /// The trackings that have been ended although they are kept.
  let ended = Locked<[Forgotten]>([])
  /// The tasks that follow something.
  let followers = Locked<[Follower]>([])
  /// Everything else that has been started.
  let tasks = Locked<[Task<Void, Never>]>([])

  init(_ plan: WorldPlan) {
    self.plan = plan
    stored = plan.stored.map { _ in Locked(nil) }
    derived = plan.derived.map { _ in Locked(nil) }
    outcomes = plan.outcomes.map { _ in Locked(nil) }
    states = plan.outcomes.map { _ in Locked(nil) }
    counters = plan.counters.enumerated().map { Counter($1, name: "counter\($0)") }
    triplets = (0..<plan.tripletCount).map { Triplet(name: "triplet\($0)") }
  }

  /// A weak reference to what must have been freed.
  struct Forgotten: Sendable {
    weak var cancellable: GraphCancellable?
  }

  /// Starts a task that the end of the world waits for.
  func start(_ body: @escaping @Sendable () async -> Void) {
    let task = Task.detached { await body() }
    tasks.with { $0.append(task) }
  }
}

// MARK: - Nodes by their places

extension World {
  /// A stored node; made when it is first asked for.
  func writable(_ place: Int) -> any Writable {
    resident(stored[place]) {
      StoredCodings.make(plan.stored[place], name: "stored\(place)", rank: place)
    }
  }

  func source(_ reference: NodeReference) -> any Source {
    switch reference {
    case .stored(let place): return writable(place)
    case .counter(let place): return counters[place].source
    case .triplet(let place, let part): return triplets[place][part]
    case .derived(let place):
      return resident(derived[place]) {
        let recipe = plan.derived[place]
        return DerivedCodings.make(
          recipe.coding, name: "derived\(place)", rule: recipe.rule,
          sources: recipe.sources.map(source))
      }
    }
  }

  func outcome(_ place: Int) -> any Outcome {
    resident(outcomes[place]) {
      let recipe = plan.outcomes[place]
      let target = recipe.target.map(writable)
      return DerivedCodings.makeAsync(
        recipe.coding, name: "async\(place)", recipe, sources: recipe.sources.map(source),
        awaited: recipe.awaited.map(outcome), closing: closing
      ) { [tasks] number in
        guard let target else { return }
        let task = Task { await target.set(number % 40) }
        tasks.with { $0.append(task) }
      }
    }
  }

  func stateSource(_ place: Int) -> StateSource {
    resident(states[place]) { StateSource(name: "state\(place)", of: outcome(place)) }
  }

  /// Lets go of a node, on the thread of the caller.
  func renew(_ reference: NodeReference) {
    switch reference {
    case .stored(let place): empty(stored[place])
    case .derived(let place): empty(derived[place])
    case .counter, .triplet: break
    }
  }

  func renewOutcome(_ place: Int) {
    empty(states[place])
    empty(outcomes[place])
  }

  /// All nodes that exist.
  var residents: (sources: [any Source], outcomes: [any Outcome], states: [StateSource]) {
    (
      stored.compactMap { $0.with { $0 } } + derived.compactMap { $0.with { $0 } },
      outcomes.compactMap { $0.with { $0 } }, states.compactMap { $0.with { $0 } }
    )
  }

  private func resident<Node>(_ place: Locked<Node?>, _ make: () -> Node) -> Node {
    if let node = place.with({ $0 }) { return node }
    // Outside of the lock; if two make one at the same time, the later is dropped.
    let made = make()
    return place.with { node in
      if let node { return node }
      node = made
      return made
    }
  }

  private func empty<Node>(_ place: Locked<Node?>) {
    let node = place.with { node in
      defer { node = nil }
      return node
    }
    // Outside of the lock: the end of a node may run code that comes here again.
    _ = consume node
  }
}
