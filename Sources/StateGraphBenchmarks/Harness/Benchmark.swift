/// Something whose cost is measured.
///
/// A group is an enum with a static property that lists its benchmarks; `Benchmarks.swift` lists the
/// groups.
struct Benchmark: Sendable {
  /// What the results are, and how they are shown.
  enum Unit: Sendable {
    /// Nanoseconds for each operation.
    case nanoseconds(per: String)
    /// Microseconds for each operation.
    case microseconds(per: String)
    /// A number of things for each operation.
    case count(of: String, per: String)
  }

  /// What it belongs to: the first half of its full name.
  let group: String

  /// Its own name, unique in the group.
  let name: String

  /// What its results are.
  let unit: Unit

  /// Whether it takes memory or time that a run only for the checks must not take.
  let isLong: Bool

  /// Builds what is measured, and measures it.
  ///
  /// A function that is isolated to an actor, synchronous or not, can be given as well.
  let body: @Sendable (_ sampler: Sampler) async -> Measurement

  /// Makes a benchmark.
  init(
    _ group: String, _ name: String, unit: Unit, isLong: Bool = false,
    _ body: @escaping @Sendable (_ sampler: Sampler) async -> Measurement
  ) {
    self.group = group
    self.name = name
    self.unit = unit
    self.isLong = isLong
    self.body = body
  }

  /// What the command line's filter is compared with.
  var fullName: String { "\(group)/\(name)" }
}

extension Benchmark.Unit: CustomStringConvertible {
  var description: String {
    switch self {
    case .nanoseconds(let operation): "ns per \(operation)"
    case .microseconds(let operation): "µs per \(operation)"
    case .count(let things, let operation): "\(things) per \(operation)"
    }
  }

  /// What a result in nanoseconds, or a number, is divided by to be shown.
  var divisor: Double {
    switch self {
    case .nanoseconds, .count: 1
    case .microseconds: 1_000
    }
  }
}
