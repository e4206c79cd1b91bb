import StateGraph

extension Kairo {
  /// Five branches that meet in a sum.
  @GraphActor
  static func diamond(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    let branches = (0..<5).map { _ in Computed { _ in head.wrappedValue + 1 } }
    let sum = Computed { _ in branches.reduce(0) { $0 + $1.wrappedValue } }
    let reaction = react {
      blackHole(sum.wrappedValue)
      runs.count += 1
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 501 * 7) {
      head.wrappedValue = 1
      check(sum.wrappedValue, equals: 10, "the sum")
      runs.count = 0
      for value in 0..<500 {
        head.wrappedValue = value
        check(sum.wrappedValue, equals: (value + 1) * 5, "the sum")
      }
      check(runs.count, equals: 500, "runs of the reaction")
    }
  }

  /// A hundred sources joined in a dictionary, and split again.
  ///
  /// The dictionary that the rule makes afresh for every write is most of the time.
  @GraphActor
  static func mux(_ sampler: Sampler) -> Measurement {
    let heads = (0..<100).map { _ in Stored(0) }
    let joined = Computed { _ in
      Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0, $1.wrappedValue) })
    }
    let split = (0..<100).map { index in Computed { _ in joined.wrappedValue[index] ?? -1 } }
    let ends = split.map { part in Computed { _ in part.wrappedValue + 1 } }
    let reactions = ends.map { end in react { blackHole(end.wrappedValue) } }
    defer { extendLifetime(reactions) }
    return sampler.measure(operations: 18 * 103) {
      for factor in 1...2 {
        for index in 0..<10 {
          heads[index].wrappedValue = index * factor
          check(ends[index].wrappedValue, equals: index * factor + 1, "end \(index)")
        }
      }
    }
  }

  /// A rule that reads the same source thirty times.
  @GraphActor
  static func repeated(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    let sum = Computed { _ in (0..<30).reduce(0) { sum, _ in sum + head.wrappedValue } }
    let reaction = react {
      blackHole(sum.wrappedValue)
      runs.count += 1
    }
    defer { extendLifetime(reaction) }
    return sampler.measure(operations: 101 * 31) {
      head.wrappedValue = 1
      check(sum.wrappedValue, equals: 30, "the sum")
      runs.count = 0
      for value in 0..<100 {
        head.wrappedValue = value
        check(sum.wrappedValue, equals: value * 30, "the sum")
      }
      check(runs.count, equals: 100, "runs of the reaction")
    }
  }

  /// A chain, and a sum over all of it.
  @GraphActor
  static func triangle(_ sampler: Sampler) -> Measurement {
    let head = Stored(0)
    let runs = Tally()
    var chain = [Computed { _ in head.wrappedValue + 1 }]
    for _ in 1..<10 {
      let last = chain[chain.count - 1]
      chain.append(Computed { _ in last.wrappedValue + 1 })
    }
    // The tenth is never read, and must not cost anything.
    let read = Array(chain.prefix(9))
    let sum = Computed { _ in read.reduce(head.wrappedValue) { $0 + $1.wrappedValue } }
    let reaction = react {
      blackHole(sum.wrappedValue)
      runs.count += 1
    }
    defer { extendLifetime((reaction, chain)) }
    return sampler.measure(operations: 101 * 11) {
      head.wrappedValue = 1
      check(sum.wrappedValue, equals: 55, "the sum")
      runs.count = 0
      for value in 0..<100 {
        head.wrappedValue = value
        check(sum.wrappedValue, equals: 45 + 10 * value, "the sum")
      }
      check(runs.count, equals: 100, "runs of the reaction")
    }
  }
}
