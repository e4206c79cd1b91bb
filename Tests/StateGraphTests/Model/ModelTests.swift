import StateGraph
import StateGraphTesting
import Testing

/// Random graphs under random operations do what a model does that recomputes everything.
///
/// Each part has a process of its own, so that the invariants of a small graph are checked.
@Suite struct ModelTests {
  /// 2,000 seeds, 200 operations each.
  @Test(arguments: 0..<4)
  func `a random graph has the values and runs the rules of the reference model`(
    part: UInt64
  ) async {
    await #expect(processExitsWith: .success) { [part] in
      for seed in part * 500..<(part + 1) * 500 {
        try await ModelRun(seed: seed).run(operations: 200)
      }
    }
  }
}
