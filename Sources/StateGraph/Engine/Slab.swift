/// Records in contiguous memory, addressed by 32-bit indices; index 0 is never handed out, and its
/// record stands for none.
///
/// The memory moves when the slab grows: a pointer to a record is good until the next `allocate`.
@usableFromInline
struct Slab<Record: BitwiseCopyable>: ~Copyable {
  /// The memory; uninitialised from `endIndex` on.
  @usableFromInline var base: UnsafeMutablePointer<Record>
  /// The number of records that the memory can hold.
  private var capacity: Int
  /// The first index that has never been handed out.
  private(set) var endIndex: Int
  /// The indices that were handed out and given back, the latest last.
  private var free: Stack<UInt32>

  /// How many records there can be.
  private let limit: Int

  /// Makes a slab without records.
  init(none: Record, limit: Int = Int(UInt32.max)) {
    self.limit = limit
    capacity = 64
    endIndex = 1
    base = .allocate(capacity: capacity)
    base.initialize(to: none)
    free = Stack()
  }

  @inlinable deinit {
    base.deallocate()
  }

  /// The number of records in use.
  var count: Int { endIndex - 1 - free.count }

  /// The memory of the record at an index.
  @inlinable
  subscript(_ index: UInt32) -> UnsafeMutablePointer<Record> {
    base + Int(index)
  }

  /// Takes a free index and puts a record there.
  ///
  /// - Complexity: O(1) amortised.
  mutating func allocate(_ record: Record) -> UInt32 {
    if let index = free.pop() {
      base[Int(index)] = record
      return index
    }
    if endIndex == capacity { grow() }
    let index = endIndex
    (base + index).initialize(to: record)
    endIndex += 1
    return UInt32(index)
  }

  /// The index that has been given back last, which the next `allocate` takes.
  var reused: UInt32? { free.last }

  /// Gives an index back.
  mutating func release(_ index: UInt32) {
    free.push(index)
  }

  /// Whether an index is in the list of free indices; O(n), for checks.
  func freeIndices() -> Set<UInt32> { free.elements() }

  private mutating func grow() {
    guard capacity <= limit / 2 else {
      fatalError("StateGraph: more than \(capacity) nodes or edges are alive at once")
    }
    let larger = UnsafeMutablePointer<Record>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: endIndex)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
