import StateGraph
import StateGraphTesting

/// What an async rule of a world does besides summing its sources up.
struct AsyncBehaviour: Sendable {
  /// Yields between its reads.
  var yields = false
  /// Sleeps between its reads, so that runs are abandoned and superseded.
  var sleeps = false
  /// Fails for some numbers.
  var fails = false
  /// Throws `CancellationError` for some numbers.
  var cancels = false
  /// Waits for a condition, which is part of what it depends on.
  var waits = false
  /// Reads its sources in child tasks.
  var forks = false
  /// Starts a task that writes, and does not wait for it.
  var startsTask = false
  /// Is tried again when it fails, and has a time limit, which it keeps.
  var isRetried = false
  /// Has results that are soon stale.
  var becomesStale = false
}

/// What an async rule fails with.
struct WorldFailure: Error, Equatable {
  let number: Int
}

/// An async node of a world.
///
/// Its outcomes stand for numbers: a value for its own, a failure for one below 0.
final class AsyncSource<Coding: NumberCoding>: Sendable {
  let name: String
  let ceiling: Int
  let node: AsyncComputed<Coding.Value>
  let behaviour: AsyncBehaviour
  let sources: [any Source]
  let awaited: (any Outcome)?
  private let token = Census.alive.token()

  init(
    name: String, behaviour: AsyncBehaviour, sources: [any Source], awaited: (any Outcome)?,
    closing: Stored<Bool>, start: @escaping @Sendable (Int) -> Void
  ) {
    self.name = name
    self.behaviour = behaviour
    self.sources = sources
    self.awaited = awaited
    ceiling = max(sources.map(\.ceiling).max() ?? -1, awaited?.ceiling ?? -1)
    node = Coding.makeAsync(name: name, behaviour) {
      if behaviour.waits {
        try await graphWait { closing.wrappedValue || sources[0].number % 3 != 1 }
      }
      var sum = 0
      if behaviour.forks, let first = sources.first, let last = sources.last {
        async let one = first.currentNumber()
        async let two = last.currentNumber()
        sum = await one + two
      } else {
        for source in sources {
          sum += await source.currentNumber()
          if behaviour.yields { await Task.yield() }
          // Part of the workload: the time in which a run is superseded or abandoned.
          if behaviour.sleeps { try await Task.sleep(for: .microseconds(300)) }
        }
      }
      if behaviour.startsTask { start(sum) }
      if let awaited { sum += try await awaited.outcomeOrThrow() }
      return try behaviour.end(with: sum)
    }
  }
}

extension AsyncBehaviour {
  var staleAfter: Duration? { becomesStale ? .milliseconds(3) : nil }
  var timeout: Duration? { isRetried ? .seconds(600) : nil }
  var retry: AsyncRetry? {
    isRetried ? AsyncRetry(maximumAttempts: 3, delay: .microseconds(100)) : nil
  }

  /// Fails for some sums.
  func end(with sum: Int) throws -> Int {
    if fails, sum % 5 == 1 { throw WorldFailure(number: sum) }
    if cancels, sum % 7 == 1 { throw CancellationError() }
    return sum
  }
}
