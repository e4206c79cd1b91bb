/// A value that readers outside of the actor can see, with the version since which it holds.
///
/// In manually managed memory, because a reader holds no reference to it: the epoch that it has
/// announced keeps the box alive. Nothing in a box changes while a reader can hold it.
@usableFromInline
package struct ValueBox<Value> {
  /// The first version that the value belongs to.
  @usableFromInline var from: UInt64
  /// What held before: readers of an earlier version step back to it.
  ///
  /// To be followed only by a reader whose version is below `from`; for others it may lead to what
  /// has been freed.
  @usableFromInline var previous: BoxLink
  /// The epoch in which it was replaced.
  @usableFromInline var replacedIn: UInt64
  /// The box that replaced it, as long as both belong to the ring of a cell.
  @usableFromInline var newer: BoxLink
  /// The value.
  @usableFromInline var value: Value

  /// Makes a box, which somebody has to free.
  // SAFETY: Freed by whoever owns the link: the ring of a cell, `published`, or the retired boxes.
  @inlinable
  static func allocate(
    _ value: Value, from: UInt64, previous: BoxLink
  ) -> UnsafeMutablePointer<ValueBox> {
    let box = UnsafeMutablePointer<ValueBox>.allocate(capacity: 1)
    box.initialize(
      to: ValueBox(from: from, previous: previous, replacedIn: 0, newer: .none, value: value))
    return box
  }

  @inlinable
  init(from: UInt64, previous: BoxLink, replacedIn: UInt64, newer: BoxLink, value: Value) {
    self.from = from
    self.previous = previous
    self.replacedIn = replacedIn
    self.newer = newer
    self.value = value
  }
}

/// Frees boxes whose value has a type that is not known any more.
@usableFromInline
protocol FreeableBox {
  /// Frees the box that a link leads to.
  static func free(_ link: BoxLink)
}

extension ValueBox: FreeableBox {
  @inlinable
  static func free(_ link: BoxLink) {
    guard let box = link.box(of: Value.self) else { return }
    box.deinitialize(count: 1)
    box.deallocate()
  }
}

/// Leads to a box, or to none.
@usableFromInline
package struct BoxLink: Equatable, BitwiseCopyable {
  /// The address of the box; 0 if there is none.
  @usableFromInline var address: UInt

  @inlinable
  init(address: UInt) {
    self.address = address
  }

  /// Leads to a box.
  // SAFETY: Takes the address only.
  @inlinable
  init<Value>(_ box: UnsafeMutablePointer<ValueBox<Value>>) {
    address = UInt(bitPattern: box)
  }

  /// There is no box.
  @inlinable static var none: BoxLink { BoxLink(address: 0) }

  /// The box that the link leads to.
  ///
  /// - Precondition: The box has a value of this type, and has not been freed.
  // SAFETY: The owner of the link upholds the precondition, or the epoch that a reader has announced.
  @inlinable
  func box<Value>(of type: Value.Type) -> UnsafeMutablePointer<ValueBox<Value>>? {
    UnsafeMutablePointer(bitPattern: address)
  }
}
