public import Synchronization

// The value of a computed node, as readers outside of the actor find it: published when one of them
// has come for it, until a write upstream marks the node.

extension ComputedCell {
  /// The value, if it is published and belongs to the latest version.
  ///
  /// From any thread. Neither waits nor is waited for.
  @inlinable
  package func publishedValue() -> Value? {
    guard published.load(ordering: .relaxed) != BoxLink.none.address else {
      passes(.missesUnpublished)
      return nil
    }
    let readers = graph.core.pointee.readers
    let counter = readers.begin()
    defer { readers.end(counter) }
    return publishedValue(at: readers.version)
  }

  /// The value, if it is published and belongs to a version.
  ///
  /// - Precondition: A reader has been announced, and has loaded the version since.
  /// - Complexity: O(1).
  @inlinable
  package func publishedValue(at version: UInt64) -> Value? {
    let link = BoxLink(address: published.load(ordering: .acquiring))
    // What a mark ends is taken away before the marking version is published. So a reader of that
    // version cannot find it, and one of an earlier version may have it.
    guard let box = link.box(of: Value.self), box.pointee.from <= version else {
      passes(link == .none ? .missesUnpublished : .missesNewer)
      return nil
    }
    passes(.hitsPublished)
    return box.pointee.value
  }

  /// The value at the latest version, for a reader that cannot await; nil if there is none.
  @inlinable
  func committedValue() -> Value? {
    if !isReadSynchronously.load(ordering: .relaxed) { noteSynchronousReader() }
    return publishedValue()
  }

  /// Makes every run from now on publish its result.
  @usableFromInline
  func noteSynchronousReader() {
    guard !isReadSynchronously.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // The latest run has been before.
    GraphTasks.start("publication of a node") { [weak self] in self?.publishIfCurrent() }
  }

  /// Publishes the value if it is current; does not run the rule.
  @GraphActor
  private func publishIfCurrent() {
    graph.arrive()
    guard id != .none, graph.core.pointee.engine.isCurrent(id) else { return }
    passes(.publishesLate)
    publish()
  }

  /// Publishes what a run has returned, on the actor.
  @usableFromInline
  func publishResult() {
    passes(.publishesOnRun)
    GraphActor.assumingIsolation { publish() }
  }

  /// Lets readers outside of the actor see the value until the node is marked.
  ///
  /// - Precondition: The node is registered and not marked.
  @GraphActor
  @usableFromInline
  func publish() {
    guard published.load(ordering: .relaxed) == BoxLink.none.address, let cached else { return }
    // Owned by `published`, until `unpublish` or the end of the cell.
    let box = ValueBox.allocate(cached, from: graph.version, previous: .none)
    published.store(BoxLink(box).address, ordering: .releasing)
    graph.core.pointee.engine.notePublication(id)
  }
}
