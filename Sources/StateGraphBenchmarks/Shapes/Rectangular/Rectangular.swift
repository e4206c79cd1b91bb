import StateGraph

/// Rectangular graphs, with the sums and the numbers of runs that every implementation must have.
///
/// The configurations of https://github.com/milomg/js-reactivity-benchmark. Their writes leave all
/// sources even after the first pass, so that no rule changes what it reads any more. Those called
/// "changing" write odd values as well.
enum Rectangular {
  private struct Case {
    let shape: RectangularShape
    let sum: Int
    let runs: Int
  }

  private static let steady = [
    Case(
      shape: RectangularShape(
        width: 10, rows: 5, staticShare: 1, reads: 2, readShare: 0.2, writes: 600_000),
      sum: 19_199_968, runs: 3_480_000),
    Case(
      shape: RectangularShape(
        width: 10, rows: 10, staticShare: 0.75, reads: 6, readShare: 0.2, writes: 15_000),
      sum: 302_310_782_860, runs: 1_155_000),
    Case(
      shape: RectangularShape(
        width: 1_000, rows: 12, staticShare: 0.95, reads: 4, readShare: 1, writes: 7_000),
      sum: 29_355_933_696_000, runs: 1_463_000),
    Case(
      shape: RectangularShape(
        width: 1_000, rows: 5, staticShare: 1, reads: 25, readShare: 1, writes: 3_000),
      sum: 1_171_484_375_000, runs: 732_000),
    Case(
      shape: RectangularShape(
        width: 100, rows: 15, staticShare: 0.5, reads: 6, readShare: 1, writes: 2_000),
      sum: 15_664_996_402_790_400, runs: 1_078_000),
  ]

  /// Sums beyond the range of integers.
  private static let tall = RectangularShape(
    width: 5, rows: 500, staticShare: 1, reads: 3, readShare: 1, writes: 500)

  private static let changing = [
    Case(
      shape: RectangularShape(
        width: 10, rows: 10, staticShare: 0.75, reads: 6, readShare: 0.2, writes: 15_000),
      sum: 274_190_464_255, runs: 1_152_730),
    Case(
      shape: RectangularShape(
        width: 10, rows: 10, staticShare: 0.75, reads: 6, readShare: 1, writes: 15_000),
      sum: 1_361_105_042_440, runs: 1_287_640),
    Case(
      shape: RectangularShape(
        width: 100, rows: 15, staticShare: 0.5, reads: 6, readShare: 1, writes: 2_000),
      sum: 8_384_758_571_986_399, runs: 1_012_916),
  ]

  static var benchmarks: [Benchmark] {
    steady.map { example in
      Benchmark("rectangular", example.shape.name, unit: .nanoseconds(per: "run")) {
        await drive(example.shape, sum: example.sum, runs: example.runs, $0)
      }
    } + [
      Benchmark("rectangular", tall.name, unit: .nanoseconds(per: "run")) {
        await drive(tall, sum: 3.0239642676898464e241, runs: 1_246_500, $0)
      }
    ]
      + changing.map { example in
        Benchmark("rectangular", "changing \(example.shape.name)", unit: .nanoseconds(per: "run")) {
          await driveChanging(example, $0)
        }
      }
  }

  @GraphActor
  private static func drive<Number: RectangularNumber>(
    _ shape: RectangularShape, sum: Number, runs: Int, _ sampler: Sampler
  ) -> Measurement {
    let graph = RectangularGraph<Number>(shape)
    let width = shape.width
    // The first pass leaves the values behind that the others begin with.
    _ = graph.drive { $0 + $0 % width }
    return sampler.measure(operations: runs) {
      graph.runs.count = 0
      check(graph.drive { $0 + $0 % width }, equals: sum, "the sum of the leaves")
      check(graph.runs.count, equals: runs, "runs of the rules")
    }
  }

  @GraphActor
  private static func driveChanging(_ example: Case, _ sampler: Sampler) -> Measurement {
    let width = example.shape.width
    return sampler.measurePrepared(operations: example.runs) {
      let graph = RectangularGraph<Int>(example.shape)
      graph.runs.count = 0
      return graph
    } _: { graph in
      check(graph.drive { $0 + $0 / width }, equals: example.sum, "the sum of the leaves")
      check(graph.runs.count, equals: example.runs, "runs of the rules")
    }
  }
}
