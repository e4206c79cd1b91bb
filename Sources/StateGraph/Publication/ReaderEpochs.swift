public import Synchronization

/// What readers outside of the actor share with it: the version, and who is reading at the moment.
///
/// Epoch-based reclamation after K. Fraser, "Practical lock-freedom", 2004: a reader announces
/// itself in a counter of the current epoch, and what the actor has replaced is freed when the
/// epoch has advanced twice since. `Docs/PUBLICATION.md` has the argument.
///
/// A reader writes to one counter only, and readers on different threads rarely share one. The
/// counter is chosen by the address of the stack, which differs from thread to thread.
@usableFromInline
package struct ReaderEpochs: Sendable {
  /// The version, the epoch and the interval of yields; and then for each slot the counters of even
  /// and of odd epochs, and the number of reads. What is shared has a cache line, and so has each slot.
  // SAFETY: Atomics, allocated once and never freed.
  @usableFromInline nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>

  /// How many words a pair of cache lines has; some processors fetch two at once.
  @inlinable static var stride: Int { 16 }
  /// The number of slots: a power of two.
  @inlinable static var slotCount: Int { 16 }

  package init() {
    words = .allocate(capacity: Self.stride * (1 + Self.slotCount))
    for place in 0..<Self.stride * (1 + Self.slotCount) {
      (words + place).initialize(to: Atomic(0))
    }
    yieldInterval = 4096
  }

  /// The number of the latest commit.
  @inlinable var version: UInt64 { words[0].load(ordering: .acquiring) }

  /// Makes the values of a version the current ones.
  func publish(_ version: UInt64) {
    words[0].store(version, ordering: .releasing)
  }
}

// MARK: - Readers

extension ReaderEpochs {
  /// After how many reads a task lets others have its thread: a power of two.
  package var yieldInterval: UInt64 {
    get { words[2].load(ordering: .relaxed) }
    nonmutating set { words[2].store(newValue, ordering: .relaxed) }
  }

  /// Whether the current task should let others have its thread before it reads on.
  ///
  /// A read does not suspend, so tasks that read in a loop until something happens could keep all
  /// threads, and nobody would be left to make it happen. Counts roughly: threads that share a slot
  /// may overwrite each other's count.
  @inlinable
  func isYieldDue() -> Bool {
    let reads = words + (Self.stride * (1 + Self.slotOfThread) + 2)
    let count = reads.pointee.load(ordering: .relaxed) &+ 1
    reads.pointee.store(count, ordering: .relaxed)
    guard count & (words[2].load(ordering: .relaxed) &- 1) == 0 else { return false }
    passes(.yieldsReader)
    return true
  }

  /// Announces a reader, on whatever thread.
  ///
  /// What the actor replaces from here on stays in memory until the matching `end`. A reader that is
  /// overtaken by an advance begins anew; only commits advance the epoch, so somebody gets on.
  ///
  /// - Returns: The reader's counter, for `end`, which must follow on the same thread in the same
  ///   synchronous function.
  @inlinable
  package func begin() -> UnsafeMutablePointer<Atomic<UInt64>> {
    let slot = words + Self.stride * (1 + Self.slotOfThread)
    while true {
      let epoch = words[1].load(ordering: .relaxed)
      let counter = slot + Int(epoch & 1)
      counter.pointee.add(1, ordering: .sequentiallyConsistent)
      if words[1].load(ordering: .sequentiallyConsistent) == epoch { return counter }
      passes(.restartsReader)
      counter.pointee.subtract(1, ordering: .relaxed)
    }
  }

  /// Ends what `begin` began.
  ///
  /// A subtraction and not a store: optimised code may take a reference to what has been read only
  /// after a store, when it may have been freed. It does not move that past a read-modify-write.
  @inlinable
  package func end(_ counter: UnsafeMutablePointer<Atomic<UInt64>>) {
    counter.pointee.subtract(1, ordering: .releasing)
  }

  /// A number below `slotCount` that is the same during one synchronous function, and mostly
  /// differs between threads: stacks lie at least 512 KiB apart.
  @inlinable static var slotOfThread: Int {
    var marker: UInt8 = 0
    let place = withUnsafeMutablePointer(to: &marker) { UInt64(UInt(bitPattern: $0)) }
    // Multiplicative hashing spreads addresses that are an even distance apart.
    return Int(((place >> 19) &* 0x9E37_79B9_7F4A_7C15) >> 60)
  }
}

// MARK: - The actor

extension ReaderEpochs {
  /// The number of the epoch; only the actor changes it.
  @inlinable package var epoch: UInt64 { words[1].load(ordering: .relaxed) }

  /// Whether nobody can hold what was replaced in an epoch any more.
  @inlinable
  package func isOver(_ epoch: UInt64) -> Bool {
    epoch &+ (isMutated(.reclaimsEarly) ? 1 : 2) <= self.epoch
  }

  /// Begins the next epoch if all readers of the one before have ended.
  ///
  /// - Returns: False if some have not.
  /// - Complexity: O(slots).
  package func advance() -> Bool {
    let epoch = self.epoch
    guard isEmpty(parity: Int(~epoch & 1)) || isMutated(.advancesUnchecked) else {
      passes(.holdsEpoch)
      return false
    }
    passes(.advancesEpoch)
    words[1].store(epoch &+ 1, ordering: .sequentiallyConsistent)
    return true
  }

  private func isEmpty(parity: Int) -> Bool {
    for slot in 1...Self.slotCount
    where words[Self.stride * slot + parity].load(ordering: .sequentiallyConsistent) != 0 {
      return false
    }
    return true
  }
}
