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
    let gate = StartGate(tasks, threads: place == .pool ? min(tasks, coreCount) : 1)
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
      guard let start = gate.start, let end else { return .zero }
      return start.duration(to: end)
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
    var start: ContinuousClock.Instant?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  /// How many threads go through the gate at the same time, if the pool gives them.
  private let threads: Int
  /// How many tasks have a thread, or had one.
  private let running = Atomic(0)

  init(_ count: Int, threads: Int) {
    state = Mutex(State(missing: count))
    self.threads = threads
  }

  /// When the first task went on.
  var start: ContinuousClock.Instant? { state.withLock { $0.start } }

  /// Waits for the last.
  nonisolated(nonsending) func pass() async {
    await withCheckedContinuation { continuation in
      let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.missing -= 1
        state.waiters.append(continuation)
        guard state.missing == 0 else { return [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    keepThread()
  }

  /// Waits, without giving the thread away, for the other threads of the pool.
  ///
  /// They may be asleep, and a task that begins meanwhile would be at its end when they awake.
  private func keepThread() {
    let deadline = ContinuousClock.now + .milliseconds(20)
    running.add(1, ordering: .relaxed)
    while running.load(ordering: .relaxed) < threads, .now < deadline {}
    state.withLock { if $0.start == nil { $0.start = .now } }
  }
}
