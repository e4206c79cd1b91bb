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

    /// A nested group writes in its first run what the group that it is nested in has read.
    ///
    /// Off: the outer group takes it for a write of its own, and is not told. What it writes
    /// *itself* is to be no news to it, and a nested group writes for itself.
    case nestedWrites
    /// A group makes nodes, writes them and reads what derives from them.
    ///
    /// Off: the group runs without an end. What it does to nodes that its own run has made is to be
    /// no news to it.
    case drafts
    /// More than a hundred groups write what one immediate group reads.
    ///
    /// Off: runs are counted, and the process ends. Feedback is to be the same reaction among its own
    /// causes.
    case cascades
    /// Handlers of assignments that assign to each other's nodes, until nothing changes any more.
    ///
    /// Off: they recurse without an end. An equal assignment that a handler causes is to be told to
    /// no handler again.
    case boundHandlers

    // Shapes that are not drawn at all, because they are misuse, or cost too much time here: waits
    // that a transaction catches, an `update` that reads its own node, thousands of streams, chains
    // of thousands of rules that are read for the first time, groups that feed themselves.

    /// Whether it occurs unless it is left out.
    var isUsual: Bool {
      switch self {
      case .nestedWrites, .drafts, .cascades, .boundHandlers: false
      default: true
      }
    }
  }

  private var shapes = Set(Shape.allCases.filter(\.isUsual))

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
