import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tasks that begin together.
enum Crowd {
  /// What a task of the crowd does, on the actor on which it was begun, if any.
  typealias Work = nonisolated(nonsending) @Sendable (_ task: Int) async -> Void

  /// Where the tasks run.
  enum Place {
    case pool, mainActor
  }

  /// How many threads run tasks at the same time.
  static let coreCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// Measures from the moment at which all tasks are warm to the end of the last.
  ///
  /// - Parameters:
  ///   - tasks: How many tasks there are.
  ///   - place: Where they run.
  ///   - warmUp: What each does before the clock starts.
  ///   - work: What each does then.
  /// - Returns: The time between the two.
  static func time(
    tasks: Int, on place: Place = .pool, warmUp: @escaping Work, work: @escaping Work
  ) async -> Duration {
    let gate = StartGate(tasks)
    return await withTaskGroup(of: ContinuousClock.Instant.self) { group in
      for task in 0..<tasks {
        switch place {
        case .pool:
          group.addTask { await run(task, warmUp, gate, work) }
        case .mainActor:
          group.addTask { await runOnMainActor(task, warmUp, gate, work) }
        }
      }
      var end: ContinuousClock.Instant?
      for await instant in group { end = end.map { max($0, instant) } ?? instant }
      return end.map { gate.start.duration(to: $0) } ?? .zero
    }
  }

  private nonisolated(nonsending) static func run(
    _ task: Int, _ warmUp: Work, _ gate: StartGate, _ work: Work
  ) async -> ContinuousClock.Instant {
    await warmUp(task)
    await gate.pass()
    await work(task)
    return .now
  }

  @MainActor
  private static func runOnMainActor(
    _ task: Int, _ warmUp: Work, _ gate: StartGate, _ work: Work
  ) async -> ContinuousClock.Instant {
    await run(task, warmUp, gate, work)
  }
}

/// Lets tasks go on when the last of them has come.
private final class StartGate: Sendable {
  private struct State {
    var missing: Int
    var start = ContinuousClock.now
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) {
    state = Mutex(State(missing: count))
  }

  /// When the gate was opened.
  var start: ContinuousClock.Instant { state.withLock { $0.start } }

  /// Waits for the last.
  nonisolated(nonsending) func pass() async {
    await withCheckedContinuation { continuation in
      let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.missing -= 1
        state.waiters.append(continuation)
        guard state.missing == 0 else { return [] }
        state.start = .now
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }
}
