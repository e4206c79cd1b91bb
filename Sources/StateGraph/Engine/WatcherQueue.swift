/// Watchers in the order in which they were marked.
///
/// A watcher that is removed leaves its place behind, so whoever takes one out asks its flags.
struct WatcherQueue: ~Copyable {
  private var places = Stack<NodeID>()
  private var taken = 0

  /// Adds a watcher at the end.
  mutating func push(_ id: NodeID) {
    places.push(id)
  }

  /// The number of places, those included that have been taken out since the queue was empty.
  var count: Int { places.count }

  /// The watcher at a place.
  subscript(_ place: Int) -> NodeID { places[place] }

  /// Takes out the watcher at the front.
  ///
  /// - Complexity: O(1).
  mutating func pop() -> NodeID? {
    guard taken < places.count else {
      places.removeAll()
      taken = 0
      return nil
    }
    taken += 1
    return places[taken - 1]
  }
}
