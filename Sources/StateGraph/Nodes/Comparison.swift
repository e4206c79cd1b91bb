/// The comparisons that nodes use when none is given.
@usableFromInline
enum Comparisons {
  /// The comparison for a type about which nothing is known at compile time.
  ///
  /// Generic code has no static knowledge of `Equatable`, but the type may conform all the same.
  ///
  /// - Returns: `==` for an `Equatable` type, `===` for a class or an optional class, otherwise nil:
  ///   every write counts.
  @usableFromInline
  static func inferred<Value: Sendable>(for type: Value.Type) -> Comparison<Value>? {
    if let equatable = type as? any (Equatable & Sendable).Type {
      return equality(of: equatable)
    }
    if type is AnyClass {
      return { ($0 as AnyObject) === ($1 as AnyObject) }
    }
    if let optional = type as? any OptionalReference.Type {
      return identity(of: optional)
    }
    return nil
  }

  /// The comparison for a type that conforms to `Equatable`.
  @inlinable
  static func equality<Value: Equatable>() -> Comparison<Value> {
    { $0 == $1 }
  }

  /// A comparison that the user has written: it may read nodes, but must not write any, and what
  /// it reads becomes nobody's dependency.
  @usableFromInline
  static func guarded<Value>(
    _ isEqual: @escaping @GraphActor @Sendable (Value, Value) -> Bool, of origin: NodeOrigin
  ) -> Comparison<Value> {
    { old, new in
      Graph.shared.withWriteBan(.comparing(origin)) { isEqual(old, new) }
    }
  }

  private static func equality<Known: Equatable & Sendable, Value>(
    of type: Known.Type
  ) -> Comparison<Value> {
    { old, new in
      guard let old = old as? Known, let new = new as? Known else { return false }
      return old == new
    }
  }

  private static func identity<Value>(of type: any OptionalReference.Type) -> Comparison<Value> {
    { old, new in
      guard let old = old as? any OptionalReference, let new = new as? any OptionalReference else {
        return false
      }
      return old.reference === new.reference
    }
  }
}

/// An optional of a class.
private protocol OptionalReference {
  /// The object, if there is one.
  var reference: AnyObject? { get }
}

extension Optional: OptionalReference where Wrapped: AnyObject {
  fileprivate var reference: AnyObject? { self }
}
