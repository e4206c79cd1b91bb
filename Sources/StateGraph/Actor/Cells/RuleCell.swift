/// A cell whose value is derived by a rule.
@usableFromInline
// SAFETY: Adds a constant to what `NodeCell` has.
package class RuleCell: NodeCell, @unchecked Sendable {
  /// Runs the rule, compares, and keeps the result; says whether it differs from the cached value.
  ///
  /// A closure, because one that is made in an inlinable initialiser is specialised in the
  /// client's module. An overridden method of a generic class never is.
  ///
  /// To be called on the actor. That is not in its type, because a closure of an actor pays for a
  /// check each time that it is called through something that is not.
  @usableFromInline final let step: Step

  @usableFromInline
  package typealias Step = @Sendable (RuleCell, Evaluation) -> Bool

  /// Where the result of a rule goes.
  @usableFromInline
  package enum Evaluation: Sendable {
    /// Into the cell: the value for everybody.
    case committed
    /// Into the transaction: the value as if its writes had been committed.
    case staged
    /// To those who wait for it in a cycle of which the node is a member.
    case provisional
  }

  @usableFromInline
  init(origin: NodeOrigin, step: @escaping Step) {
    self.step = step
    super.init(origin: origin)
  }

  override var kind: Engine.Kind { .derived }

  /// Takes the value away from readers outside of the actor; the node has been marked.
  @GraphActor func unpublish() {}
}
