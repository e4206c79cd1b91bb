import StateGraph

/// A node of a world that can be read, whatever its type, as a number.
protocol Source: AnyObject, Sendable {
  /// What messages call it.
  var name: String { get }
  /// The highest rank of the stored nodes that it can read; a reaction writes only above it.
  var ceiling: Int { get }
  /// Whether its value only grows, and every change is a change of the number.
  var grows: Bool { get }
  /// Whether a stream that has told one number need not tell another one.
  func isSame(_ told: Int, _ number: Int) -> Bool
  /// Whether it can read a stored node with a comparison of its own.
  var reachesComparison: Bool { get }
  /// The number as the node says; a tracked read.
  @GraphActor var number: Int { get }
  /// The number that it must be, from what the stored nodes hold, without the computed ones.
  @GraphActor var expected: Int { get }
  /// The number, from any isolation.
  func currentNumber() async -> Int
  /// The committed number, if it is known.
  var committedNumber: Int? { get }
  /// Follows the changes, until the body returns false or the stream ends.
  static func follow(
    _ source: consuming Self, _ buffering: GraphBuffering,
    _ body: @Sendable (_ change: NumberChange) async -> Bool
  ) async
  /// Takes the first element of a stream of the latest value.
  ///
  /// - Returns: The element, and what takes the next ones; nil at the end.
  func begin() async -> (first: Int?, next: @Sendable () async -> Int?)
  /// Follows the values.
  static func followValues(
    _ source: consuming Self, _ body: @Sendable (_ number: Int) async -> Bool
  ) async
}

/// An element of a stream of changes.
struct NumberChange: Sendable {
  let number: Int
  let version: UInt64
  let dropped: Int
}

extension Source {
  func isSame(_ told: Int, _ number: Int) -> Bool { told == number }

  /// Verifies the value, in one step.
  @GraphActor
  func verify(_ place: String, expectedFirst: Bool = false) {
    // A transaction reads what it has assigned, and computed nodes what that would come to.
    if self is any Writable { return _ = number }
    if expectedFirst {
      let want = expected
      let got = number
      require(got == want, "recomputation", "\(name) is \(got), not \(want) (\(place), read last)")
    } else {
      let got = number
      let want = expected
      require(got == want, "recomputation", "\(name) is \(got), not \(want) (\(place))")
    }
  }
}

/// Reads a value, which must be whole.
@inline(__always)
func decode<Coding: NumberCoding>(
  _ coding: Coding.Type, _ value: Coding.Value, _ name: String
) -> Int {
  guard let number = Coding.number(of: value) else {
    report("whole values", "\(name) is \(String(describing: value).prefix(200))")
  }
  return number
}

/// Follows a node without keeping it.
func followChanges<Coding: NumberCoding>(
  _ coding: Coding.Type, _ changes: GraphChanges<Coding.Value>, _ name: String,
  _ body: @Sendable (NumberChange) async -> Bool
) async {
  var version: UInt64?
  for await change in changes {
    let number = decode(Coding.self, change.value, name)
    if let version {
      require(
        change.version > version, "versions of a stream",
        "\(name): \(change.version) after \(version)")
    }
    version = change.version
    let next = NumberChange(number: number, version: change.version, dropped: change.dropped)
    if await !body(next) { return }
  }
}
