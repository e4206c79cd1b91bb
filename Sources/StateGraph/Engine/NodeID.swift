/// The index of a node in the engine's slab, and which of the nodes that have had that index it is.
///
/// An index is used again after its node has been removed. The id says its generation, and the engine
/// stops if it is given the id of a node that is gone.
@usableFromInline
package struct NodeID: Hashable, Sendable, BitwiseCopyable {
  /// The index of the record in the lower bits, the generation in the upper ones; 0 stands for no node.
  @usableFromInline let rawValue: UInt32

  /// No node.
  @inlinable package static var none: NodeID { NodeID(rawValue: 0) }

  @inlinable
  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  init(index: UInt32, generation: UInt32) {
    rawValue = index | generation
  }

  /// The index of the record.
  @inlinable package var index: UInt32 { rawValue & ~Self.generationMask }

  /// The bits of the generation, where `NodeRecord.flags` has them too.
  @inlinable static var generationMask: UInt32 { 0b111111 << 26 }

  /// How many nodes can be alive at once.
  static var limit: Int { 1 << 26 }
}

/// The index of an edge in the engine's slab.
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
