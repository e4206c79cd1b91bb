/// A queue that lets go of what has been taken out of it.
///
/// Two stacks (R. Hood, R. Melville, "Real-time queue operations in pure LISP", 1981): elements come
/// in on one and go out from the other.
struct FIFOQueue<Element>: ~Copyable {
  private var incoming: [Element] = []
  private var outgoing: [Element] = []

  /// Whether there is nothing to take out.
  var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  /// The element at the front.
  var first: Element? { outgoing.last ?? incoming.first }

  /// Adds an element at the end.
  mutating func append(_ element: Element) {
    incoming.append(element)
  }

  /// Takes out the element at the front.
  ///
  /// - Complexity: O(1) amortised.
  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      guard !incoming.isEmpty else { return nil }
      // Copied, so that both stacks keep their memory for the next time.
      outgoing.append(contentsOf: incoming.reversed())
      incoming.removeAll(keepingCapacity: incoming.count < 1_000)
    }
    return outgoing.popLast()
  }
}
