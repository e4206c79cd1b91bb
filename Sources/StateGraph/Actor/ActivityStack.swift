/// The runs of reactions and the handlers that are on the call stack, the innermost last.
///
/// Empty while code from outside runs: then nothing has to be noted of what it causes.
struct ActivityStack: ~Copyable {
  /// One closure of the user that may write.
  struct Activity {
    /// Whose closure it is.
    // SAFETY: Whoever begins the activity holds the cell until it ends.
    let member: Unmanaged<NodeCell>?
    /// What messages call it if it belongs to no cell.
    let label: StaticString
    let kind: Kind
    /// What it answers; nil if that is the activity below, or code from outside.
    let parent: Cause?
    /// What its writes are caused by, once one of them has caused something.
    var cause: Cause?
  }

  /// What kind of closure runs.
  enum Kind {
    /// The closure of a reaction: a run.
    case run
    /// The handler of the assignments of a node.
    case handlerOfAssignments
    /// What else is called on behalf of a reaction or a transaction.
    case handler
  }

  private var activities: [Activity] = []
  /// How many first causes there have been.
  private var rootCount: UInt64 = 0

  /// Whether code from outside runs.
  var isEmpty: Bool { activities.isEmpty }

  /// Begins an activity.
  ///
  /// - Parameters:
  ///   - kind: What runs.
  ///   - member: Whose closure it is.
  ///   - label: What messages call it if it belongs to no cell.
  ///   - parent: What it answers; nil if that is the activity below.
  ///   - cause: What it is a part of, if that is over.
  mutating func begin(
    _ kind: Kind, of member: NodeCell?, label: StaticString = "", answering parent: Cause? = nil,
    partOf cause: Cause? = nil
  ) {
    activities.append(
      Activity(
        // SAFETY: See `Activity.member`.
        member: member.map { .passUnretained($0) }, label: label, kind: kind, parent: parent,
        cause: cause))
  }

  /// Ends the activity that has begun last.
  mutating func end() {
    activities.removeLast()
  }

  /// What the writes of the innermost activity are caused by.
  ///
  /// - Precondition: There is an activity.
  @GraphActor
  mutating func currentCause() -> Cause { cause(at: activities.count - 1) }

  @GraphActor
  private mutating func cause(at index: Int) -> Cause {
    // A loop down to the activity that is known, and back up: handlers may be nested deeply.
    var first = index
    while first > 0, activities[first].cause == nil, activities[first].parent == nil { first -= 1 }
    var cause = activities[first].cause ?? makeCause(at: first, parent: activities[first].parent)
    activities[first].cause = cause
    for index in first..<index {
      cause = isPart(index + 1) ? cause : makeCause(at: index + 1, parent: cause)
      activities[index + 1].cause = cause
    }
    return cause
  }

  /// Whether an activity is a part of the one below: a handler that this calls.
  private func isPart(_ index: Int) -> Bool {
    let (activity, below) = (activities[index], activities[index - 1])
    guard activity.kind == .handler else { return false }
    return activity.member == nil || activity.member?.toOpaque() == below.member?.toOpaque()
  }

  @GraphActor
  private mutating func makeCause(at index: Int, parent: Cause?) -> Cause {
    let activity = activities[index]
    if parent == nil { rootCount += 1 }
    // SAFETY: See `Activity.member`.
    let member = activity.member?.takeUnretainedValue()
    let cause = Cause(
      member: activity.kind == .handler ? nil : member.map { ObjectIdentifier($0) },
      origin: member?.origin ?? NodeOrigin(name: "\(activity.label)", fileID: "", line: 0),
      parent: parent, root: parent?.root ?? rootCount)
    (member as? ReactionCell)?.latestRoot = cause.root
    return cause
  }

  /// How many handlers of the assignments of a node are on the call stack.
  ///
  /// - Complexity: O(activities).
  func handlerCount(of cell: NodeCell) -> Int {
    var count = 0
    for activity in activities where activity.kind == .handlerOfAssignments {
      // SAFETY: Compares addresses only.
      if activity.member?.toOpaque() == Unmanaged.passUnretained(cell).toOpaque() { count += 1 }
    }
    return count
  }
}
