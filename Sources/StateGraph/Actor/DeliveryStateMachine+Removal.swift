// Removal: nodes leave the engine in steps in which nothing runs that writes. What they hold, and what
// is told of their end, comes afterwards, when the engine has forgotten them.

extension DeliveryStateMachine {
  /// What is left to do of removals.
  package struct Removals: ~Copyable {
    /// Members that have lost their records in the engine, and are yet to be let go of.
    fileprivate var unlinked = FIFOQueue<Member>()
    /// Reactions that the loss of such members concerns, and that have to wait for the end of a step.
    fileprivate var held: [Member] = []
    /// Reactions that have been removed and whose cleanups are due.
    fileprivate var ended = FIFOQueue<Member>()
    /// Members that may have lost the last who wanted their results.
    fileprivate var abandoned: [Member] = []
    /// Whether deliveries may be due.
    fileprivate var isDeliveryDue = false
    /// How much may still be done in the visit that is under way; nil outside of removals.
    fileprivate var budget: Int?
    /// How many nodes have been removed; what was known of an id may not hold after a removal.
    package fileprivate(set) var count = 0

    /// Whether nothing is left to do.
    package var areComplete: Bool {
      unlinked.isEmpty && held.isEmpty && ended.isEmpty && abandoned.isEmpty
    }
  }

  // MARK: - In the middle of a step

  /// What follows when members have lost their owners.
  package enum ReleasedAction: Equatable {
    /// Take them out of the engine.
    case unlink
    /// Nothing: something on the call stack holds on to a node.
    case wait
  }

  /// Members have lost their owners, and a step is under way that can come across their nodes.
  ///
  /// - Parameter isBusy: Whether a run or a transaction is on the call stack.
  /// - Returns: What the caller has to do.
  package func released(isBusy: Bool) -> ReleasedAction {
    guard !isBusy, state == .idle, case .none = restriction else { return .wait }
    return .unlink
  }

  /// A member has lost its record in the engine.
  package mutating func unlinked(_ member: Member) {
    removals.unlinked.append(member)
    removals.isDeliveryDue = true
    removals.count += 1
  }

  /// A reaction is concerned by that, and the code of the step must not be surprised by it.
  package mutating func hold(_ member: Member) {
    removals.held.append(member)
  }

  /// The cleanups of a reaction that has ended are due.
  package mutating func reactionEnded(_ member: Member) {
    removals.ended.append(member)
  }

  /// A member may have lost the last who wanted its results.
  package mutating func mayBeAbandoned(_ member: Member) {
    removals.abandoned.append(member)
  }

  // MARK: - Between steps

  /// A visit begins to remove what has lost its owner.
  ///
  /// - Parameter portion: How many members it may let go of.
  /// - Returns: False if a removal is under way already, to whose portion this one belongs.
  package mutating func beginRemoval(portion: Int) -> Bool {
    guard removals.budget == nil else { return false }
    removals.budget = portion
    return true
  }

  /// The visit has removed what it could.
  package mutating func endRemoval() {
    if removals.budget == nil { fail("endRemoval") }
    removals.budget = nil
  }

  /// What is to be done next for what has lost its owner.
  package enum RemovalAction {
    /// Take members that have lost their owners out of the engine.
    case unlink
    /// Let go of what a member holds.
    case letGo(Member)
    /// Queue these reactions.
    case queue([Member])
    /// Call the cleanups of a reaction.
    case cleanUp(Member)
    /// End what a member does, if nobody wants its results any more.
    case stop(Member)
    /// Make the deliveries that are due.
    case deliver
    /// Nothing more in this visit: others come first.
    case pause
    /// Nothing is left.
    case finish
  }

  /// What is to be done next, at a moment when no step is under way.
  ///
  /// Each action may call code of the user, which may release more: that goes first, so that nobody
  /// comes across a node that is to go.
  ///
  /// - Parameter hasReleased: Whether members have lost their owners, and are to be unlinked in this visit.
  /// - Returns: What the caller has to do.
  package mutating func nextOfRemoval(hasReleased: Bool) -> RemovalAction {
    guard state == .idle, case .none = restriction else { fail("nextOfRemoval") }
    guard let budget = removals.budget else { fail("nextOfRemoval") }
    if hasReleased { return .unlink }
    guard budget > 0 else {
      // What has been marked is told before the pause.
      guard removals.isDeliveryDue else { return .pause }
      removals.isDeliveryDue = false
      return .deliver
    }
    removals.budget = budget - 1
    if let member = removals.unlinked.popFirst() { return .letGo(member) }
    if !removals.held.isEmpty {
      defer { removals.held = [] }
      return .queue(removals.held)
    }
    if let member = removals.ended.popFirst() { return .cleanUp(member) }
    if let member = removals.abandoned.popLast() { return .stop(member) }
    guard removals.isDeliveryDue else { return .finish }
    removals.isDeliveryDue = false
    return .deliver
  }
}
