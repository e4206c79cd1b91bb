import Synchronization

/// How much of the actor's time goes into the evaluation for one follower that wants the latest value
/// only.
///
/// The actor evaluates for its followers, so all others wait meanwhile. What takes a few visits of the
/// actor at most is evaluated in the step of the commit, which is the fastest for the follower, too.
/// What takes longer is evaluated when the follower comes for it, several commits at once; and after an
/// evaluation that took the time *t* there is none for 9 *t*, so that it takes a tenth of the time.
///
/// The time is that of the thread: it does not depend on what else the machine does.
@usableFromInline
struct FollowerShare {
  /// What stays in the step of the commit, in nanoseconds.
  ///
  /// More in debug builds, in which everything takes longer: what a test sees must not depend on it.
  private static var cheap: Int64 {
    #if DEBUG
      1_000_000
    #else
      20_000
    #endif
  }
  /// How many times as long as an evaluation the pause after it is.
  private static var pause: Int64 { 9 }
  /// Of evaluations that are far from that limit, one in so many is measured: to ask for the time costs
  /// more than some of them.
  private static var interval: UInt8 { 16 }

  /// Grows with each evaluation that is slow, and falls with each that is not: one that is slow once,
  /// because memory has to be fetched, makes no slow follower, and neither does one that is quick, because
  /// there was little to do, make a quick one.
  private var suspicion = 0
  /// How long the evaluation took that was measured last.
  private var latest: Int64 = 0
  /// Until when there is no other.
  private var end: Int64 = 0
  /// How many have not been measured since.
  private var unmeasured: UInt8 = 0
  /// Whether the follower will be woken up after the pause.
  private var isWakeUpDue = false

  /// Whether followers never pause; for tests that predict each run.
  fileprivate static let isUnlimited = Atomic(false)

  @usableFromInline
  init() {}

  /// Whether an evaluation is too expensive for the step of a commit.
  @usableFromInline var isExpensive: Bool { suspicion > 2 }

  /// An evaluation begins.
  ///
  /// - Returns: The time, for `ended`; nil if it is not to be measured.
  @usableFromInline
  mutating func begins() -> Int64? {
    if suspicion == 0, latest * 4 < Self.cheap, unmeasured < Self.interval,
      unmeasured > 0 || latest > 0
    {
      unmeasured += 1
      return nil
    }
    return GraphTasks.threadTime
  }

  /// An evaluation has ended.
  @usableFromInline
  mutating func ended(_ begin: Int64?) {
    guard let begin else { return }
    unmeasured = 0
    latest = max(GraphTasks.threadTime - begin, 1)
    guard latest > Self.cheap else {
      suspicion = max(suspicion - 1, 0)
      return
    }
    suspicion = min(suspicion + 2, 4)
    if isExpensive { end = GraphTasks.time + latest * Self.pause }
  }

  /// Whether the follower has to wait before the next evaluation.
  ///
  /// - Parameter wakeUp: Is called after the pause, once; on any thread.
  /// - Returns: False if it may be evaluated for at once.
  @usableFromInline
  mutating func mustPause(_ wakeUp: @escaping @Sendable () async -> Void) -> Bool {
    guard end > 0, !Self.isUnlimited.load(ordering: .relaxed) else { return false }
    let rest = end - GraphTasks.time
    guard rest > 0 else { return false }
    passes(.pausesFollower)
    guard !isWakeUpDue else { return true }
    isWakeUpDue = true
    GraphTasks.launch("the end of a pause") {
      await GraphTasks.sleep(for: .nanoseconds(rest))
      await wakeUp()
    }
    return true
  }

  /// The follower has been woken up after the pause.
  @usableFromInline
  mutating func wasWokenUp() {
    isWakeUpDue = false
  }
}

extension Graph {
  /// Stops the pauses of followers in this process, for tests that predict each run: under a sanitizer
  /// every run is slow.
  package func stopPausing() {
    FollowerShare.isUnlimited.store(true, ordering: .relaxed)
  }
}
