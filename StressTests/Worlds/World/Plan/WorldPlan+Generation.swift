import StateGraphTesting

/// Draws a plan.
struct WorldPlanner {
  var random: SeededGenerator
  var plan: WorldPlan
  let shapes: WorldShapes

  init(seed: UInt64, shapes: WorldShapes) {
    random = SeededGenerator(seed: seed)
    plan = WorldPlan(seed: seed)
    self.shapes = shapes
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func number() -> Int { below(40) }
  mutating func pick<T>(_ elements: [T]) -> T { elements[below(elements.count)] }
}

extension WorldPlan {
  /// Draws a plan.
  ///
  /// - Parameters:
  ///   - seed: Determines all of it, together with the shapes.
  ///   - shapes: What may occur.
  /// - Returns: The plan.
  package static func draw(seed: UInt64, shapes: WorldShapes = WorldShapes()) -> WorldPlan {
    var planner = WorldPlanner(seed: seed, shapes: shapes)
    planner.drawNodes()
    planner.drawLanes()
    return planner.plan
  }
}

extension WorldPlanner {
  fileprivate mutating func drawNodes() {
    plan.stored = (0..<4 + below(5)).map { _ in storedCoding() }
    plan.counters = (0..<2 + below(2)).map { _ in counterCoding() }
    plan.tripletCount = 1 + below(2)
    plan.removalPortion = chance(50) ? 1_500 : 1 + below(8)
    for place in 0..<5 + below(6) {
      let isMonotone = chance(25)
      let rule = isMonotone ? .sum : pick(Rule.allCases.filter(isAllowed))
      let sources = (0..<1 + below(3)).map { _ in
        isMonotone ? NodeReference.counter(below(plan.counters.count)) : source(below: place)
      }
      plan.derived.append(
        WorldPlan.DerivedRecipe(rule: rule, coding: below(DerivedCodings.count), sources: sources))
    }
    for place in 0..<1 + below(4) {
      var behaviour = AsyncBehaviour()
      behaviour.yields = chance(50)
      behaviour.sleeps = chance(25)
      behaviour.fails = chance(30)
      behaviour.cancels = chance(15)
      behaviour.waits = chance(15)
      behaviour.forks = chance(20)
      behaviour.isRetried = chance(25)
      behaviour.becomesStale = chance(15)
      let sources = (0..<1 + below(3)).map { _ in source(below: plan.derived.count) }
      let target = aboveAll(sources)
      behaviour.startsTask = target != nil && chance(15) && shapes.has(.tasksInRules)
      plan.outcomes.append(
        WorldPlan.OutcomeRecipe(
          behaviour: behaviour, coding: below(DerivedCodings.count), sources: sources,
          awaited: place > 0 && chance(40) ? below(place) : nil,
          target: behaviour.startsTask ? target : nil))
    }
  }

  private mutating func storedCoding() -> Int {
    let coding = below(StoredCodings.count)
    switch coding {
    case StoredCodings.rounded where !shapes.has(.rounded): return 0
    case StoredCodings.opaque where !shapes.has(.opaque): return 0
    default: return coding
    }
  }

  private mutating func counterCoding() -> Int {
    let coding = below(CounterCodings.count)
    return coding == CounterCodings.opaque && !shapes.has(.opaque) ? 0 : coding
  }

  private func isAllowed(_ rule: Rule) -> Bool {
    switch rule {
    case .chainOfTemporaries, .storedTemporary: shapes.has(.chains)
    default: true
    }
  }

  /// A node that a computed node at a place can read.
  mutating func source(below place: Int) -> NodeReference {
    switch below(10) {
    case 0: return .counter(below(plan.counters.count))
    case 1: return .triplet(below(plan.tripletCount), below(3))
    case 2..<6 where place > 0: return .derived(below(place))
    // The last ranks are for what reactions write.
    default: return .stored(chance(80) ? below(plan.stored.count / 2) : below(plan.stored.count))
    }
  }

  /// Any node.
  mutating func node() -> NodeReference { source(below: plan.derived.count) }

  /// The highest rank of the stored nodes that a node can read.
  func ceiling(_ reference: NodeReference) -> Int {
    switch reference {
    case .stored(let place): place
    case .derived(let place): plan.derived[place].sources.map(ceiling).max() ?? -1
    case .counter, .triplet: -1
    }
  }

  /// A stored node of a higher rank than all that some nodes can read.
  mutating func aboveAll(_ sources: [NodeReference]) -> Int? {
    above(sources.map(ceiling).max() ?? -1)
  }

  /// A stored node of a higher rank.
  mutating func above(_ rank: Int) -> Int? {
    rank + 1 < plan.stored.count ? rank + 1 + below(plan.stored.count - rank - 1) : nil
  }
}
