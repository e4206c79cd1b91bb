// Millions of reads are timed; their percentiles must not need millions of numbers.

/// Counts durations in buckets whose width is a sixteenth of their value, in fixed memory.
package struct LatencyHistogram: Sendable {
  /// The number of durations recorded.
  package private(set) var count = 0

  /// The counts; below 16 ns a bucket holds one value, from there on 16 buckets share an octave.
  private var buckets = [Int](repeating: 0, count: 61 * 16)

  /// Makes an empty histogram.
  package init() {}

  /// Records a duration.
  ///
  /// - Complexity: O(1).
  package mutating func record(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    count += 1
    buckets[LatencyHistogram.bucket(of: Int(nanoseconds))] += 1
  }

  /// Adds the counts of another histogram.
  package mutating func merge(_ other: LatencyHistogram) {
    count += other.count
    for index in buckets.indices {
      buckets[index] += other.buckets[index]
    }
  }

  /// The duration that a share of the recorded ones does not exceed, at most a sixteenth too long.
  ///
  /// - Parameter share: The share, for instance 0.99.
  /// - Returns: The duration; `nil` when nothing is recorded.
  package func percentile(_ share: Double) -> Duration? {
    guard count > 0 else { return nil }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (index, bucket) in buckets.enumerated() {
      seen += bucket
      if seen >= rank {
        return .nanoseconds(LatencyHistogram.upperBound(of: index))
      }
    }
    return nil
  }

  private static func bucket(of nanoseconds: Int) -> Int {
    guard nanoseconds >= 16 else { return nanoseconds }
    let octave = Int.bitWidth - 1 - nanoseconds.leadingZeroBitCount
    return (octave - 3) * 16 + (nanoseconds >> (octave - 4)) & 15
  }

  private static func upperBound(of bucket: Int) -> Int {
    guard bucket >= 16 else { return bucket }
    let shift = bucket / 16 - 1
    return (bucket % 16 + 16) << shift + (1 << shift - 1)
  }
}
