import StateGraph

/// A source under a grid of chains, with a reaction at the end of each; one write an operation.
///
/// The shape of https://github.com/stackblitz/alien-signals/blob/master/benchs/propagate.mjs.
enum Propagate {
  static var benchmarks: [Benchmark] {
    [(1, 1), (1, 10), (1, 100), (10, 1), (10, 10), (10, 100), (100, 1), (100, 10), (100, 100)]
      .map { width, height in
        Benchmark("propagate", "\(width) x \(height)", unit: .nanoseconds(per: "node and update")) {
          await propagate(width: width, height: height, $0)
        }
      }
  }

  @GraphActor
  private static func propagate(width: Int, height: Int, _ sampler: Sampler) -> Measurement {
    let grid = Grid(width: width, height: height)
    let floor = PropagateFloor(width: width, height: height)
    let runsBefore = grid.runs.count
    var writes = 0
    let measurement = sampler.measure(
      operations: width * (height + 1), floor: { floor.update() }
    ) {
      grid.source.wrappedValue += 1
      writes += 1
    }
    check(grid.runs.count - runsBefore, equals: writes * width, "runs of the reactions")
    check(grid.sum, equals: width * (1 + writes + height), "sum of the ends")
    return measurement
  }
}

/// The grid in the graph.
@GraphActor
struct Grid {
  let source = Stored(1)
  let runs = Tally()
  private let ends: [Computed<Int>]
  private var reactions: [GraphCancellable] = []

  init(width: Int, height: Int) {
    ends = (0..<width).map { [source] _ in
      let first = Computed { _ in source.wrappedValue + 1 }
      return (1..<height).reduce(first) { last, _ in Computed { _ in last.wrappedValue + 1 } }
    }
    for end in ends {
      reactions.append(
        withGraphTracking { [runs] in
          withGraphTrackingGroup(delivery: .immediate) {
            blackHole(end.wrappedValue)
            runs.count += 1
          }
        })
    }
  }

  /// The sum of what the reactions see.
  var sum: Int { ends.reduce(0) { $0 + $1.wrappedValue } }
}
