import StateGraph

/// What graphs of growing size cost: bytes, and time to make, to update and to release them.
enum Memory {
  static var benchmarks: [Benchmark] {
    var all: [Benchmark] = []
    #if canImport(Glibc)
      all += bytes
    #endif
    return all + making + releasing + updating
  }

  /// The sizes that are compared; nothing may cost more in a large graph than in a small one.
  static let sizes = [1_000, 10_000, 100_000, 1_000_000]

  /// The same benchmark in all sizes; its body gets the number of nodes.
  static func inAllSizes(
    _ name: String, unit: Benchmark.Unit = .nanoseconds(per: "node"),
    _ body: @escaping @Sendable (_ count: Int, Sampler) async -> Measurement
  ) -> [Benchmark] {
    sizes.map { count in
      Benchmark("memory", "\(name), \(count) nodes", unit: unit, isLong: count > 10_000) {
        await body(count, $0)
      }
    }
  }

  /// Whether one sample of a size is enough.
  static func isOnce(_ count: Int) -> Bool { count >= 1_000_000 }

  @GraphActor
  static func makeFlat(_ count: Int) -> [Stored<Int>] {
    (0..<count).map { Stored($0) }
  }

  /// Rules that each hold and have read the one before.
  ///
  /// - Returns: The source and the last rule.
  @GraphActor
  static func makeChain(_ count: Int) -> (source: Stored<Int>, last: Computed<Int>) {
    let source = Stored(0)
    var last = Computed { _ in source.wrappedValue + 1 }
    blackHole(last.wrappedValue)
    for _ in 1..<count {
      last = Computed { [previous = last] _ in previous.wrappedValue + 1 }
      // Step by step, because a first read nests as deep as what has never been read.
      blackHole(last.wrappedValue)
    }
    return (source, last)
  }

  /// Rules that have read one source.
  @GraphActor
  static func makeFan(of source: Stored<Int>, _ count: Int) -> [Computed<Int>] {
    let rules = (0..<count).map { index in Computed { _ in source.wrappedValue &+ index } }
    for rule in rules { blackHole(rule.wrappedValue) }
    return rules
  }
}
