/// Where an async node stands.
public enum AsyncState<Value: Sendable>: Sendable {
  /// There is no result for what the rule reads now; the rule runs, or will when it is asked for.
  ///
  /// - Parameter previous: The last value that the rule has returned, if it has.
  case pending(previous: Value?)
  /// The rule has returned, and nothing that it has read has changed since.
  case success(Value)
  /// The rule has thrown, and nothing that it has read has changed since.
  ///
  /// - Parameter previous: The last value that the rule has returned, if it has.
  case failure(any Error, previous: Value?)

  /// The value, or the last one before.
  public var latest: Value? {
    switch self {
    case .pending(let previous): previous
    case .success(let value): value
    case .failure(_, let previous): previous
    }
  }

  /// The error that the rule has thrown; nil if it has returned, and while it is pending.
  public var error: (any Error)? {
    guard case .failure(let error, _) = self else { return nil }
    return error
  }

  /// Whether there is no result yet.
  public var isPending: Bool {
    guard case .pending = self else { return false }
    return true
  }
}

/// What a rule has come to.
struct AsyncOutcome<Value: Sendable>: Sendable {
  /// What it has returned or thrown.
  let result: Result<Value, any Error>
  /// The last value that it has returned.
  let latest: Value?
  /// Changes with each outcome that differs from the one before.
  let number: UInt64
}

/// An outcome, and whether it still holds.
struct AsyncSnapshot<Value: Sendable>: Sendable {
  /// The latest outcome; nil before the first.
  let outcome: AsyncOutcome<Value>?
  /// Whether what the rule has read has changed since, or is pending itself.
  let isPending: Bool

  /// The outcome, if it holds.
  var settled: AsyncOutcome<Value>? { isPending ? nil : outcome }

  /// The same in public words.
  var state: AsyncState<Value> {
    guard let outcome = settled else { return .pending(previous: outcome?.latest) }
    switch outcome.result {
    case .success(let value): return .success(value)
    case .failure(let error): return .failure(error, previous: outcome.latest)
    }
  }

  static func isSame(_ left: AsyncSnapshot, _ right: AsyncSnapshot) -> Bool {
    left.isPending == right.isPending && left.outcome?.number == right.outcome?.number
  }
}
