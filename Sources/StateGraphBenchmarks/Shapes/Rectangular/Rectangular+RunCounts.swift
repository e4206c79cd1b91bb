import StateGraph

extension Rectangular {
  /// Shapes whose number of runs follows from their measures.
  ///
  /// One source is written a turn. It reaches as many nodes of the first row as a node has reads,
  /// and in every further row as many more as a node has reads besides the first.
  private static let derived = [
    shape(width: 10, rows: 5, reads: 2, turns: 100),
    shape(width: 10, rows: 10, reads: 6, turns: 50),
    shape(width: 100, rows: 12, reads: 4, turns: 20),
    shape(width: 100, rows: 5, reads: 25, turns: 20),
    shape(width: 5, rows: 500, reads: 3, turns: 5),
  ]

  /// Whole lives of such graphs, in which every rule runs as often as it has to, and no more.
  static var runCounts: [Benchmark] {
    derived.map { shape in
      Benchmark(
        "run counts", "\(shape.name), \(shape.writes) turns", unit: .nanoseconds(per: "run")
      ) {
        await live(shape, $0)
      }
    }
  }

  private static func shape(width: Int, rows: Int, reads: Int, turns: Int) -> RectangularShape {
    RectangularShape(
      width: width, rows: rows, staticShare: 1, reads: reads, readShare: 1, writes: turns)
  }

  @GraphActor
  private static func live(_ shape: RectangularShape, _ sampler: Sampler) -> Measurement {
    let reached = (1..<shape.rows).map { row in
      min(shape.width, (row - 1) * (shape.reads - 1) + shape.reads)
    }
    let runs = (shape.rows - 1) * shape.width + shape.writes * reached.reduce(0, +)
    return sampler.measure(operations: runs) {
      // Integers would not be wide enough for the sums of five hundred rows.
      let graph = RectangularGraph<Double>(shape)
      _ = graph.drive { 1_000 + $0 }
      check(graph.runs.count, equals: runs, "runs of the rules")
      extendLifetime(graph)
      removeReleasedNodes()
    }
  }
}
