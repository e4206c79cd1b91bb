import Synchronization

/// A value under a lock, and tasks that wait until it satisfies a condition.
///
/// Works under real threads and in seeded runs. Waiting tasks are served in the order in which
/// they came. Nothing is resumed while the lock is held.
final class Monitor<State: Sendable>: Sendable {
  /// Says whether a wait is over; may change the value if it is.
  typealias Condition = @Sendable (inout State) -> Bool

  private struct Waiter {
    let key: Int
    let condition: Condition
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Content {
    var state: State
    /// Who waits, longest first.
    var waiters: [Waiter] = []
    /// Waits that were cancelled before they began.
    var cancelled: Set<Int> = []
    /// How many waits there have been.
    var waitCount = 0

    /// Takes out the waiters whose condition holds, in the order in which they came.
    ///
    /// Serving one may change the value, so the search begins again after each.
    mutating func takeSatisfied() -> [CheckedContinuation<Bool, Never>] {
      var satisfied: [CheckedContinuation<Bool, Never>] = []
      var place = 0
      while place < waiters.count {
        if waiters[place].condition(&state) {
          satisfied.append(waiters.remove(at: place).continuation)
          place = 0
        } else {
          place += 1
        }
      }
      return satisfied
    }
  }

  private let content: Mutex<Content>
  /// Orders the uses of the content for the thread sanitizer, which does not see a contended mutex
  /// being passed on: that happens in the standard library's own code.
  private let uses = Atomic<UInt>(0)

  init(_ state: sending State) {
    content = Mutex(Content(state: state))
  }

  /// Reads or changes the value, and resumes those whose condition it satisfies then.
  func withState<R: Sendable>(_ body: (inout State) -> R) -> R {
    let (result, resumed) = withContent { content in
      let result = body(&content.state)
      return (result, content.takeSatisfied())
    }
    for continuation in resumed { continuation.resume(returning: true) }
    return result
  }

  /// Waits until the value satisfies a condition.
  ///
  /// - Parameters:
  ///   - place: What a report of a deadlock calls the place.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  ///   - condition: Checked after every change, under the lock.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  func wait(
    at place: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
    until condition: @escaping Condition
  ) async throws {
    let key = withContent { content in
      content.waitCount += 1
      return content.waitCount
    }
    let run = ScheduleExecutor.current
    let task = run.flatMap { $0.beginWait(at: place()) }
    defer { run?.endWait(task) }
    let isSatisfied = await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        self.begin(Waiter(key: key, condition: condition, continuation: continuation))
      }
    } onCancel: {
      self.cancel(key)
    }
    guard isSatisfied else { throw CancellationError() }
    // A cancellation that came too late has left its mark.
    if Task.isCancelled { withContent { _ = $0.cancelled.remove(key) } }
  }

  private func withContent<R: Sendable>(_ body: (inout Content) -> R) -> R {
    content.withLock { content in
      _ = uses.load(ordering: .acquiring)
      defer { uses.add(1, ordering: .acquiringAndReleasing) }
      return body(&content)
    }
  }

  private func begin(_ waiter: Waiter) {
    let (outcome, resumed) = withContent { content in
      if content.cancelled.remove(waiter.key) != nil {
        return (false as Bool?, [] as [CheckedContinuation<Bool, Never>])
      }
      content.waiters.append(waiter)
      return (nil, content.takeSatisfied())
    }
    if let outcome { waiter.continuation.resume(returning: outcome) }
    for continuation in resumed { continuation.resume(returning: true) }
  }

  private func cancel(_ key: Int) {
    let continuation = withContent { content in
      guard let place = content.waiters.firstIndex(where: { $0.key == key }) else {
        content.cancelled.insert(key)
        return nil as CheckedContinuation<Bool, Never>?
      }
      return content.waiters.remove(at: place).continuation
    }
    continuation?.resume(returning: false)
  }
}
