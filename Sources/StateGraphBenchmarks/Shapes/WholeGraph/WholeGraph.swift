import StateGraph

/// Small graphs with their whole life: made, driven for some turns, and released.
///
/// The operation is one life. Rules count their runs, which are checked in every life.
enum WholeGraph {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("whole graph", "diamond, 500 turns", unit: .microseconds(per: "graph")) {
        await life(of: DiamondLife.self, $0)
      },
      Benchmark("whole graph", "deep, 50 turns", unit: .microseconds(per: "graph")) {
        await life(of: DeepLife.self, $0)
      },
      Benchmark("whole graph", "broad, 50 turns", unit: .microseconds(per: "graph")) {
        await life(of: BroadLife.self, $0)
      },
      Benchmark("whole graph", "unstable, 100 turns", unit: .microseconds(per: "graph")) {
        await life(of: UnstableLife.self, $0)
      },
    ]
  }

  @GraphActor
  private static func life<Graph: Life>(of _: Graph.Type, _ sampler: Sampler) -> Measurement {
    let runs = Tally()
    return sampler.measure(operations: 1) {
      runs.count = 0
      check(live(Graph.self, runs), equals: Graph.lastValue, "the last value")
      check(runs.count, equals: Graph.runs, "runs of the rules")
      removeReleasedNodes()
    }
  }

  /// Makes and drives a graph, which is released when this returns.
  ///
  /// - Returns: What its root has in the end.
  @GraphActor
  @inline(never)
  private static func live<Graph: Life>(_: Graph.Type, _ runs: Tally) -> Int {
    let graph = Graph(counting: runs)
    blackHole(graph.read())
    var last = 0
    for turn in 1...Graph.turns {
      graph.source.wrappedValue = turn
      last = graph.read()
    }
    return last
  }
}

/// A graph whose life is measured.
@GraphActor
protocol Life {
  /// How often the source is written and the root is read, after a first read.
  static var turns: Int { get }

  /// What the root has after the last turn.
  static var lastValue: Int { get }

  /// How often rules run, the first time included.
  static var runs: Int { get }

  var source: Stored<Int> { get }

  init(counting runs: Tally)

  /// Reads the root, or all of them.
  func read() -> Int
}
