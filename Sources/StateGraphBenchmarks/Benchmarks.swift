/// All benchmarks, in the order in which they run.
enum Benchmarks {
  /// The groups one after the other; a group is added by a line.
  static var all: [Benchmark] {
    Propagate.benchmarks
      + Kairo.benchmarks
      + CellxLayers.benchmarks
      + Rectangular.benchmarks
      + WholeGraph.benchmarks
  }
}
