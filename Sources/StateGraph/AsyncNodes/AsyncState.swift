/// What is known of the result of an async rule.
public enum AsyncState<Value: Sendable>: Sendable {
  /// The result is out of date, or there is none yet.
  ///
  /// - Parameters:
  ///   - previous: The last value, if there was one.
  ///   - inputsChanged: Whether something may have changed that `previous` depends on, so that it
  ///     belongs to other inputs. False before the first result, and while a result is merely being
  ///     refreshed: then `previous` belongs to the present inputs.
  case pending(previous: Value?, inputsChanged: Bool)
  /// The rule has returned this value, and nothing that it has read has changed since.
  case success(Value)
  /// The rule has thrown this error, and nothing that it has read has changed since; the last
  /// value before, if there was one.
  case failure(any Error, previous: Value?)

  /// The latest value that is known, current or not.
  public var value: Value? {
    switch self {
    case .success(let value): value
    case .pending(let previous, _), .failure(_, let previous): previous
    }
  }

  /// The error that the rule has thrown, if that is its current result.
  public var error: (any Error)? {
    guard case .failure(let error, _) = self else { return nil }
    return error
  }

  /// Whether the result is out of date, or there is none yet.
  public var isPending: Bool {
    guard case .pending = self else { return false }
    return true
  }
}

/// The last settled result of an async rule.
struct AsyncResult<Value: Sendable>: Sendable {
  /// How a run has ended.
  enum Outcome: Sendable {
    case success(Value)
    case failure(any Error, previous: Value?)
  }

  /// How the last run ended that has ended; nil before the first.
  var outcome: Outcome?
  /// Grows whenever a result differs from the one before.
  var number: UInt64 = 0

  /// The last value, current or not.
  var value: Value? {
    switch outcome {
    case .success(let value): value
    case .failure(_, let previous): previous
    case nil: nil
    }
  }
}

/// Whether a result holds.
enum AsyncValidity: Sendable {
  /// Nothing has changed since.
  case valid
  /// It is to be derived anew, from the same inputs.
  case refreshing
  /// Something has changed, or may have, that it depends on.
  case inputsChanged
}

/// A state, with what tells it from others.
struct AsyncSnapshot<Value: Sendable>: Sendable {
  let result: AsyncResult<Value>
  /// Whether the result holds, and if not, why.
  let validity: AsyncValidity

  /// Whether the result is out of date, or there is none yet.
  var isPending: Bool { validity != .valid }

  /// Whether two snapshots are the same state.
  static func areSame(_ left: AsyncSnapshot, _ right: AsyncSnapshot) -> Bool {
    left.validity == right.validity && left.result.number == right.result.number
  }

  /// The state as users see it.
  var state: AsyncState<Value> {
    guard !isPending else {
      return .pending(
        previous: result.value, inputsChanged: validity == .inputsChanged && result.outcome != nil)
    }
    switch result.outcome {
    case .success(let value): return .success(value)
    case .failure(let error, let previous): return .failure(error, previous: previous)
    case nil: preconditionFailure("an async node is settled and has no result")
    }
  }

  /// Whether two states count as the same for a stream: two values if the node's comparison says so,
  /// two errors never.
  static func comparison(_ isEqual: Comparison<Value>?) -> Comparison<AsyncState<Value>> {
    { old, new in
      switch (old, new) {
      case (.success(let old), .success(let new)):
        isEqual?(old, new) ?? false
      case (.pending(let old, let wasChanged), .pending(let new, let isChanged))
      where wasChanged == isChanged:
        if let old, let new { isEqual?(old, new) ?? false } else { old == nil && new == nil }
      default: false
      }
    }
  }

  /// The value of a settled state.
  ///
  /// - Throws: The error that the rule has thrown.
  func get() throws -> Value {
    switch result.outcome {
    case .success(let value): return value
    case .failure(let error, _): throw error
    case nil: preconditionFailure("an async node is settled and has no result")
    }
  }
}
