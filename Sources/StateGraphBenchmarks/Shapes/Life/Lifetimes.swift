import StateGraph

/// Making nodes, reading them for the first time, and releasing them.
enum Lifetimes {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("lifetimes", "make derived", unit: .nanoseconds(per: "node"), makeDerived),
      Benchmark("lifetimes", "make pairs, read", unit: .nanoseconds(per: "pair"), makePairs),
      Benchmark("lifetimes", "first read of a chain", unit: .nanoseconds(per: "node"), firstRead),
      Benchmark("lifetimes", "release a chain", unit: .nanoseconds(per: "node"), releaseChain),
      Benchmark("lifetimes", "doubling, first read", unit: .microseconds(per: "graph"), doubling),
      Benchmark("lifetimes", "doubling, release", unit: .microseconds(per: "graph"), dropDoubling),
      Benchmark("lifetimes", "wide diamond", unit: .microseconds(per: "graph"), wideDiamond),
    ]
  }

  @GraphActor
  private static func makeDerived(_ sampler: Sampler) -> Measurement {
    let count = sampler.size(10_000, quick: 1_000)
    return sampler.measurePrepared(operations: count) {
      Stored(0)
    } _: { source in
      (0..<count).map { index in Computed { _ in source.wrappedValue + index } }
    }
  }

  /// Five hundred sources with a rule each, and everything read once.
  @GraphActor
  private static func makePairs(_ sampler: Sampler) -> Measurement {
    sampler.measurePrepared(operations: 500) {
    } _: {
      (0..<500).map { index in
        let source = Stored(index)
        let next = Computed { _ in source.wrappedValue + 1 }
        check(next.wrappedValue, equals: index + 1, "a derived value")
        return next
      }
    }
  }

  @GraphActor
  private static func firstRead(_ sampler: Sampler) -> Measurement {
    // A first read nests as deep as the chain is long.
    let length = 1_000
    return sampler.measurePrepared(operations: length) {
      chain(length)
    } _: { last in
      check(last.wrappedValue, equals: length, "the end")
      return last
    }
  }

  @GraphActor
  private static func releaseChain(_ sampler: Sampler) -> Measurement {
    let length = sampler.size(100_000, quick: 1_000)
    return sampler.measurePrepared(operations: length) {
      let last = chain(length, readingEach: true)
      check(last.wrappedValue, equals: length, "the end")
      return Releasing(last)
    } _: { chain in
      chain.release()
    }
  }

  /// Thirty rules, each of which reads all before it, and the source.
  @GraphActor
  private static func doubling(_ sampler: Sampler) -> Measurement {
    sampler.measurePrepared(operations: 1) {
      doublingGraph()
    } _: { rules in
      check(rules[29].wrappedValue, equals: 1 << 29, "the last")
    }
  }

  @GraphActor
  private static func dropDoubling(_ sampler: Sampler) -> Measurement {
    sampler.measurePrepared(operations: 1) {
      let rules = doublingGraph()
      check(rules[29].wrappedValue, equals: 1 << 29, "the last")
      return Releasing(rules)
    } _: { graph in
      graph.release()
    }
  }

  /// A diamond of two hundred arms: made, followed, written once and released.
  @GraphActor
  private static func wideDiamond(_ sampler: Sampler) -> Measurement {
    sampler.measure(operations: 1) {
      let base = Stored(0)
      let arms = (0..<200).map { index in Computed { _ in base.wrappedValue + index } }
      let leaf = Computed { _ in arms.reduce(0) { $0 + $1.wrappedValue } }
      let seen = Tally()
      let reaction = react { seen.count = leaf.wrappedValue }
      base.wrappedValue = 1
      check(seen.count, equals: 20_100, "what the reaction has seen")
      reaction.cancel()
      removeReleasedNodes()
    }
  }

  @GraphActor
  private static func chain(_ length: Int, readingEach: Bool = false) -> Computed<Int> {
    let source = Stored(0)
    var last = Computed { _ in source.wrappedValue + 1 }
    for _ in 1..<length {
      let previous = last
      if readingEach { blackHole(previous.wrappedValue) }
      last = Computed { _ in previous.wrappedValue + 1 }
    }
    return last
  }

  @GraphActor
  private static func doublingGraph() -> [Computed<Int>] {
    let base = Stored(1)
    var rules: [Computed<Int>] = []
    for _ in 0..<30 {
      let earlier = rules
      rules.append(Computed { _ in earlier.reduce(base.wrappedValue) { $0 + $1.wrappedValue } })
    }
    return rules
  }
}
