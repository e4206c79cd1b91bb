/// A value that readers outside of the actor can see, with the version since which it holds.
///
/// Nothing in it changes while a reader can hold it.
@usableFromInline
package class AnyValueBox {
  /// The first version that the value belongs to.
  @exclusivity(unchecked)
  @usableFromInline final var from: UInt64
  /// What held before: readers of an earlier version step back to it.
  ///
  /// To be followed only by a reader whose version is below `from`; for others it may lead to what
  /// has been freed.
  @exclusivity(unchecked)
  @usableFromInline final var previous: BoxLink

  @usableFromInline
  init(from: UInt64, previous: BoxLink) {
    self.from = from
    self.previous = previous
  }
}

/// A published value.
@usableFromInline
package final class ValueBox<Value>: AnyValueBox {
  @exclusivity(unchecked)
  @usableFromInline var value: Value
  /// The epoch in which it was replaced.
  @exclusivity(unchecked)
  @usableFromInline var replacedIn: UInt64 = 0
  /// The box that replaced it, as long as both belong to a `BoxRing`.
  @exclusivity(unchecked)
  @usableFromInline var newer: BoxLink = .none

  @inlinable
  init(_ value: Value, from: UInt64, previous: BoxLink) {
    self.value = value
    super.init(from: from, previous: previous)
  }
}

/// Leads to a box without owning it, or to none.
@usableFromInline
package struct BoxLink: Equatable, BitwiseCopyable {
  /// The address of the box; small numbers stand for there being none.
  @usableFromInline var address: UInt

  @inlinable
  init(address: UInt) {
    self.address = address
  }

  /// There is no box, and never was.
  @inlinable static var none: BoxLink { BoxLink(address: 0) }
  /// There is none at the moment: the value is being changed in place.
  @inlinable static var taken: BoxLink { BoxLink(address: 1) }

  /// Leads to a box that something else keeps alive.
  @inlinable
  init<Value>(_ box: ValueBox<Value>) {
    // SAFETY: Takes the address only.
    address = UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
  }

  /// The box that the link leads to, without a reference count.
  ///
  /// - Precondition: The box has a value of this type and is alive.
  // SAFETY: The precondition is upheld by the epoch that readers announce, and by the owner.
  @inlinable
  func box<Value>(of type: Value.Type) -> Unmanaged<ValueBox<Value>>? {
    guard address > BoxLink.taken.address else { return nil }
    // SAFETY: Addresses above the small numbers are made from boxes only.
    return UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }
}
