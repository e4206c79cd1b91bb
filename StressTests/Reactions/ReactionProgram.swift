import StateGraphTesting

/// A graph, closures that react to it, and what is done to it from outside, as data: the library and
/// the model both follow it.
///
/// A node is named by a number: first the stored nodes, then the computed ones.
struct ReactionProgram: Sendable {
  /// The first values of the stored nodes.
  var sources: [Int] = []
  /// The rules of the computed nodes.
  var rules: [ModelRule] = []
  /// What the handler of the assignments of a stored node does.
  var handlers: [Int: [Statement]] = [:]
  /// What begins together and is ended together.
  var trackings: [[Reaction]] = []
  /// What is done from outside, in this order.
  var steps: [Step] = []

  /// The number of nodes that live as long as the program.
  var nodeCount: Int { sources.count + rules.count }

  /// A group or a map.
  struct Reaction: Sendable {
    /// What the trace calls it; each time that it is made anew it has the same number.
    var number: Int
    var isImmediate: Bool
    /// What a group does, or the expression of a map.
    var body: [Statement]
    /// What the handler of a map does; nil for a group.
    var handler: [Statement]?
  }

  /// One statement of a closure, which has one variable.
  indirect enum Statement: Sendable {
    /// Mixes the value of a node into the variable.
    case read(Int)
    /// The same, untracked.
    case peek(Int)
    /// Assigns to a stored node.
    case write(Assignment)
    /// Assigns to several stored nodes in one transaction.
    case transaction([Assignment])
    /// Reads a node, and does one thing or the other.
    case branch(on: Int, odd: [Statement], even: [Statement])
    /// Makes a group or a map, whose closure begins with the variable as it is now.
    case begin(Reaction)
    /// Registers a cleanup of a reaction, which begins with the variable as it is now.
    case cleanUp(of: Int, [Statement])
    /// Makes nodes of its own and uses them.
    case temporary(Temporary)
  }

  /// An assignment of something made from the variable.
  struct Assignment: Sendable {
    var node: Int
    var factor: Int
    var offset: Int
    var modulus: Int

    /// The value that is assigned.
    func value(of variable: Int) -> Int { (variable * factor + offset) % modulus }
  }

  /// A stored node that a run makes, and a computed one over it and over another node.
  struct Temporary: Sendable {
    /// What the computed node adds to the stored one.
    var addend: Int
    /// What is done to the two, in this order.
    var uses: [Use]

    /// What is done to nodes that a run has made, and beside them.
    enum Use: Sendable {
      /// Mixes the value of the stored node into the variable.
      case readStored
      /// Mixes the value of the computed node into the variable.
      case readComputed
      /// Assigns the sum of the variable and a number to the stored node.
      case assign(Int)
      /// A nested group does that.
      case assignInGroup(Int)
      /// A nested group assigns to another node.
      case writeInGroup(Assignment)
    }
  }

  /// Something that is done from outside.
  enum Step: Sendable {
    /// Begins to track.
    case begin(tracking: Int)
    case write(node: Int, value: Int)
    case transaction([(node: Int, value: Int)])
    case read(Int)
    case cancel(tracking: Int)
    /// Waits until all has been delivered.
    case settle
  }

  /// Mixes a value into the variable of a closure.
  static func mix(_ value: Int, into variable: inout Int) {
    variable = (variable * 3 + value + 1) % 97
  }
}
