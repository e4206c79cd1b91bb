/// What a run is known by, to the nodes that it makes.
@usableFromInline
package struct RunNumber: Hashable, Sendable, BitwiseCopyable {
  /// The number of the run in the lower half, the era in the upper one.
  ///
  /// Numbers begin anew after 2^32 runs. Those of async runs are counted apart, and have a bit that no
  /// other has.
  package let rawValue: UInt64

  /// No run.
  package static var none: RunNumber { RunNumber(rawValue: 0) }

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  init(number: UInt32, era: UInt32) {
    rawValue = number == 0 ? 0 : UInt64(era) << 32 | UInt64(number)
  }

  /// The number of a run of an async rule.
  init(asyncRun count: UInt64) {
    rawValue = count | Self.asyncMark
  }

  private static var asyncMark: UInt64 { 1 << 63 }

  /// Whether it is the run of an async rule.
  var isAsync: Bool { rawValue & Self.asyncMark != 0 }

  /// The number of the run.
  var number: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// How often the numbers had begun anew.
  var era: UInt32 { UInt32(rawValue >> 32) }
}
