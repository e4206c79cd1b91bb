/// A group or a map: runs when it is made, and after commits that changed what it has read.
///
/// What it makes in a run, nested groups and maps, ends with the next run.
// SAFETY: Mutable state is isolated to GraphActor; the rest is Sendable and never changes.
class Reaction: ReactionCell, @unchecked Sendable {
  /// When it runs after a commit.
  final let delivery: GraphDelivery
  /// What it has made in its latest run; cancelled when it is.
  final let scope = TrackingScope()
  /// The reaction in whose run it was made.
  final let outer: Reaction?

  /// That it is a member of what it was made in.
  @exclusivity(unchecked) @GraphActor final var membership: TrackingScope.Membership?
  /// The reactions that it has made in its latest run, the oldest first.
  @exclusivity(unchecked) @GraphActor private final var inner: [Reaction] = []
  /// How many of them may have ended by themselves.
  @exclusivity(unchecked) @GraphActor private final var endedInnerCount = 0
  /// What is to be called before the next run and at the end, the oldest first.
  @exclusivity(unchecked) @GraphActor private final var cleanups: [@GraphActor () -> Void] = []
  /// Whether it is about to run, after the cleanups of the run before.
  @exclusivity(unchecked) @GraphActor private(set) final var isEndingRun = false
  /// How much of the actor's time it takes, with all that it has made.
  @exclusivity(unchecked) @GraphActor final var share = FollowerShare()
  /// Those of them that wait for the end of a pause.
  @exclusivity(unchecked) @GraphActor final var paused: PausedReactions?
  /// Whether it waits for a visit in which it runs.
  @exclusivity(unchecked) @GraphActor final var isPostponed = false

  init(origin: NodeOrigin, delivery: GraphDelivery, outer: Reaction?) {
    self.delivery = delivery
    self.outer = outer
    super.init(origin: origin)
  }

  /// Runs the closures of the user.
  @GraphActor func perform() {
    preconditionFailure("a reaction without a closure has run")
  }

  /// Lets go of the closures of the user; from any thread.
  func releaseClosures() {}

  /// Ends it, from any thread: it never runs again, and neither does what it has made.
  final func cancel() {
    guard scope.cancel() else { return }
    releaseClosures()
    graph.release(self)
  }

  /// Runs, after the end of what the run before has made.
  @GraphActor
  final func run() {
    passes(.runsReaction)
    let answered = cause
    graph.running(self) {
      if hasMade {
        isEndingRun = true
        endRun()
        isEndingRun = false
        // A cleanup may have been the last thing that was wanted.
        guard !scope.isCancelled else { return }
        if graph.waitsForOuter(self) {
          cause = answered
          return
        }
      }
      graph.openTransaction?.addFollower(self)
      let context = graph.trackingContext
      graph.trackingContext = TrackingContext(self)
      perform()
      graph.trackingContext = context
      noticeOwnWrites()
    }
    graph.deliver()
  }

  /// Sees to it that it runs again if its writes have changed a computed node that it has read.
  ///
  /// At once: if others wrote before it looks, the node could have the value again that it has read.
  @GraphActor
  private final func noticeOwnWrites() {
    guard id != .none, !graph.core.pointee.engine.isClean(id), graph.bringUpToDate(id) else {
      return
    }
    passes(.noticesOwnWrites)
    graph.mark { graph.core.pointee.engine.invalidate(id) }
  }

  /// Notes what the run under way has made.
  @GraphActor
  final func add(_ reaction: Reaction) {
    inner.append(reaction)
  }

  /// Notes that a reaction has ended that it has made, and that its cleanups have been called.
  ///
  /// - Complexity: O(1) amortised.
  @GraphActor
  final func noteEndOfInner() {
    endedInnerCount += 1
    guard endedInnerCount * 2 > inner.count else { return }
    inner.removeAll { $0.isRemoved && $0.cleanups.isEmpty }
    endedInnerCount = 0
  }

  /// Notes what is to be called at the end of the run under way.
  @GraphActor
  final func add(_ cleanup: @escaping @GraphActor () -> Void) {
    cleanups.append(cleanup)
  }

  /// Whether the latest run has made something that the next one ends.
  @GraphActor private final var hasMade: Bool { !inner.isEmpty || !cleanups.isEmpty }

  /// Ends what the latest run has made: the latest first, what is nested before what it is in.
  @GraphActor
  private final func endRun() {
    if !inner.isEmpty { passes(.endsNested) }
    if !cleanups.isEmpty { passes(.cleansUp) }
    if !isMutated(.keepsNested) { scope.endMembers() }
    cleanUp()
  }

  /// Calls the cleanups, once.
  @GraphActor
  final func cleanUp() {
    for reaction in inner.reversed() { reaction.cleanUp() }
    inner = []
    endedInnerCount = 0
    let due = cleanups
    cleanups = []
    guard !due.isEmpty else { return }
    // What a cleanup makes belongs to nobody who happens to be at work.
    let context = graph.trackingContext
    graph.trackingContext = nil
    graph.handling(self) {
      for cleanup in due.reversed() { cleanup() }
    }
    graph.trackingContext = context
  }

  override final func notified() {
    switch delivery {
    case .immediate:
      passes(.reactsImmediately)
      graph.react(self)
    case .coalesced: graph.postpone(self)
    }
  }

  override final func cleanUpAfterRemoval() {
    passes(.cleansUpAtEnd)
    cleanUp()
    outer?.noteEndOfInner()
  }

  override func wasRemoved() {
    // The membership holds the closure that ends the reaction, and with it the reaction.
    membership = nil
    // The cleanups may write, so they have to wait until the removal is through.
    graph.core.pointee.machine.reactionEnded(self)
  }
}

/// Where groups and maps that are made now belong.
///
/// Counts no references: it lasts as long as the call that has set it, which holds them.
struct TrackingContext {
  // SAFETY: Held by the call that has made this, see above.
  private let unmanagedScope: Unmanaged<TrackingScope>
  // SAFETY: Likewise.
  private let unmanagedReaction: Unmanaged<Reaction>?

  /// To a `withGraphTracking`.
  init(_ scope: TrackingScope) {
    // SAFETY: See the type.
    unmanagedScope = .passUnretained(scope)
    unmanagedReaction = nil
  }

  /// To a reaction that is running.
  init(_ reaction: Reaction) {
    // SAFETY: See the type.
    unmanagedScope = .passUnretained(reaction.scope)
    // SAFETY: See the type.
    unmanagedReaction = .passUnretained(reaction)
  }

  /// What ends them.
  // SAFETY: See the type.
  var scope: TrackingScope { unmanagedScope.takeUnretainedValue() }

  /// The reaction that they are nested in, if there is one.
  // SAFETY: See the type.
  var reaction: Reaction? { unmanagedReaction?.takeUnretainedValue() }
}

extension Graph {
  private static let trackingState = PartState<TrackingContext?>(nil)

  /// Where groups and maps that are made now belong.
  @GraphActor var trackingContext: TrackingContext? {
    get { Self.trackingState.state }
    nonmutating set { Self.trackingState.state = newValue }
  }
}
