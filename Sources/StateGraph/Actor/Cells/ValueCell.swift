/// A cell whose value others read.
@usableFromInline
package protocol ValueCell<Value>: NodeCell {
  associatedtype Value: Sendable

  /// When a new value counts as unchanged; never, if nil.
  var isEqual: Comparison<Value>? { get }

  /// The current value; a tracked read.
  @GraphActor func read() -> Value
}

/// Whether two values count as the same, so that nobody need hear of the new one.
@usableFromInline
package typealias Comparison<Value> = @GraphActor @Sendable (Value, Value) -> Bool
