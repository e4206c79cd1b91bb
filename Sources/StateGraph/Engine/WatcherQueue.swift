/// Watchers in the order in which they were marked.
///
/// A watcher that is removed leaves its entry behind, so whoever takes one out asks its flags.
struct WatcherQueue: ~Copyable {
  private var entries = Stack<NodeID>()
  private var taken = 0

  /// Adds a watcher at the end.
  mutating func push(_ id: NodeID) {
    entries.push(id)
  }

  /// The number of entries, those included that have been taken out since the queue was empty.
  var count: Int { entries.count }

  /// The watcher at an index.
  subscript(_ index: Int) -> NodeID { entries[index] }

  /// Takes out the watcher at the front.
  ///
  /// - Complexity: O(1).
  mutating func pop() -> NodeID? {
    guard taken < entries.count else {
      entries.removeAll()
      taken = 0
      return nil
    }
    taken += 1
    return entries[taken - 1]
  }
}
