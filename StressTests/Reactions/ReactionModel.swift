import StateGraphTesting

/// What reactions are promised, in a plain form: which run, how often, in which order, and what they
/// see.
///
/// Values are recomputed from the stored nodes, and every check goes up to them. The rules, in words
/// of DESIGN.md where it has some; the orders are those of the engine:
///
/// 1. A reading is a node with the number of its changes at that time. A reaction has to run if one
///    of its readings is not as it was. (A stored node that has come back has changed all the same,
///    a computed one has not if nobody has looked meanwhile.)
/// 2. A write by the closure of a reaction itself counts as read by it. So does whatever a write to
///    a node that its run has made changes. All other writes are news, and so is what its own writes
///    change in computed nodes that it has read, unless it finds that by reading the same node again.
/// 3. A commit queues the reactions downstream that are not queued, in the order of a walk: all
///    direct dependents first, then the dependents of the last computed one among them, and so on
///    back to the first. Dependents are in the order in which they have begun to read the node; what
///    is read again at the same place in the order of reading has never stopped. The walk does not
///    go behind a computed node that is out of date already: it has been there. (So what a cleanup
///    writes before a run queues the reaction, which is about to look, or not.)
/// 4. The queue is emptied after the commit, unless a closure that is tracked is running, or a loop
///    that empties it. An immediate reaction runs then, a coalesced one joins those that wait
///    for a visit.
/// 5. Before a reaction runs, those that it was made in are looked after, the outermost first. A run
///    first ends what the run before has made, and calls the cleanups: what is nested before what it
///    is nested in, the latest first. If these concern one that it was made in, it waits for that.
/// 6. Where a tracking ends, the cleanups are called with the next visit from outside.
final class ReactionModel {
  /// A node, or a reaction.
  struct Vertex {
    /// The value of a node that has been written or evaluated.
    var value: Int?
    /// What a computed node does.
    var rule: Rule?
    /// The reaction in whose run it was made.
    var maker: Instance?
    /// How often the value has been replaced by another.
    var changes = 0
    /// What was read by the latest run, in this order.
    var readings: [Reading] = []
    /// Who has read it, in the order in which they have begun to.
    var dependents: [Dependent] = []
    /// Whether a reaction has to run whatever its readings say.
    var isForced = false
    /// When it was found to be up to date.
    var checkedAt = -1
    /// Whether something upstream has been written since it was checked; matters for rule 3 only.
    var isStale = false
    /// The reaction that it stands for.
    var reaction: Instance?
  }

  /// How a computed node gets its value.
  enum Rule {
    case rule(ModelRule)
    /// The sum of two nodes.
    case sum(Int, Int)
  }

  /// That something has read a node.
  struct Reading {
    let number: Int
    let node: Int
    /// How often the node had changed.
    var change: Int
  }

  /// The other end of a reading.
  struct Dependent {
    let reading: Int
    let vertex: Int
  }

  /// A run under way.
  struct Run {
    let vertex: Int
    /// The readings of the run before.
    let former: [Reading]
    /// How many of them have been repeated or passed over.
    var repeated = 0
    var readings: [Reading] = []
  }

  /// A group or a map that has begun.
  final class Instance {
    let reaction: ReactionProgram.Reaction
    let vertex: Int
    /// The variable with which its closure begins.
    let variable: Int
    let outer: Instance?
    var inner: [Instance] = []
    var cleanups: [(variable: Int, statements: [ReactionProgram.Statement])] = []
    /// What it does, if that is not data.
    var body: (() -> Void)?
    var isCancelled = false
    /// Whether something upstream may have changed since it has looked.
    var isMarked = false
    var isQueued = false
    var isPostponed = false
    /// Whether it is about to run, after the cleanups of the run before.
    var isEndingRun = false
    /// Whether its run has changed, by nodes that it has made, something that it has read.
    var isUnsettled = false
    /// The last value that the handler of a map has been given, and those that it is yet to be given.
    var latest: Int?
    var undelivered: [Int] = []
    var isDelivering = false

    init(
      _ reaction: ReactionProgram.Reaction, vertex: Int, variable: Int, outer: Instance?
    ) {
      self.reaction = reaction
      self.vertex = vertex
      self.variable = variable
      self.outer = outer
    }
  }

  let program: ReactionProgram
  var vertices: [Vertex]
  var trace: [String] = []
  /// Grows with every write.
  var time = 0
  var readingCount = 0

  /// The runs on the call stack.
  var runs: [Run] = []
  /// Whether reads are readings of the innermost run.
  var isTracking = false
  /// The node that the innermost run is reading.
  var nodeInHand: Int?
  /// The reaction whose closure is the innermost that runs.
  var writer: Instance?
  /// The reaction to which belongs what is made.
  var maker: Instance?
  /// The nodes whose handlers of assignments are on the call stack.
  var handled: [Int] = []
  /// The writes of the open transaction, in the order of the first of each node.
  var staged: [Write]?

  var queue: [Instance] = []
  var isEmptyingQueue = false
  var postponed: [Instance] = []
  /// Those that have ended and whose cleanups are due, in this order.
  var ended: [Instance] = []
  /// Those that have ended and still have readings.
  var unlinking: [Instance] = []
  var begun: [Int: [Instance]] = [:]
  /// Nodes that runs have made, and that are yet to be removed.
  var temporaries: [Temporary] = []
  /// Reactions to which a removal is news, until code comes from outside.
  var held: [Instance] = []

  /// A value that is assigned, and by which closure.
  struct Write {
    let node: Int
    var value: Int
    var writer: Instance?
  }

  init(_ program: ReactionProgram) {
    self.program = program
    vertices =
      program.sources.map { Vertex(value: $0) } + program.rules.map { Vertex(rule: .rule($0)) }
  }
}
