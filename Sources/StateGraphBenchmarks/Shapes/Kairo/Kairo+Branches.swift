import StateGraph

extension Kairo {
  /// A rule that reads another branch after every write.
  @GraphActor
  static func unstable(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    let double = Computed { _ in head.wrappedValue * 2 }
    let inverse = Computed { _ in -head.wrappedValue }
    let current = Computed { _ in
      (0..<20).reduce(0) { sum, _ in
        sum + (head.wrappedValue.isMultiple(of: 2) ? inverse : double).wrappedValue
      }
    }
    let reaction = react {
      blackHole(current.wrappedValue)
      runs.count += 1
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 101 * 3) {
      head.wrappedValue = 1
      check(current.wrappedValue, equals: 40, "the sum")
      runs.count = 0
      for value in 0..<100 {
        head.wrappedValue = value
        let expected = value.isMultiple(of: 2) ? -20 * value : 40 * value
        check(current.wrappedValue, equals: expected, "the sum")
      }
      check(runs.count, equals: 100, "runs of the reaction")
    }
  }

  /// Rules that are expensive themselves, some of them read only at times.
  @GraphActor
  static func mol(_ sampler: Sampler) -> Measurement {
    /// Never equal to another, as nothing says when it would be.
    struct Item { let x: Int }
    let results = Results()
    let hardRuns = Tally()
    let a = Stored(0)
    let b = Stored(0)
    let c = Computed { _ in a.wrappedValue % 2 + b.wrappedValue % 2 }
    let d = Computed { _ in
      (0..<5).map { Item(x: $0 + a.wrappedValue % 2 - b.wrappedValue % 2) }
    }
    let e = Computed { _ in hard(c.wrappedValue + a.wrappedValue + d.wrappedValue[0].x, hardRuns) }
    let f = Computed { _ in
      let x = d.wrappedValue[2].x
      return hard(x != 0 ? x : b.wrappedValue, hardRuns)
    }
    let g = Computed { _ in
      let c = c.wrappedValue
      return c + (c != 0 ? c : e.wrappedValue % 2) + d.wrappedValue[4].x + f.wrappedValue
    }
    let reactions = [
      react { results.values.append(hard(g.wrappedValue, hardRuns)) },
      react { results.values.append(g.wrappedValue) },
      react { results.values.append(hard(f.wrappedValue, hardRuns)) },
    ]
    defer { extendLifetime(reactions) }
    var turn = 0
    return sampler.measure(operations: 1) {
      turn += 1
      results.values.removeAll(keepingCapacity: true)
      hardRuns.count = 0
      withGraphTransaction {
        b.wrappedValue = 1
        a.wrappedValue = 1 + 2 * turn
      }
      withGraphTransaction {
        a.wrappedValue = 2 + 2 * turn
        b.wrappedValue = 2
      }
      check(results.values, equals: [3204, 1607, 3201, 1604], "results of the reactions")
      check(hardRuns.count, equals: 5, "calls of the expensive function")
    }
  }
}

/// What the reactions of a benchmark have seen.
@GraphActor
private final class Results {
  var values: [Int] = []
}

@GraphActor
private func hard(_ value: Int, _ runs: Tally) -> Int {
  runs.count += 1
  return value + fibonacci(16)
}

@inline(never)
private func fibonacci(_ n: Int) -> Int {
  n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2)
}
