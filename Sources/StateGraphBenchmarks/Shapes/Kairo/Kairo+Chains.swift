import StateGraph

extension Kairo {
  /// A source under a constant: nothing after it may run.
  @GraphActor
  static func avoidable(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let late = Tally()
    let copy = Computed { _ in head.wrappedValue }
    let constant = Computed { _ in
      blackHole(copy.wrappedValue)
      return 0
    }
    let third = Computed { _ in
      late.count += 1
      blackHole(busy())
      return constant.wrappedValue + 1
    }
    let fourth = Computed { _ in third.wrappedValue + 2 }
    let fifth = Computed { _ in fourth.wrappedValue + 3 }
    let reaction = react {
      late.count += 1
      blackHole(fifth.wrappedValue)
      blackHole(busy())
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 1_001 * 2) {
      head.wrappedValue = 1
      check(fifth.wrappedValue, equals: 6, "the end")
      for value in 0..<1_000 {
        head.wrappedValue = value
        check(fifth.wrappedValue, equals: 6, "the end")
      }
      check(late.count, equals: 2, "runs after the constant")
    }
  }

  /// Fifty branches of two rules and a reaction.
  @GraphActor
  static func broad(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    let ends = (0..<50).map { index in
      let first = Computed { _ in head.wrappedValue + index }
      return Computed { _ in first.wrappedValue + 1 }
    }
    let reactions = ends.map { end in
      react {
        blackHole(end.wrappedValue)
        runs.count += 1
      }
    }
    let last = ends[49]
    defer { extendLifetime(reactions) }
    return sampler.measure(operations: 51 * 150) {
      head.wrappedValue = 1
      runs.count = 0
      for value in 0..<50 {
        head.wrappedValue = value
        check(last.wrappedValue, equals: value + 50, "the last end")
      }
      check(runs.count, equals: 2_500, "runs of the reactions")
    }
  }

  /// A chain of fifty rules.
  @GraphActor
  static func deep(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    let first = Computed { _ in head.wrappedValue + 1 }
    let last = (1..<50).reduce(first) { last, _ in Computed { _ in last.wrappedValue + 1 } }
    let reaction = react {
      blackHole(last.wrappedValue)
      runs.count += 1
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 51 * 51) {
      head.wrappedValue = 1
      runs.count = 0
      for value in 0..<50 {
        head.wrappedValue = value
        check(last.wrappedValue, equals: 50 + value, "the end")
      }
      check(runs.count, equals: 50, "runs of the reaction")
    }
  }
}

/// Takes some time, as the rules of an application do.
@inline(never)
private func busy() -> Int {
  var sum = 0
  for _ in 0..<100 {
    sum += 1
    blackHole(sum)
  }
  return sum
}
