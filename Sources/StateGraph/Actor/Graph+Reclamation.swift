// Freeing what has been replaced: when no reader can hold it any more.

extension Graph {
  /// Frees a box when no reader can hold it any more.
  ///
  /// - Parameter box: A box that a newer one replaces, or that readers cannot find any more from the
  ///   next version on; the graph owns it from now on.
  @GraphActor
  @inlinable
  func retire<Value>(_ box: UnsafeMutablePointer<ValueBox<Value>>) {
    retire(BoxLink(box), of: ValueBox<Value>.self)
  }

  @GraphActor
  @usableFromInline
  func retire(_ link: BoxLink, of type: any FreeableBox.Type) {
    passes(.retiresBox)
    core.pointee.retired.append(link, of: type, replacedIn: core.pointee.readers.epoch)
    core.pointee.machine.unusual.insert(.reclamationDue)
  }

  /// Frees what has been replaced, if there may be something.
  @GraphActor
  @inline(__always)
  func reclaimIfDue() {
    if core.pointee.machine.unusual.contains(.reclamationDue) { reclaim() }
  }

  /// Frees what no reader can hold any more, and sees to it that the rest is freed later.
  ///
  /// To be called when the version is published that replaces what has been retired: the epoch must
  /// not advance between the two.
  @GraphActor
  @usableFromInline
  func reclaim() {
    core.pointee.machine.unusual.remove(.reclamationDue)
    if core.pointee.readers.advance() { _ = core.pointee.readers.advance() }
    freeRetired()
    guard core.pointee.retired.count > 0 else { return passes(.freesAtOnce) }
    passes(.freesLater)
    guard !core.pointee.isReclaiming else { return }
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
    passes(.freesInTask)
    core.pointee.isReclaiming = false
    return true
  }

  @GraphActor
  private func freeRetired() {
    // The end of a value may run code that commits, and comes here again.
    withoutOwnWrites {
      while let (link, type) = core.pointee.retired.popFirst(core.pointee.readers) {
        type.free(link)
      }
    }
  }
}
