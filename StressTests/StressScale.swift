import Foundation

/// How much of everything a run of the suite does.
enum StressScale {
  /// 1 unless the environment variable `STATEGRAPH_STRESS_SCALE` says otherwise.
  static let factor: Int = {
    let value = ProcessInfo.processInfo.environment["STATEGRAPH_STRESS_SCALE"] ?? "1"
    guard let factor = Int(value), factor > 0 else {
      fatalError("STATEGRAPH_STRESS_SCALE is a whole number from 1 on, not \(value)")
    }
    return factor
  }()

  /// A seed that differs from run to run, unless `STATEGRAPH_STRESS_SEED` says otherwise; printed
  /// when it is first asked for.
  ///
  /// An exit test has to capture it: a process of its own would choose another.
  static let seed: UInt64 = {
    guard let value = ProcessInfo.processInfo.environment["STATEGRAPH_STRESS_SEED"] else {
      let seed = UInt64.random(in: 0..<1 << 32)
      print("STATEGRAPH_STRESS_SEED=\(seed)")
      return seed
    }
    guard let seed = UInt64(value) else {
      fatalError("STATEGRAPH_STRESS_SEED is a whole number, not \(value)")
    }
    return seed
  }()

  /// When something that is to go on for a while has gone on long enough.
  ///
  /// - Parameter seconds: How long at a factor of 1.
  /// - Returns: The moment.
  static func deadline(after seconds: Double) -> ContinuousClock.Instant {
    .now + .seconds(seconds * Double(factor))
  }
}
