import StateGraph

/// Sums over a list that grows or shrinks at one of its ends.
///
/// What the rule reads moves by one place, or does not, which a comparison of old and new
/// dependencies by their position may or may not like. The shapes of
/// https://github.com/artalar/reactive-computed-bench.
enum GrowingLists {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("lists", "append", unit: .nanoseconds(per: "read")) {
        await grow($0) { $0.append($1) }
      },
      Benchmark("lists", "prepend", unit: .nanoseconds(per: "read")) {
        await grow($0) { $0.insert($1, at: 0) }
      },
      Benchmark("lists", "remove last", unit: .nanoseconds(per: "read")) {
        await shrink($0) { $0.removeLast() }
      },
      Benchmark("lists", "remove first", unit: .nanoseconds(per: "read")) {
        await shrink($0) { $0.removeFirst() }
      },
    ]
  }

  private static let count = 100

  @GraphActor
  private static func grow(
    _ sampler: Sampler, _ add: (inout [Stored<Int>], Stored<Int>) -> Void
  ) -> Measurement {
    // Two runs a step, over 2, 3, 4… sources.
    sampler.measurePrepared(operations: (2...count).reduce(0) { $0 + 2 * $1 }) {
      SumOfList([Stored(0)])
    } _: { graph in
      for value in 1..<count {
        add(&graph.list.wrappedValue, Stored(value))
        blackHole(graph.sum.wrappedValue)
        let sources = graph.list.wrappedValue
        sources[sources.count - 2].wrappedValue = value
        let expected = sources.reduce(0) { $0 + $1.wrappedValue }
        check(graph.sum.wrappedValue, equals: expected, "the sum")
      }
    }
  }

  @GraphActor
  private static func shrink(
    _ sampler: Sampler, _ remove: (inout [Stored<Int>]) -> Void
  ) -> Measurement {
    sampler.measurePrepared(operations: (1..<count).reduce(0, +)) {
      let graph = SumOfList((0..<count).map { Stored($0) })
      check(graph.sum.wrappedValue, equals: count * (count - 1) / 2, "the sum")
      return graph
    } _: { graph in
      for _ in 1..<count {
        remove(&graph.list.wrappedValue)
        let expected = graph.list.wrappedValue.reduce(0) { $0 + $1.wrappedValue }
        check(graph.sum.wrappedValue, equals: expected, "the sum")
      }
    }
  }
}

@GraphActor
private struct SumOfList {
  let list: Stored<[Stored<Int>]>
  let sum: Computed<Int>
  private let reaction: GraphCancellable

  init(_ sources: [Stored<Int>]) {
    let list = Stored(sources)
    let sum = Computed { _ in list.wrappedValue.reduce(0) { $0 + $1.wrappedValue } }
    self.list = list
    self.sum = sum
    reaction = react { blackHole(sum.wrappedValue) }
  }
}
