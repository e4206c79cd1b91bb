import Synchronization

/// The members of a scope: any thread adds one, takes one out, or takes all out, without waiting.
///
/// Each member has a slot. Slots that have been given back are used again, so the table is as large as
/// the largest number of members that there were at once. The free slots are a stack (R. K. Treiber,
/// 1986) of indices, with a tag that changes with every step, so that no thread takes a slot for free
/// that has been taken and given back meanwhile.
struct MemberTable: ~Copyable {
  /// One member, until it is taken out.
  final class Member: Sendable {
    /// Ends what the member stands for.
    let end: @Sendable () -> Void
    /// Grows from member to member.
    let number: UInt64

    fileprivate init(number: UInt64, end: @escaping @Sendable () -> Void) {
      self.number = number
      self.end = end
    }
  }

  /// Where a member is.
  struct Token: Sendable {
    fileprivate let member: Member
    fileprivate let index: UInt32
  }

  private struct Slot: ~Copyable {
    /// The address of the member, of which the slot owns a reference; 0 if there is none.
    let member = Atomic<UInt>(0)
    /// The index, plus 1, of the free slot below this one, while this one is free.
    let nextFree = Atomic<UInt32>(0)
  }

  /// Slots in one piece of memory; each segment has twice as many as the one before.
  private final class Segment: Sendable {
    let next = AtomicLazyReference<Segment>()
    let count: Int
    // SAFETY: The memory lives as long as the segment; what is in it is atomic.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Slot>

    init(count: Int) {
      self.count = count
      slots = .allocate(capacity: count)
      for index in 0..<count { (slots + index).initialize(to: Slot()) }
    }

    deinit {
      slots.deinitialize(count: count)
      slots.deallocate()
    }

    subscript(_ index: Int) -> UnsafeMutablePointer<Slot> { slots + index }
  }

  /// The segment with the first slots.
  private let segments = AtomicLazyReference<Segment>()
  /// How many slots have been handed out for the first time.
  private let slotCount = Atomic<UInt32>(0)
  /// The index, plus 1, of the free slot on top, or 0; in the upper half the tag.
  private let free = Atomic<UInt64>(0)
  /// How many members there have been.
  private let memberCount = Atomic<UInt64>(0)

  private static var firstCount: Int { 4 }

  deinit {
    for member in takeAll() { extendLifetime(member) }
  }

  /// Adds a member.
  ///
  /// - Parameter end: Ends what it stands for.
  /// - Returns: Its token, for `take`.
  /// - Complexity: O(1) amortised.
  func add(_ end: @escaping @Sendable () -> Void) -> Token {
    let number = memberCount.add(1, ordering: .relaxed).newValue
    let member = Member(number: number, end: end)
    let index = takeFree() ?? slotCount.add(1, ordering: .acquiring).oldValue
    // SAFETY: The slot owns the reference; whoever exchanges the address takes it over.
    let address = UInt(bitPattern: Unmanaged.passRetained(member).toOpaque())
    _ = slot(at: index).pointee.member.exchange(address, ordering: .acquiringAndReleasing)
    return Token(member: member, index: index)
  }

  /// Takes out one member, if it is still there.
  ///
  /// - Complexity: O(1), but for O(log *n*) steps to the slot, where *n* is the number of slots.
  func take(_ token: Token) {
    // SAFETY: Only compared; the token holds the member, so no other has its address.
    let address = UInt(bitPattern: Unmanaged.passUnretained(token.member).toOpaque())
    let isTaken = slot(at: token.index).pointee.member.compareExchange(
      expected: address, desired: 0, ordering: .relaxed
    ).exchanged
    guard isTaken else { return }
    release(address)
    giveBack(token.index)
  }

  /// Takes out all members.
  ///
  /// What the thread has done before is visible to whoever adds a member too late for this: both have
  /// exchanged the slot, or the number of slots.
  ///
  /// - Returns: The members, the latest first.
  /// - Complexity: O(*n* log *n*), where *n* is the number of slots.
  func takeAll() -> [Member] {
    var members: [Member] = []
    for index in 0..<slotCount.add(0, ordering: .releasing).newValue {
      let address = slot(at: index).pointee.member.exchange(0, ordering: .acquiringAndReleasing)
      guard let member = UnsafeRawPointer(bitPattern: address) else { continue }
      // SAFETY: The reference of the slot, see `add`.
      members.append(Unmanaged<Member>.fromOpaque(member).takeRetainedValue())
      giveBack(index)
    }
    return members.count > 1 ? members.sorted { $0.number > $1.number } : members
  }

  /// How many slots there are, for tests.
  var capacity: Int { Int(slotCount.load(ordering: .relaxed)) }

  private func release(_ address: UInt) {
    guard let member = UnsafeRawPointer(bitPattern: address) else { return }
    // SAFETY: The reference of the slot, see `add`.
    Unmanaged<Member>.fromOpaque(member).release()
  }
}

// MARK: - Slots

extension MemberTable {
  /// The slot at an index; makes the segment that has it.
  private func slot(at index: UInt32) -> UnsafeMutablePointer<Slot> {
    var offset = Int(index)
    var segment = segments.load() ?? segments.storeIfNil(Segment(count: Self.firstCount))
    while offset >= segment.count {
      offset -= segment.count
      segment = segment.next.load() ?? segment.next.storeIfNil(Segment(count: segment.count * 2))
    }
    return segment[offset]
  }

  /// Takes a free slot, if there is one.
  private func takeFree() -> UInt32? {
    var top = free.load(ordering: .acquiring)
    while let index = Self.index(of: top) {
      let below = slot(at: index).pointee.nextFree.load(ordering: .relaxed)
      let (exchanged, original) = free.compareExchange(
        expected: top, desired: Self.successor(of: top, index: below),
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { return index }
      top = original
    }
    return nil
  }

  /// Makes a slot free.
  private func giveBack(_ index: UInt32) {
    var top = free.load(ordering: .relaxed)
    while true {
      slot(at: index).pointee.nextFree.store(UInt32(truncatingIfNeeded: top), ordering: .relaxed)
      let (exchanged, original) = free.compareExchange(
        expected: top, desired: Self.successor(of: top, index: index + 1),
        successOrdering: .releasing, failureOrdering: .relaxed)
      if exchanged { return }
      top = original
    }
  }

  /// The index in the word of the free slots.
  private static func index(of top: UInt64) -> UInt32? {
    let index = UInt32(truncatingIfNeeded: top)
    return index == 0 ? nil : index - 1
  }

  /// The word of the free slots after a step, with the next tag.
  private static func successor(of top: UInt64, index: UInt32) -> UInt64 {
    ((top >> 32) &+ 1) << 32 | UInt64(index)
  }
}
