/// A value of a computed node in a transaction, without its type.
@usableFromInline
// SAFETY: The only state is a constant, of a node's type, which is Sendable.
class AnyStagedValue: @unchecked Sendable {}

/// A value of a computed node in a transaction.
@usableFromInline
// SAFETY: As for `AnyStagedValue`.
final class StagedValue<Value: Sendable>: AnyStagedValue, @unchecked Sendable {
  @usableFromInline let value: Value

  @usableFromInline
  init(_ value: Value) {
    self.value = value
  }
}
