public import Synchronization

// The value of a stored node, as readers outside of the actor find it.

extension StoredCell {
  /// Whether values are plain data: nothing has to be released when one is overwritten, so the boxes
  /// of replaced values can be used again.
  @inlinable static var isPlain: Bool { _isPOD(Value.self) }

  /// How many boxes a node of plain data keeps.
  @inlinable static var ringLimit: UInt8 { 4 }

  /// The committed value.
  @GraphActor
  @inlinable
  var value: Value {
    let link = BoxLink(address: published.load(ordering: .relaxed))
    if let box = link.box(of: Value.self) { return box.pointee.value }
    guard let first else { failWithoutValue() }
    return first
  }

  /// Makes a value the one of the next version, which the caller is about to commit.
  @GraphActor
  @inlinable
  func replace(by new: Value) {
    replace(by: new, from: graph.core.pointee.readers.version &+ 1)
  }

  /// Makes a value the one of a version.
  ///
  /// - Complexity: O(1); no allocation in the long run if the value is plain data.
  @GraphActor
  @inlinable
  func replace(by new: Value, from version: UInt64) {
    let current = BoxLink(address: published.load(ordering: .relaxed))
    let link: BoxLink
    if let spare = takeSpare(butNot: current) {
      passes(.reusesBox)
      spare.pointee = ValueBox(
        from: version, previous: current, replacedIn: 0, newer: .none, value: new)
      link = BoxLink(spare)
    } else {
      passes(.allocatesBox)
      link = BoxLink(ValueBox.allocate(new, from: version, previous: current))
      if Self.isPlain { boxCount &+= 1 }
    }
    if let replaced = current.box(of: Value.self) {
      replaced.pointee.replacedIn = graph.core.pointee.readers.epoch
      keep(replaced, replacedBy: link)
    } else {
      oldest = link
    }
    published.store(link.address, ordering: .releasing)
  }

  /// A replaced box that nobody can be reading any more.
  @GraphActor
  @inlinable
  func takeSpare(butNot current: BoxLink) -> UnsafeMutablePointer<ValueBox<Value>>? {
    guard Self.isPlain, oldest != current, let spare = oldest.box(of: Value.self),
      graph.core.pointee.readers.isOver(spare.pointee.replacedIn) || isMutated(.reusesUnasked)
    else { return nil }
    oldest = spare.pointee.newer
    return spare
  }

  /// Keeps a replaced box until nobody can be reading it: to use it again, or to free it.
  @GraphActor
  @inlinable
  func keep(_ replaced: UnsafeMutablePointer<ValueBox<Value>>, replacedBy link: BoxLink) {
    guard Self.isPlain else {
      oldest = link
      graph.retire(replaced)
      return
    }
    replaced.pointee.newer = link
    if boxCount >= Self.ringLimit { trimRing() }
  }

  /// Sees to it that the next write finds a box that it can use again.
  @GraphActor
  @inlinable
  func trimRing() {
    guard let next = oldest.box(of: Value.self) else { return }
    if boxCount > Self.ringLimit {
      passes(.trimsRing)
      boxCount -= 1
      oldest = next.pointee.newer
      graph.retire(next)
    } else if !graph.core.pointee.readers.isOver(next.pointee.replacedIn) {
      graph.core.pointee.machine.unusual.insert(.reclamationDue)
    }
  }

  /// Frees the boxes of a node that nobody holds any more.
  @inlinable
  func freeBoxes() {
    while let box = oldest.box(of: Value.self) {
      let freed = oldest
      oldest = box.pointee.newer
      ValueBox<Value>.free(freed)
    }
  }
}

// MARK: - Readers

extension StoredCell {
  /// The value at the latest version.
  ///
  /// From any thread. Neither waits nor is waited for.
  @inlinable
  package func publishedValue() -> Value {
    // Never written, so there is nothing that could be freed.
    if Self.isPlain, published.load(ordering: .acquiring) == BoxLink.none.address, let first {
      passes(.readsFirstValue)
      return first
    }
    let readers = graph.core.pointee.readers
    let counter = readers.begin()
    defer { readers.end(counter) }
    return publishedValue(at: readers.version)
  }

  /// The value at a version.
  ///
  /// - Precondition: A reader has been announced, and has loaded the version since.
  /// - Complexity: O(commits of the node since the version).
  @inlinable
  package func publishedValue(at version: UInt64) -> Value {
    var link = BoxLink(address: published.load(ordering: .acquiring))
    while let box = link.box(of: Value.self) {
      if box.pointee.from <= version || isMutated(.servesNewestBox) {
        passes(.readsBox)
        return box.pointee.value
      }
      passes(.stepsBack)
      link = box.pointee.previous
    }
    guard let first else { failWithoutValue() }
    return first
  }

  /// The value at the latest version, and a version since which it has held.
  @inlinable
  func publishedChange() -> (value: Value, version: UInt64) {
    let readers = graph.core.pointee.readers
    let counter = readers.begin()
    defer { readers.end(counter) }
    let version = readers.version
    var link = BoxLink(address: published.load(ordering: .acquiring))
    while let box = link.box(of: Value.self) {
      if box.pointee.from <= version { return (box.pointee.value, box.pointee.from) }
      link = box.pointee.previous
    }
    guard let first else { failWithoutValue() }
    return (first, 0)
  }

  /// Whether a value counts as the one before; nil if only the actor can tell.
  @inlinable
  func isSameAnywhere(_ old: Value, _ new: Value) -> Bool? {
    guard !isOwnComparison else { return nil }
    guard let isEqual else { return false }
    // SAFETY: `==` and `===` are isolated to nothing; isolation is no part of a closure's representation.
    return unsafeBitCast(isEqual, to: (@Sendable (Value, Value) -> Bool).self)(old, new)
  }

  @usableFromInline
  func failWithoutValue() -> Never {
    preconditionFailure("\(origin) has no box of the version that is read")
  }
}
