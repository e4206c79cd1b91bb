/// The shapes that can occur in worlds.
package struct WorldShapes: Sendable {
  /// One shape.
  package enum Shape: String, CaseIterable, Sendable {
    /// An async rule starts a task that writes, and does not wait for it.
    case tasksInRules
    /// The end of a value writes a node, or releases one.
    case endings
    /// Rules make several nodes, one of which reads the other.
    case chains
    /// Transactions read the states of async nodes.
    case asyncInTransactions
    /// A model goes in one step, with its stream, its loader and its groups.
    case models
    /// Maps over an object that goes away.
    case maps
    /// Trackings are stored in one that lives on, and cancelled.
    case stored
    /// Stored nodes with a comparison of their own.
    case rounded
    /// Stored nodes without a comparison.
    case opaque

    /// A nested group writes in its first run what the group that it is nested in has read: news for
    /// that one, which has not written it itself.
    case nestedWrites
    /// The handler of an assignment writes what the group has read that assigns.
    case handlerWrites
    /// A group makes nodes, writes them and reads what derives from them, which is no news to it.
    case drafts
    /// A group writes in a transaction and reads there what derives from that, which is no news.
    case stagedReads
    /// More than a hundred groups write what one immediate group reads: no feedback.
    case cascades
    /// Handlers of assignments that assign to each other's nodes come to rest.
    case boundHandlers
    /// A transaction that waits, and has read a node that it has made, runs again only when something
    /// else has changed.
    case waitingDrafts
    /// A transaction that takes long meets no more than a few conflicts with others that take as long.
    case contention

    // Not drawn at all, because they end the process on purpose or cost too much time here: groups
    // that feed themselves, an `update` that reads its own node, a transaction that catches a wait,
    // thousands of streams, chains of thousands of rules that are read for the first time.
  }

  private var shapes = Set(Shape.allCases)

  /// The usual shapes.
  package init() {}

  /// Puts shapes in, or leaves them out.
  ///
  /// - Parameters:
  ///   - names: The names of shapes, separated by commas.
  ///   - isIncluded: Whether they are to occur.
  /// - Returns: False if there is no such shape.
  package mutating func set(_ names: String, _ isIncluded: Bool) -> Bool {
    for name in names.split(separator: ",") {
      guard let shape = Shape(rawValue: String(name)) else { return false }
      if isIncluded { shapes.insert(shape) } else { shapes.remove(shape) }
    }
    return true
  }

  func has(_ shape: Shape) -> Bool { shapes.contains(shape) }
}
