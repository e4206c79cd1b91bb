/// All benchmarks, in the order in which they run.
enum Benchmarks {
  /// The groups one after the other; a group is added by a line.
  static var all: [Benchmark] {
    var all: [Benchmark] = []
    #if canImport(Glibc)
      all += Allocations.benchmarks
    #endif
    all += Propagate.benchmarks
    all += Kairo.benchmarks
    all += CellxLayers.benchmarks
    all += Rectangular.benchmarks
    all += Rectangular.runCounts
    all += WholeGraph.benchmarks
    all += OneToMany.benchmarks
    all += SmallGraphs.benchmarks
    all += GrowingLists.benchmarks
    all += Wide.benchmarks
    all += Trees.benchmarks
    all += Branches.benchmarks
    all += Orders.benchmarks
    all += Lifetimes.benchmarks
    all += Reads.benchmarks
    all += ThreadReads.benchmarks
    all += Writes.benchmarks
    all += ContendedOrders.benchmarks + SlowFollowers.benchmarks
    all += Mixed.benchmarks
    all += Streams.benchmarks
    all += Memory.benchmarks
    return all
  }
}
