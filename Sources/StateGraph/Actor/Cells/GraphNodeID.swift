/// The identity of a node, for logs and look-ups.
///
/// Two ids are equal if they belong to the same node. An id does not keep its node alive; after
/// the node has been released, a new node may get an equal one.
public struct GraphNodeID: Hashable, Sendable, CustomStringConvertible {
  private let object: ObjectIdentifier
  private let origin: NodeOrigin

  package init(cell: NodeCell) {
    object = ObjectIdentifier(cell)
    origin = cell.origin
  }

  /// The node's name, or the file and the line where it was made.
  public var description: String { origin.description }

  /// Whether two ids belong to the same node.
  public static func == (left: GraphNodeID, right: GraphNodeID) -> Bool {
    left.object == right.object
  }

  /// Feeds the identity of the node to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(object)
  }
}
