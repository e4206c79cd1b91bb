import StateGraph
import StateGraphTesting
import Testing

/// The random graphs of the model tests, with other seeds in every run and more of them.
@Suite struct ModelStressTests {
  @Test func `random graphs do what the reference model does`() async {
    let first = StressScale.seed
    let count = UInt64(500 * StressScale.factor)
    print("model seeds from \(first), \(count) of them")
    await #expect(processExitsWith: .success) {
      [first = first as UInt64, count = count as UInt64] in
      for seed in first..<first + count {
        try await ModelRun(seed: seed).run(operations: 400)
      }
    }
  }
}
