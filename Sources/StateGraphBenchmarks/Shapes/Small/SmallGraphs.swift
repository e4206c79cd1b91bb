import StateGraph

/// Graphs of a handful of rules.
enum SmallGraphs {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("small", "eight rules", unit: .nanoseconds(per: "update"), eightRules),
      Benchmark("small", "three entries", unit: .microseconds(per: "update"), threeEntries),
      Benchmark("small", "three entries, create", unit: .microseconds(per: "graph"), createEntries),
      Benchmark("small", "steady turn", unit: .nanoseconds(per: "turn"), steadyTurn),
      Benchmark("small", "fan of 16", unit: .nanoseconds(per: "run"), fan),
      Benchmark("small", "chain of 100", unit: .nanoseconds(per: "run"), chain),
    ]
  }

  /// Two diamonds in a row, and a reaction.
  ///
  /// The shape of https://github.com/artalar/reactive-computed-bench.
  @GraphActor
  private static func eightRules(_ sampler: Sampler) -> Measurement {
    let entry = Stored(0)
    let seen = Stored(0)
    let a = Computed { _ in entry.wrappedValue }
    let b = Computed { _ in a.wrappedValue + 1 }
    let c = Computed { _ in a.wrappedValue + 1 }
    let d = Computed { _ in b.wrappedValue + c.wrappedValue }
    let e = Computed { _ in d.wrappedValue + 1 }
    let f = Computed { _ in d.wrappedValue + e.wrappedValue }
    let g = Computed { _ in d.wrappedValue + e.wrappedValue }
    let h = Computed { _ in f.wrappedValue + g.wrappedValue }
    let reaction = react {
      let value = h.wrappedValue
      seen.unsafeModify { $0 = value }
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 1_000) {
      for value in 0..<1_000 {
        entry.wrappedValue = value
        check(seen.unsafeModify { $0 }, equals: 8 * value + 10, "what the reaction saw")
      }
    }
  }

  /// A source, a rule, a write and a read.
  @GraphActor
  private static func steadyTurn(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let next = Computed { _ in source.wrappedValue + 1 }
    var turn = 0
    return sampler.measure(operations: 1) {
      turn += 1
      source.wrappedValue = turn
      check(next.wrappedValue, equals: turn + 1, "the derived value")
    }
  }

  /// A source under sixteen rules, all of them read.
  @GraphActor
  private static func fan(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let rules = (0..<16).map { index in Computed { _ in source.wrappedValue + index } }
    var turn = 0
    return sampler.measure(operations: 16) {
      turn += 1
      source.wrappedValue = turn
      for (index, rule) in rules.enumerated() {
        check(rule.wrappedValue, equals: turn + index, "derived value \(index)")
      }
    }
  }

  /// A chain of a hundred rules without a reaction.
  @GraphActor
  private static func chain(_ sampler: Sampler) -> Measurement {
    let source = Stored(0)
    let first = Computed { _ in source.wrappedValue + 1 }
    let last = (1..<100).reduce(first) { last, _ in Computed { _ in last.wrappedValue + 1 } }
    var turn = 0
    return sampler.measure(operations: 100) {
      turn += 1
      source.wrappedValue = turn
      check(last.wrappedValue, equals: turn + 100, "the end")
    }
  }
}
