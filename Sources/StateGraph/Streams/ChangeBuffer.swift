/// The elements that a consumer has not taken yet.
@usableFromInline
package struct ChangeBuffer<Element: Sendable>: Sendable {
  /// An element, and how many were dropped between it and the one before.
  @usableFromInline
  package struct Entry: Sendable {
    @usableFromInline package let element: Element
    @usableFromInline package var dropped: Int

    @inlinable
    init(element: Element, dropped: Int) {
      self.element = element
      self.dropped = dropped
    }
  }

  @usableFromInline let policy: GraphBuffering.Policy
  /// The entries, the oldest at `start`.
  @usableFromInline var entries: [Entry?] = []
  @usableFromInline var start = 0
  /// How many elements found no room since the newest entry.
  @usableFromInline var droppedSince = 0

  @inlinable
  package init(_ buffering: GraphBuffering) {
    policy = buffering.policy
  }

  @inlinable var count: Int { entries.count - start }

  /// Adds an element, and drops one if the policy says so.
  ///
  /// - Complexity: O(1) amortised.
  @inlinable
  package mutating func append(_ element: Element) {
    switch policy {
    case .unbounded:
      push(element)
    case .oldest(let limit):
      if count < limit { return push(element) }
      passes(.dropsNewest)
      droppedSince += 1
    case .latest:
      appendDroppingFirst(element, limit: 1)
    case .newest(let limit):
      appendDroppingFirst(element, limit: limit)
    }
  }

  /// Adds the elements of a buffer that was begun after this one, as if they came one by one.
  @inlinable
  package mutating func append(contentsOf newer: ChangeBuffer) {
    for entry in newer.entries[newer.start...] {
      guard let entry else { continue }
      // What was dropped there came before the entry, and after what is here.
      droppedSince += entry.dropped
      append(entry.element)
    }
    droppedSince += newer.droppedSince
  }

  /// Takes the oldest element out.
  ///
  /// - Complexity: O(1) amortised.
  @inlinable
  package mutating func popFirst() -> Entry? {
    guard start < entries.count else { return nil }
    let entry = entries[start]
    entries[start] = nil
    start += 1
    if start == entries.count {
      entries.removeAll(keepingCapacity: true)
      start = 0
    } else if start >= 32, start * 2 >= entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return entry
  }

  @inlinable
  mutating func push(_ element: Element) {
    let dropped = isMutated(.losesDropCount) ? 0 : droppedSince
    entries.append(Entry(element: element, dropped: dropped))
    droppedSince = 0
  }

  @inlinable
  mutating func appendDroppingFirst(_ element: Element, limit: Int) {
    if count == limit, let first = popFirst() {
      passes(.dropsOldest)
      let dropped = first.dropped + 1
      if count > 0 {
        entries[start]?.dropped += dropped
      } else {
        droppedSince += dropped
      }
    }
    push(element)
  }
}
