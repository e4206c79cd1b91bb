public import Synchronization

/// What a consumer has not taken yet: the actor adds, the consumer takes, and neither waits.
///
/// The content is in the hands of one at a time. Whoever finds it there takes it out, uses it
/// and puts it back. The actor, if it finds nothing there, begins another content; the consumer, when
/// puts its own back and finds the actor's, joins the two, and so does the actor. A consumer that finds
/// nothing asks the actor.
@usableFromInline
final class SharedBuffer<Element: Sendable>: Sendable {
  @usableFromInline
  final class Content {
    @exclusivity(unchecked)
    @usableFromInline var entries: ChangeBuffer<Element>

    @inlinable
    init(_ entries: ChangeBuffer<Element>) {
      self.entries = entries
    }
  }

  @usableFromInline let buffering: GraphBuffering
  /// The address of the content, with a reference to it, or 0 while somebody has it in hand.
  @usableFromInline let contentAddress = Atomic<UInt>(0)

  @inlinable
  init(_ buffering: GraphBuffering) {
    self.buffering = buffering
  }

  @inlinable deinit {
    _ = takeOut()
  }

  /// Adds an element, and drops one if the policy says so; on the actor.
  ///
  /// - Complexity: O(1) amortised.
  @inlinable
  func append(_ element: Element) {
    let content = takeOut() ?? Content(ChangeBuffer(buffering))
    content.entries.append(element)
    // What the consumer has put back meanwhile is older.
    putBack(content) { mine, other in
      other.entries.append(contentsOf: mine.entries)
      swap(&mine.entries, &other.entries)
    }
  }

  /// Takes the oldest element out; on the actor while the consumer does not, or by the consumer.
  ///
  /// - Returns: Nil if there is none, or the other one is at it.
  /// - Complexity: O(1) amortised.
  @inlinable
  func popFirst() -> ChangeBuffer<Element>.Entry? {
    guard contentAddress.load(ordering: .relaxed) != 0, let content = takeOut() else { return nil }
    let first = content.entries.popFirst()
    // What the actor has begun meanwhile is newer.
    putBack(content) { mine, other in mine.entries.append(contentsOf: other.entries) }
    return first
  }

  @inlinable
  func takeOut() -> Content? {
    UnsafeRawPointer(bitPattern: contentAddress.exchange(0, ordering: .acquiring)).map {
      // SAFETY: Only `putBack` puts addresses there, each with a reference.
      Unmanaged<Content>.fromOpaque($0).takeRetainedValue()
    }
  }

  /// Puts content back; what another one has put there meanwhile is joined to it.
  @inlinable
  func putBack(_ content: Content, join: (Content, Content) -> Void) {
    // SAFETY: The reference goes to `contentAddress`, from where `takeOut` takes it.
    let address = UInt(bitPattern: Unmanaged.passRetained(content).toOpaque())
    while true {
      let isBack = contentAddress.compareExchange(
        expected: 0, desired: address, ordering: .releasing
      ).exchanged
      if isBack { return }
      guard let other = takeOut() else { continue }
      passes(.joinsBuffers)
      join(content, other)
    }
  }
}
