import StateGraph

/// Many rules under one source, and one rule over many.
///
/// Shapes of the benchmarks of MobX (https://github.com/mobxjs/mobx, perf.js), of Vue
/// (https://github.com/vuejs/core, packages/reactivity/__benchmarks__), of Jotai
/// (https://github.com/pmndrs/jotai, benchmarks) and of Leptos (https://github.com/leptos-rs/leptos).
enum Wide {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("wide", "1 to 10000 to 1", unit: .nanoseconds(per: "run"), outAndIn),
      Benchmark("wide", "1 to 10000 to 1, one differs", unit: .nanoseconds(per: "run"), oneDiffers),
      Benchmark("wide", "1000 to 1, one write", unit: .nanoseconds(per: "read"), fanIn),
      Benchmark("wide", "1 to 1000, read one", unit: .nanoseconds(per: "node"), readOne),
      Benchmark("wide", "1 to 1000, write unread", unit: .nanoseconds(per: "write"), writeUnread),
      Benchmark("wide", "last of 100, one write", unit: .nanoseconds(per: "read"), lateChange),
      Benchmark("wide", "three sources of 1000", unit: .microseconds(per: "update"), narrow),
    ]
  }

  /// Everything changes.
  @GraphActor
  private static func outAndIn(_ sampler: Sampler) -> Measurement {
    let source = Stored(1)
    let rules = (0..<10_000).map { index in Computed { _ in source.wrappedValue * index } }
    let sum = Computed { _ in rules.reduce(0) { $0 + $1.wrappedValue } }
    let reaction = react { blackHole(sum.wrappedValue) }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 20_002) {
      source.wrappedValue = 2
      check(sum.wrappedValue, equals: 99_990_000, "the sum")
      source.wrappedValue = 3
      check(sum.wrappedValue, equals: 149_985_000, "the sum")
    }
  }

  /// All rules run, and one has another result.
  @GraphActor
  private static func oneDiffers(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let rules = (0..<10_000).map { index in
      Computed { _ in source.wrappedValue % 10_000 == index ? 1 : 0 }
    }
    let place = Computed { _ in rules.enumerated().reduce(0) { $0 + $1.0 * $1.1.wrappedValue } }
    let reaction = react { blackHole(place.wrappedValue) }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 10_001) {
      source.wrappedValue += 1
      check(place.wrappedValue, equals: source.wrappedValue % 10_000, "the place of the 1")
    }
  }

  /// A rule runs because of one of the thousand that it reads.
  @GraphActor
  private static func fanIn(_ sampler: Sampler) -> Measurement {
    let sources = (0..<1_000).map { _ in Stored(0) }
    let sum = Computed { _ in sources.reduce(0) { $0 + $1.wrappedValue } }
    let reaction = react { blackHole(sum.wrappedValue) }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 1_000) {
      sources[500].wrappedValue += 1
      check(sum.wrappedValue, equals: sources[500].wrappedValue, "the sum")
    }
  }

  /// A thousand rules go out of date, and one is read.
  @GraphActor
  private static func readOne(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let rules = (0..<1_000).map { _ in Computed { _ in source.wrappedValue * 2 } }
    return sampler.measurePrepared(operations: 1_000) {
      for rule in rules { blackHole(rule.wrappedValue) }
    } _: {
      source.wrappedValue += 1
      check(rules[999].wrappedValue, equals: source.wrappedValue * 2, "the rule that is read")
    }
  }

  /// A thousand rules are out of date already.
  @GraphActor
  private static func writeUnread(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let rules = (0..<1_000).map { _ in Computed { _ in source.wrappedValue * 2 } }
    for rule in rules { blackHole(rule.wrappedValue) }
    let measurement = sampler.measure(operations: 1) { source.wrappedValue += 1 }
    check(rules[999].wrappedValue, equals: source.wrappedValue * 2, "the rule that is read")
    return measurement
  }

  /// What changes is the last that the rule reads.
  @GraphActor
  private static func lateChange(_ sampler: Sampler) -> Measurement {
    let sources = (0..<100).map { _ in Stored(0) }
    let sum = Computed { _ in sources.reduce(0) { $0 + $1.wrappedValue } }
    let reaction = react { blackHole(sum.wrappedValue) }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 10_000 * 100) {
      for value in 0..<10_000 {
        sources[99].wrappedValue = value
        check(sum.wrappedValue, equals: value, "the sum")
      }
    }
  }

  /// Three writes in one transaction, under a rule that reads a thousand sources.
  @GraphActor
  private static func narrow(_ sampler: Sampler) -> Measurement {
    let sources = (0..<1_000).map { Stored($0) }
    let sum = Computed { _ in sources.reduce(0) { $0 + $1.wrappedValue } }
    let reaction = react { blackHole(sum.wrappedValue) }
    defer { extendLifetime(reaction) }
    var expected = sum.wrappedValue
    check(expected, equals: 499_500, "the sum at first")
    return sampler.measure(operations: 1) {
      withGraphTransaction {
        for index in [1, 10, 100] { sources[index].wrappedValue += 1 }
      }
      expected += 3
      check(sum.wrappedValue, equals: expected, "the sum")
    }
  }
}
