import StateGraph

/// Rules and reactions that do not depend on the same all the time.
enum Branches {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("branches", "toggle 100 sources", unit: .nanoseconds(per: "read")) {
        await toggle(count: 100, $0)
      },
      Benchmark("branches", "toggle 1000 sources", unit: .nanoseconds(per: "read")) {
        await toggle(count: 1_000, $0)
      },
      Benchmark("branches", "32 of 32 sources", unit: .nanoseconds(per: "read")) {
        await rotate(through: 32, $0)
      },
      Benchmark("branches", "32 of 128 sources in turn", unit: .nanoseconds(per: "read")) {
        await rotate(through: 128, $0)
      },
      Benchmark("branches", "guard that is false", unit: .nanoseconds(per: "write"), falseGuard),
      Benchmark("branches", "1000 reactions that rest", unit: .nanoseconds(per: "write"), resting),
      Benchmark(
        "branches", "come and go on a source", unit: .nanoseconds(per: "reaction"), comeAndGo),
    ]
  }

  /// A reaction that reads all sources, or none.
  @GraphActor
  private static func toggle(count: Int, _ sampler: Sampler) -> Measurement {
    let isOn = Stored(true)
    let sources = (0..<count).map { _ in Stored(1) }
    let seen = Tally()
    let reaction = react {
      seen.count = 0
      guard isOn.wrappedValue else { return }
      for source in sources { seen.count += source.wrappedValue }
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: count) {
      isOn.wrappedValue = false
      check(seen.count, equals: 0, "what the reaction has seen")
      isOn.wrappedValue = true
      check(seen.count, equals: count, "what the reaction has seen")
    }
  }

  /// A root over a control and 32 sources, which are others after every write of the control.
  @GraphActor
  private static func rotate(through count: Int, _ sampler: Sampler) -> Measurement {
    let control = Stored(0)
    let sources = (0..<count).map { Stored($0) }
    let root = Computed { _ in
      let start = control.wrappedValue
      var sum = 0
      for offset in 0..<32 { sum += sources[(start + offset) % count].wrappedValue }
      return sum
    }
    return sampler.measure(operations: 33) {
      let start = control.wrappedValue + 32
      control.wrappedValue = start
      let first = start % count
      check(root.wrappedValue, equals: 32 * first + 496, "the root")
    }
  }

  /// What a guard has just excluded must not run any more.
  @GraphActor
  private static func falseGuard(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let guarded = Tally()
    let half = Computed { _ in
      guarded.count += 1
      return source.wrappedValue / 2
    }
    let result = Computed { _ in source.wrappedValue.isMultiple(of: 2) ? half.wrappedValue : -1 }
    let reaction = react { blackHole(result.wrappedValue) }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 3) {
      source.wrappedValue += 2
      let runs = guarded.count
      source.wrappedValue += 1
      check(result.wrappedValue, equals: -1, "the result behind the guard")
      check(guarded.count, equals: runs, "runs of what the guard excludes")
      source.wrappedValue -= 1
    }
  }

  /// A write that concerns one of a thousand reactions.
  @GraphActor
  private static func resting(_ sampler: Sampler) -> Measurement {
    let sources = (0..<1_000).map { _ in Stored(0) }
    let runs = Tally()
    let reactions = sources.map { source in
      react {
        runs.count += 1
        blackHole(source.wrappedValue)
      }
    }
    defer { extendLifetime(reactions) }
    return sampler.measure(operations: 1) {
      let before = runs.count
      sources[500].wrappedValue += 1
      check(runs.count, equals: before + 1, "runs of the reactions")
    }
  }

  /// Reactions that begin and end, some in between others, on a source that many follow.
  @GraphActor
  private static func comeAndGo(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    var reactions = (0..<1_000).map { _ in react { blackHole(source.wrappedValue) } }
    var random = SystemIndependentGenerator()
    return sampler.measure(operations: 100) {
      for _ in 0..<100 {
        reactions[random.next(below: 1_000)] = react { blackHole(source.wrappedValue) }
      }
      removeReleasedNodes()
    }
  }
}

/// A linear congruential generator, which is the same everywhere.
private struct SystemIndependentGenerator {
  private var state: UInt64 = 1

  mutating func next(below bound: UInt64) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % bound)
  }
}
