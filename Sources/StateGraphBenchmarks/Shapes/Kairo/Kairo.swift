/// The shapes of Kairo, as https://github.com/milomg/js-reactivity-benchmark drives them.
///
/// Every graph is built once; one call is one iteration of that benchmark, with its assertions. The
/// results are for each run of a rule or of a reaction that the iteration makes necessary.
enum Kairo {
  static var benchmarks: [Benchmark] {
    [
      Benchmark("kairo", "avoidable", unit: .nanoseconds(per: "run"), avoidable),
      Benchmark("kairo", "broad", unit: .nanoseconds(per: "run"), broad),
      Benchmark("kairo", "deep", unit: .nanoseconds(per: "run"), deep),
      Benchmark("kairo", "diamond", unit: .nanoseconds(per: "run"), diamond),
      Benchmark("kairo", "mux", unit: .nanoseconds(per: "run"), mux),
      Benchmark("kairo", "repeated", unit: .nanoseconds(per: "read"), repeated),
      Benchmark("kairo", "triangle", unit: .nanoseconds(per: "run"), triangle),
      Benchmark("kairo", "unstable", unit: .nanoseconds(per: "run"), unstable),
      Benchmark("kairo", "mol", unit: .microseconds(per: "iteration"), mol),
    ]
  }
}
