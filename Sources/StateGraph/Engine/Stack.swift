/// A stack in manually managed memory, for walks that must neither recurse nor allocate.
@usableFromInline
struct Stack<Element: BitwiseCopyable & Hashable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count: Int

  init() {
    capacity = 64
    count = 0
    base = .allocate(capacity: capacity)
  }

  @inlinable deinit {
    base.deallocate()
  }

  /// The element at a height, 0 being the bottom.
  subscript(_ index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }

  /// The element on top.
  var last: Element? { count > 0 ? base[count - 1] : nil }

  mutating func push(_ element: Element) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: base, count: count)
      base.deallocate()
      base = larger
      capacity *= 2
    }
    (base + count).initialize(to: element)
    count += 1
  }

  mutating func pop() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return base[count]
  }

  mutating func removeAll() {
    count = 0
  }

  /// The elements as a set; O(n), for checks.
  func elements() -> Set<Element> {
    Set(UnsafeBufferPointer(start: base, count: count))
  }
}
