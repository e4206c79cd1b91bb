import StateGraphTesting
import Testing

/// What a strictly serialisable store can do is accepted.
@Suite struct ValidHistoryTests {
  /// 10,000 seeds in 20 parts.
  @Test(arguments: 0..<20)
  func `a history of a strictly serialisable store has no anomaly`(part: UInt64) {
    for seed in part * 500..<(part + 1) * 500 {
      var generator = SeededGenerator(seed: seed)
      let options = SimulatedStore.Options.random(using: &generator)
      let count = Int.random(in: 1...50, using: &generator)
      var store = SimulatedStore(options, using: generator)
      let history = store.history(transactions: count)
      let anomalies = history.anomalies(includingAbortedReads: true)
      #expect(anomalies.isEmpty, "seed \(seed): \(anomalies)\n\(history)")
      if !anomalies.isEmpty { return }
    }
  }
}
