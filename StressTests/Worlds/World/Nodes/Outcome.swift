import StateGraph

/// An async node of a world, whatever its type.
protocol Outcome: AnyObject, Sendable {
  var name: String { get }
  var ceiling: Int { get }
  /// Whether it can read a stored node with a comparison of its own.
  var reachesComparison: Bool { get }
  /// The settled value, as a number.
  func outcomeOrThrow() async throws -> Int
  /// Makes the result stale.
  @GraphActor func refresh()
  /// The state, as text; nil while it is pending.
  @GraphActor var settledState: String? { get }
  /// What the state must be once it is settled.
  @GraphActor var expectedState: String { get }
  /// The sum that the rule must come to, if it does not fail.
  @GraphActor func expectedNumber() throws -> Int
  /// Follows the states, until the body returns false.
  static func followStates(
    _ source: consuming Self, _ body: @Sendable (_ state: String?) async -> Bool
  ) async
  /// An iterator that has begun, to be released with other things.
  func startedIterator() async -> Any
}

extension Outcome {
  /// Verifies the state in one step: what is settled belongs to the current values.
  @GraphActor
  func verify(_ place: String) {
    guard let state = settledState else { return }
    let want = expectedState
    require(state == want, "recomputation", "\(name) is \(state), not \(want) (\(place))")
  }

  /// The settled state, which waits for the node.
  func outcome() async -> String {
    do {
      return "\(try await outcomeOrThrow())"
    } catch {
      return text(of: error)
    }
  }
}

/// An outcome that is a failure.
func text(of error: any Error) -> String {
  switch error {
  case let failure as WorldFailure: "failure \(failure.number)"
  case is CancellationError: "cancelled"
  default: "\(error)"
  }
}

extension AsyncSource: Outcome {
  var reachesComparison: Bool {
    awaited?.reachesComparison ?? false || sources.contains(where: \.reachesComparison)
  }

  func outcomeOrThrow() async throws -> Int {
    decode(Coding.self, try await node.value, name)
  }

  func refresh() { node.refresh() }

  var settledState: String? { Self.text(node.state, name) }

  var expectedState: String {
    do {
      return "\(try expectedNumber())"
    } catch {
      return StateGraphWorlds.text(of: error)
    }
  }

  func expectedNumber() throws -> Int {
    var sum = 0
    if behaviour.forks, let first = sources.first, let last = sources.last {
      sum = first.expected + last.expected
    } else {
      sum = sources.reduce(0) { $0 + $1.expected }
    }
    if let awaited { sum += try awaited.expectedNumber() }
    return try behaviour.end(with: sum)
  }

  private static func text(_ state: AsyncState<Coding.Value>, _ name: String) -> String? {
    switch state {
    case .pending: nil
    case .success(let value): "\(decode(Coding.self, value, name))"
    case .failure(let error, _): StateGraphWorlds.text(of: error)
    }
  }

  static func followStates(
    _ source: consuming AsyncSource, _ body: @Sendable (_ state: String?) async -> Bool
  ) async {
    let states = source.node.states
    let name = source.name
    _ = consume source
    for await state in states {
      if await !body(text(state, name)) { return }
    }
  }

  func startedIterator() async -> Any {
    var iterator = node.states.makeAsyncIterator()
    _ = await iterator.next(isolation: nil)
    return iterator
  }
}
