import StateGraph

/// Layers of four rules, each with a reaction: one transaction writes all four sources.
///
/// The shape of https://github.com/Riim/cellx/blob/master/perf/perf.html, with the reactions that
/// https://github.com/milomg/js-reactivity-benchmark adds.
enum CellxLayers {
  /// A number of layers, and the ends before and after the write.
  private static let sizes: [(layers: Int, before: [Int], after: [Int])] = [
    (10, [3, 6, 2, -2], [2, 4, -2, -3]),
    (20, [2, 4, -1, -6], [-2, 1, -4, -4]),
    (30, [-1, -2, -3, -4], [-4, -3, -2, -1]),
    (50, [-2, -4, 1, 6], [2, -1, 4, 4]),
    (100, [-3, -6, -2, 2], [-2, -4, 2, 3]),
    (1_000, [-3, -6, -2, 2], [-2, -4, 2, 3]),
    (2_500, [-3, -6, -2, 2], [-2, -4, 2, 3]),
    (5_000, [2, 4, -1, -6], [-2, 1, -4, -4]),
  ]

  static var benchmarks: [Benchmark] {
    sizes.map { size in
      Benchmark("cellx", "\(size.layers) layers", unit: .nanoseconds(per: "node")) {
        await update(layers: size.layers, before: size.before, after: size.after, $0)
      }
    }
  }

  @GraphActor
  private static func update(
    layers: Int, before: [Int], after: [Int], _ sampler: Sampler
  ) -> Measurement {
    sampler.measurePrepared(operations: layers * 8) {
      Layers(count: layers)
    } _: { graph in
      check(graph.ends, equals: before, "ends before the write")
      withGraphTransaction {
        for (source, value) in zip(graph.sources, [4, 3, 2, 1]) { source.wrappedValue = value }
      }
      check(graph.ends, equals: after, "ends after the write")
    }
  }
}

@GraphActor
private struct Layers {
  let sources = [Stored(1), Stored(2), Stored(3), Stored(4)]
  private var last: [Computed<Int>]
  private var reactions: [GraphCancellable] = []

  init(count: Int) {
    let (s1, s2, s3, s4) = (sources[0], sources[1], sources[2], sources[3])
    last = [
      Computed { _ in s2.wrappedValue },
      Computed { _ in s1.wrappedValue - s3.wrappedValue },
      Computed { _ in s2.wrappedValue + s4.wrappedValue },
      Computed { _ in s3.wrappedValue },
    ]
    observe()
    for _ in 1..<count {
      let (p1, p2, p3, p4) = (last[0], last[1], last[2], last[3])
      last = [
        Computed { _ in p2.wrappedValue },
        Computed { _ in p1.wrappedValue - p3.wrappedValue },
        Computed { _ in p2.wrappedValue + p4.wrappedValue },
        Computed { _ in p3.wrappedValue },
      ]
      observe()
    }
  }

  /// The values of the last layer.
  var ends: [Int] { last.map(\.wrappedValue) }

  private mutating func observe() {
    for node in last { reactions.append(react { blackHole(node.wrappedValue) }) }
  }
}
