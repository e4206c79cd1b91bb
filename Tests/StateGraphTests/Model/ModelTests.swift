import StateGraph
import StateGraphTesting
import Testing

/// Random graphs under random operations do what a model does that recomputes everything.
@Suite struct ModelTests {
  /// 2,000 seeds in 20 parts; 200 operations each.
  @Test(arguments: 0..<20)
  @GraphActor
  func `a random graph has the values and runs the rules of the reference model`(
    part: UInt64
  ) async throws {
    for seed in part * 100..<(part + 1) * 100 {
      try ModelRun(seed: seed).run(operations: 200)
      await Task.yield()
    }
  }
}
