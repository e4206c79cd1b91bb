/// The place of a node in the engine's slab.
///
/// An id is reused after its node has been removed; whoever keeps one must let go of it by then.
@usableFromInline
package struct NodeID: Hashable, Sendable, BitwiseCopyable {
  /// The index of the record; 0 stands for no node.
  @usableFromInline package var index: UInt32

  /// No node.
  @inlinable package static var none: NodeID { NodeID(index: 0) }

  @inlinable
  package init(index: UInt32) {
    self.index = index
  }
}

/// The place of an edge in the engine's slab.
@usableFromInline
package struct EdgeID: Hashable, Sendable, BitwiseCopyable {
  /// The index of the record; 0 stands for no edge.
  @usableFromInline package var index: UInt32

  /// No edge.
  @inlinable package static var none: EdgeID { EdgeID(index: 0) }

  @inlinable
  package init(index: UInt32) {
    self.index = index
  }
}
