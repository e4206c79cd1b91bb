// Freeing what has been replaced: when no reader can hold it any more.

/// Boxes that have been replaced, the oldest first, until no reader can hold them any more.
struct RetiredBoxes: ~Copyable {
  // SAFETY: The list owns a reference to each box.
  private var boxes: [(epoch: UInt64, box: Unmanaged<AnyValueBox>)] = []
  private var start = 0

  /// The number of boxes.
  var count: Int { boxes.count - start }

  /// Adds a box, and takes over the reference of the caller.
  // SAFETY: The caller hands over its reference.
  mutating func append(_ box: Unmanaged<AnyValueBox>, replacedIn epoch: UInt64) {
    boxes.append((epoch, box))
  }

  /// Takes out the oldest box if its epoch is over; the caller owns the reference.
  // SAFETY: The reference goes to the caller.
  mutating func popFirst(_ isOver: (UInt64) -> Bool) -> Unmanaged<AnyValueBox>? {
    guard start < boxes.count, isOver(boxes[start].epoch) else { return nil }
    defer {
      start += 1
      if start == boxes.count {
        boxes.removeAll(keepingCapacity: start < 1_000)
        start = 0
      } else if start >= 1_000, start * 2 >= boxes.count {
        boxes.removeFirst(start)
        start = 0
      }
    }
    return boxes[start].box
  }
}

extension Graph {
  /// Frees a box when no reader can hold it any more.
  ///
  /// - Parameter box: A box that a newer one replaces, or that readers cannot find any more from the
  ///   next version on; the caller hands over its reference.
  // SAFETY: The reference goes to the list.
  @GraphActor
  @inlinable
  func retire<Value>(_ box: Unmanaged<ValueBox<Value>>) {
    // SAFETY: A reference to an object is one to its superclass.
    retire(erased: Unmanaged.fromOpaque(box.toOpaque()))
  }

  // SAFETY: As for `retire(_:)`.
  @GraphActor
  @usableFromInline
  func retire(erased box: Unmanaged<AnyValueBox>) {
    core.pointee.retired.append(box, replacedIn: core.pointee.readers.epoch)
    core.pointee.isReclamationDue = true
  }

  /// Frees what no reader can hold any more, and sees to it that the rest is freed later.
  ///
  /// To be called when the version is published that replaces what has been retired: the epoch must
  /// not advance between the two.
  @GraphActor
  @usableFromInline
  func reclaim() {
    core.pointee.isReclamationDue = false
    if core.pointee.readers.advance() { _ = core.pointee.readers.advance() }
    freeRetired()
    guard core.pointee.retired.count > 0, !core.pointee.isReclaiming else { return }
    core.pointee.isReclaiming = true
    GraphTasks.launch("freeing of replaced values") {
      while await !finishReclamation() { await GraphTasks.sleep(for: .milliseconds(1)) }
    }
  }

  /// The number of replaced values that have not been freed, because somebody may be reading.
  @GraphActor package var retiredValueCount: Int { core.pointee.retired.count }

  /// Frees what can be freed.
  ///
  /// - Returns: Whether nothing is left.
  @GraphActor
  private func finishReclamation() -> Bool {
    if core.pointee.readers.advance() { _ = core.pointee.readers.advance() }
    freeRetired()
    guard core.pointee.retired.count == 0 else { return false }
    core.pointee.isReclaiming = false
    return true
  }

  @GraphActor
  private func freeRetired() {
    let readers = core.pointee.readers
    // The end of a value may run code that commits, and comes here again.
    while let box = core.pointee.retired.popFirst({ readers.isOver($0) }) { box.release() }
  }
}
