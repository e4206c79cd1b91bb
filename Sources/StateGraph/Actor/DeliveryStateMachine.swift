/// What the actor is in the middle of, who is yet to be told, and what they answer.
///
/// A plain value that knows neither nodes nor closures: each event says what the caller has to do,
/// and `Graph+Deliveries`, `Graph+Removal` and `Graph+Reactions` do it. An event that cannot occur in
/// a state ends the process with both.
@usableFromInline
package struct DeliveryStateMachine<Member>: ~Copyable {
  /// Which deliveries are being made further up the call stack.
  package enum State: UInt8, CaseIterable, Sendable {
    /// None.
    case idle
    /// Watchers that only read are being told of a commit.
    case informing
    /// Reactions are being run.
    case reacting
    /// A reaction has committed, and watchers that only read are being told of that.
    case informingOfReaction
  }

  /// What must not happen, because the running code relies on it.
  package enum Restriction: Sendable {
    case none
    /// No node may be removed.
    case removals
    /// No node may be removed, and a write is a mistake.
    case writes(WriteBan)
  }

  /// What of all this a write has to look into.
  @usableFromInline package internal(set) var unusual: Unusual = []
  /// The deliveries that are being made.
  package private(set) var state = State.idle
  /// What must not happen.
  package private(set) var restriction = Restriction.none
  /// Which deliveries are outstanding.
  var ledger = DeliveryLedger()
  /// What is on the call stack and may write.
  private(set) var activities = ActivityStack()
  /// What is left to do of removals.
  package internal(set) var removals = Removals()
  /// The reactions that wait for a visit of their own, the oldest first.
  private var postponed = FIFOQueue<Postponed>()
  /// Whether such a visit is due or under way.
  private var visit = Visit.none
  /// What must not have happened when a change in place began.
  private var restrictionBeforeModifying = Restriction.none

  /// A visit of the actor in which postponed reactions run.
  private enum Visit {
    case none
    case due
    /// Between two reactions; what follows from them belongs to the generation.
    case underWay(DeliveryLedger.Generation)
    /// In a reaction.
    case reacting(DeliveryLedger.Generation)
  }

  /// A reaction that waits for a visit of its own.
  private struct Postponed {
    let member: Member
    let generation: DeliveryLedger.Generation
  }

  /// Whether a reaction is running, so that what is committed may be its doing.
  package var isDelivering: Bool {
    if case .reacting = visit { return true }
    return state == .reacting || state == .informingOfReaction
  }

  /// Why a write is a mistake, if it is.
  package var writeBan: WriteBan? {
    guard case .writes(let ban) = restriction else { return nil }
    return ban
  }

  /// The actor is in the middle of nothing.
  package init() {}

  // MARK: - Commits

  /// What follows when watchers have been marked.
  package enum MarkedAction: Equatable {
    /// Tell those that only read, then report `informed`.
    case inform
    /// Nothing: a loop further up the call stack tells them.
    case leave
  }

  /// Watchers have been marked, or reactions can run that could not when they were marked.
  package mutating func watchersMarked() -> MarkedAction {
    switch state {
    case .idle:
      state = .informing
      return .inform
    case .reacting:
      state = .informingOfReaction
      return .inform
    case .informing, .informingOfReaction:
      return .leave
    }
  }

  /// What follows when the watchers that only read have been told.
  package enum InformedAction: Equatable {
    /// Run the reactions, then report `reacted`.
    case react
    /// Nothing: they run later, or a loop further up the call stack runs them.
    case leave
  }

  /// The watchers that only read have been told.
  ///
  /// - Parameter isRunning: Whether the closure of a watcher, or a rule, is on the call stack. What
  ///   reactions write would pass for its own.
  /// - Returns: What the caller has to do.
  package mutating func informed(isRunning: Bool) -> InformedAction {
    switch state {
    case .informing:
      guard !isRunning, writeBan == nil else {
        state = .idle
        return .leave
      }
      state = .reacting
      return .react
    case .informingOfReaction:
      state = .reacting
      return .leave
    case .idle, .reacting:
      fail("informed")
    }
  }

  /// The reactions have run.
  package mutating func reacted() {
    guard state == .reacting else { fail("reacted") }
    state = .idle
  }

  // MARK: - Visits

  /// What follows when a reaction is to run in a visit of its own.
  package enum PostponedAction: Equatable {
    /// Start a visit.
    case startVisit
    /// Nothing: one is due already.
    case wait
  }

  /// A reaction is to run in a visit of its own.
  package mutating func postpone(_ member: Member) -> PostponedAction {
    resume(member, generation: ledger.began())
  }

  /// A reaction is going to run in a visit, but not before a pause is over.
  ///
  /// - Returns: The generation to which its run belongs, for `resume` or `abandon`.
  package mutating func pause() -> UInt64 { ledger.began() }

  /// The pause of a reaction that has gone meanwhile is over.
  package mutating func abandon(generation: UInt64) { ledger.ended(generation) }

  /// The pause of a reaction is over.
  ///
  /// - Returns: What the caller has to do.
  package mutating func resume(_ member: Member, generation: UInt64) -> PostponedAction {
    postponed.append(Postponed(member: member, generation: generation))
    switch visit {
    case .none:
      visit = .due
      return .startVisit
    case .due, .underWay, .reacting:
      return .wait
    }
  }

  /// A visit begins.
  ///
  /// What follows from it as a whole, as the removal of what it gives up does, belongs to the generation
  /// of its first reaction: no later one is waited for by somebody who does not wait for that.
  package mutating func visitBegan() {
    guard case .due = visit, state == .idle, let first = postponed.first else { fail("visitBegan") }
    visit = .underWay(first.generation)
    ledger.hold(first.generation)
    ledger.enter(first.generation)
  }

  /// The next reaction of the visit: what it causes belongs to its generation, until `visited`.
  ///
  /// - Returns: Nil if there is none at the moment.
  package mutating func nextOfVisit() -> (member: Member, generation: UInt64)? {
    guard case .underWay(let whole) = visit, state == .idle else { fail("nextOfVisit") }
    guard let next = postponed.popFirst() else { return nil }
    visit = .reacting(whole)
    ledger.enter(next.generation)
    return (next.member, next.generation)
  }

  /// A reaction of the visit has run, or needed not.
  package mutating func visited(_ generation: UInt64) {
    guard case .reacting(let whole) = visit, state == .idle else { fail("visited") }
    visit = .underWay(whole)
    ledger.ended(generation)
    ledger.enter(whole)
  }

  /// The visit ends, unless further reactions have been postponed.
  ///
  /// - Returns: Whether it has ended.
  package mutating func visitEnds() -> Bool {
    guard case .underWay(let whole) = visit, state == .idle else { fail("visitEnds") }
    guard postponed.isEmpty else { return false }
    visit = .none
    ledger.leave()
    ledger.ended(whole)
    return true
  }

  // MARK: - Restrictions

  /// Code begins that relies on all nodes being there.
  ///
  /// - Returns: For `endRestriction`.
  package mutating func beginKeepingNodes() -> Restriction {
    let outer = restriction
    if case .none = outer { restriction = .removals }
    unusual.insert(.restricted)
    return outer
  }

  /// Code begins in which a write is a mistake.
  ///
  /// - Returns: For `endRestriction`.
  package mutating func beginBan(_ ban: WriteBan) -> Restriction {
    let outer = restriction
    restriction = .writes(ban)
    unusual.insert(.restricted)
    return outer
  }

  /// Ends what one of the two began.
  package mutating func endRestriction(to outer: Restriction) {
    restriction = outer
    if case .none = outer { unusual.remove(.restricted) }
  }

  /// A change in place begins that is not a closure around which `beginBan` could be put.
  package mutating func beginModifying(_ origin: NodeOrigin) {
    if case .writes = restriction { fail("beginModifying") }
    restrictionBeforeModifying = beginBan(.modifying(origin))
  }

  /// Ends what `beginModifying` began.
  package mutating func endModifying() {
    guard case .writes(.modifying) = restriction else { fail("endModifying") }
    endRestriction(to: restrictionBeforeModifying)
  }

  // MARK: - Causes

  /// A closure of the user begins that may write.
  ///
  /// - Parameters:
  ///   - kind: What runs.
  ///   - member: Whose closure it is.
  ///   - label: What messages call it if it belongs to no cell.
  ///   - parent: What it answers; nil if that is the activity below.
  ///   - cause: What it is a part of, if that is over.
  mutating func beginActivity(
    _ kind: ActivityStack.Kind, of member: NodeCell?, label: StaticString = "",
    answering parent: Cause? = nil, partOf cause: Cause? = nil
  ) {
    activities.begin(kind, of: member, label: label, answering: parent, partOf: cause)
    unusual.insert(.acting)
  }

  /// The closure that has begun last ends.
  mutating func endActivity() {
    activities.end()
    if activities.isEmpty { unusual.remove(.acting) }
  }

  /// What the writes of the innermost closure are caused by.
  ///
  /// - Precondition: There is one.
  @GraphActor
  mutating func currentCause() -> Cause { activities.currentCause() }

  // MARK: - Failures

  /// Stops because an event cannot occur in the state.
  func fail(_ event: StaticString) -> Never {
    fatalError("StateGraph: \(event) while \(state), \(restriction), visit \(visit)")
  }
}

/// Why a write is a mistake.
package enum WriteBan: Sendable {
  /// The values of a node are being compared.
  case comparing(NodeOrigin)
  /// The value of a node is being modified in place.
  case modifying(NodeOrigin)
  /// A condition that is waited for is being evaluated.
  case waiting(NodeOrigin)
  /// The fallback of a member of a cycle is being found out.
  case fallingBack(NodeOrigin)
}
