import StateGraph

extension Writes {
  /// What is downstream of a write.
  static var dependents: [Benchmark] {
    [1, 10, 1_000].flatMap { count in
      [
        Benchmark(
          "writes", "\(plural(count)), read again", unit: .nanoseconds(per: "write")
        ) { await readAgain(dependents: count, $0) },
        Benchmark(
          "writes", "\(plural(count)), only marked", unit: .nanoseconds(per: "write")
        ) { await onlyMarked(dependents: count, $0) },
      ]
    }
  }

  private static func plural(_ count: Int) -> String {
    "\(count) \(count == 1 ? "dependent" : "dependents")"
  }

  /// A source, and rules that read it.
  @GraphActor
  private struct Fan {
    let source = Stored(0)
    let rules: [Computed<Int>]

    init(_ count: Int) {
      rules = (0..<count).map { [source] index in
        Computed { _ in source.wrappedValue &+ index }
      }
    }

    /// Reads every rule, and returns the last value.
    func readAll() -> Int {
      var last = 0
      for rule in rules { last = rule.wrappedValue }
      return last
    }
  }

  @GraphActor
  private static func readAgain(dependents: Int, _ sampler: Sampler) -> Measurement {
    let fan = Fan(dependents)
    return sampler.measure(operations: 1) {
      fan.source.wrappedValue += 1
      check(
        fan.readAll(), equals: fan.source.wrappedValue + dependents - 1, "the last dependent")
    }
  }

  /// Each sample writes many sources once, because the second write of one finds the marks there.
  @GraphActor
  private static func onlyMarked(dependents: Int, _ sampler: Sampler) -> Measurement {
    let fans = (0..<max(10, 10_000 / dependents)).map { _ in Fan(dependents) }
    var value = 0
    let measurement = sampler.measurePrepared(operations: fans.count) {
      for fan in fans { blackHole(fan.readAll()) }
      value += 1
    } _: {
      for fan in fans { fan.source.wrappedValue = value }
    }
    check(fans[0].readAll(), equals: value + dependents - 1, "the last dependent")
    return measurement
  }
}

// MARK: - What a write does not concern

extension Writes {
  /// Groups that read other nodes.
  static var surroundings: [Benchmark] {
    [0, 10_000].map { count in
      Benchmark(
        "writes", "lone, beside \(count) groups", unit: .nanoseconds(per: "write")
      ) { await besideGroups(count, $0) }
    }
  }

  @GraphActor
  private static func besideGroups(_ count: Int, _ sampler: Sampler) -> Measurement {
    let others = (0..<count).map { Stored($0) }
    let runs = Tally()
    let groups = others.map { other in
      react {
        blackHole(other.wrappedValue)
        runs.count += 1
      }
    }
    defer { extendLifetime(groups) }
    let node = Stored(-1)
    let measurement = sampler.measure(operations: writesPerCall) {
      for value in 0..<writesPerCall { node.wrappedValue = value }
    }
    check(runs.count, equals: count, "runs of the groups")
    return measurement
  }
}
