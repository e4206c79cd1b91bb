import StateGraphTesting

extension WorldPlanner {
  /// Draws what the tasks and threads do.
  mutating func drawLanes() {
    let tasks = 1 + below(4)
    let threads = below(3)
    let length = 10 + below(40)
    var number = 0
    for place in 0..<tasks + threads {
      let isThread = place >= tasks
      var steps: [(number: Int, step: WorldStep)] = []
      for _ in 0..<length {
        steps.append((number, isThread ? synchronousStep() : step()))
        number += 1
      }
      plan.lanes.append(WorldPlan.Lane(isThread: isThread, steps: steps))
    }
  }

  private mutating func synchronousStep() -> WorldStep {
    switch below(8) {
    case 7 where chance(25):
      .readBurst(triplet: below(plan.tripletCount), counter: below(plan.counters.count))
    case 0: .end(below(100), pick(WorldStep.Ending.allCases))
    case 1: .unfollow(below(100))
    case 2: renew()
    case 3 where shapes.has(.stored): .storeAndCancel
    case 4, 5: .look(below(plan.tripletCount), .committed)
    default: .committed(node())
    }
  }

  private mutating func renew() -> WorldStep {
    switch below(3) {
    case 0: .renew(.stored(below(plan.stored.count)))
    case 1: .renew(.derived(below(plan.derived.count)))
    default: .renewOutcome(below(plan.outcomes.count))
    }
  }

  private mutating func step() -> WorldStep {
    switch below(100) {
    case 0..<24: return write()
    case 24..<44: return read()
    case 44..<56: return transaction()
    case 56..<58: return specialTransaction()
    case 58..<72: return tracking()
    case 72..<86: return stream()
    case 86..<92: return renew()
    case 92..<94 where shapes.has(.models):
      return .dropModel(below(plan.outcomes.count), below(plan.stored.count), order: below(100))
    case 94: return pick([.settle, .clamp(10 + number()), .guardedRead] + corners)
    case 95: return .steadyStep(pick(WorldStep.Steadiness.allCases))
    case 96: return burst()
    case 97:
      return .privateStream(
        WorldStep.PrivateStream(
          buffer: pick(WorldStep.Buffer.allCases), changes: 1 + below(6), isDerived: chance(50),
          isReleased: chance(50)))
    default: return shapes.has(.stored) ? .storeAndCancel : .settle
    }
  }

  private var corners: [WorldStep] {
    WorldShapes.Shape.corners.filter(shapes.has).map { .corner($0) }
  }

  private mutating func burst() -> WorldStep {
    let triplet = below(plan.tripletCount)
    let counter = below(plan.counters.count)
    return switch below(4) {
    case 0: .readBurst(triplet: triplet, counter: counter)
    case 1: .snapshotBurst(triplet: triplet, counter: counter)
    default: .writeBurst(triplet: triplet, counter: counter, besideReaders: chance(60))
    }
  }

  private mutating func write() -> WorldStep {
    let place = below(plan.stored.count)
    switch below(20) {
    case 0..<5: return .set(place, to: number())
    case 5..<7: return .update(place, by: below(3))
    case 7: return .touch(place)
    case 8..<10:
      guard shapes.has(.endings), let target = above(place) else { return .setEqual(place) }
      return .setWithEnd(place, to: number(), target: target, isIsolated: chance(50))
    case 10..<14: return .increment(below(plan.counters.count), pick(WorldStep.Way.allCases))
    case 14..<17:
      let way = pick(WorldStep.Way.allCases.filter { $0 != .alone })
      return .writeTriplet(below(plan.tripletCount), way)
    case 17: return .environment(below(3))
    case 18:
      guard let target = above(place) else { return .ignore(place) }
      return .observe(place, target: target)
    default: return .setEqual(place)
    }
  }

  private mutating func read() -> WorldStep {
    switch below(20) {
    case 0..<5: .verify(node(), expectedFirst: chance(30))
    case 5..<8: .value(node())
    case 8..<10: .committed(node())
    case 10..<13: .look(below(plan.tripletCount), pick(WorldStep.Reader.allCases))
    case 13..<15: .verifyAll
    case 15..<17: .outcome(below(plan.outcomes.count))
    case 17: .state(below(plan.outcomes.count))
    case 18: .refresh(below(plan.outcomes.count))
    default: .stateNode(below(plan.outcomes.count))
    }
  }

  private mutating func stream() -> WorldStep {
    guard chance(75) else { return .unfollow(below(100)) }
    let counter = below(plan.counters.count)
    switch below(20) {
    case 0..<4: return .follow(.values(node()))
    case 4..<9: return .follow(.changes(node(), pick(WorldStep.Buffer.allCases)))
    case 9..<11: return .follow(.changes(.counter(counter), pick(WorldStep.Buffer.allCases)))
    case 11: return .follow(.trackings([node(), node()]))
    case 12: return .follow(.throwingTrackings(counter, at: 1 + below(6)))
    case 13: return .follow(.untilFinished(counter, at: 1 + below(6)))
    case 14: return .follow(.commits)
    case 15: return .follow(.first(counter, above: below(6)))
    case 16: return .follow(.wait(counter, above: below(6)))
    case 17: return .follow(.throwingWait(counter, above: below(6)))
    default: return .follow(.states(below(plan.outcomes.count)))
    }
  }
}
