/// Memory that several threads share, with all the freedom that the C++ memory model gives it.
///
/// A store does not overwrite what is there: it adds an entry to the history of its location, and a
/// load may find any entry that its thread does not know to be outdated. What a thread knows is its
/// view. A releasing store attaches the view to its entry; an acquiring load that finds the entry
/// adopts it. Sequentially consistent operations take place in the order in which they are explored.
///
/// After J. Kang et al., "A Promising Semantics for Relaxed-Memory Concurrency", POPL 2017, without
/// promises (no load finds what is stored later), and O. Lahav et al., "Repairing Sequential
/// Consistency in C/C++11", PLDI 2017. The history of a location is in the order of exploration, so a
/// location that is stored to, other than by read-modify-write, must belong to one thread.
struct WeakMemory: Hashable {
  /// What can be done to a location in one step.
  enum Operation {
    case load(Int, Order)
    case store(Int, to: Int, Order)
    case add(Int, to: Int, Order)
    case exchange(Int, at: Int, Order)
    case compareExchange(expected: Int, desired: Int, at: Int, Order)
    /// A load that is only made when it finds something other than 0.
    case await(Int, Order)
    /// A load that is not atomic: all writes must have happened before.
    case read(Int)
    /// A store that is not atomic: all reads and writes must have happened before.
    case write(Int, to: Int)
  }

  /// The order of an atomic operation; the weaker ones first.
  enum Order: Int, Comparable, CaseIterable {
    case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent

    static func < (left: Order, right: Order) -> Bool { left.rawValue < right.rawValue }

    fileprivate var acquires: Bool { self == .acquiring || self >= .acquiringAndReleasing }
    fileprivate var releases: Bool { self >= .releasing }
    fileprivate var isConsistent: Bool { self == .sequentiallyConsistent }
    /// The order of the load that a failed exchange is.
    fileprivate var ofFailure: Order {
      isConsistent ? self : acquires ? .acquiring : .relaxed
    }
  }

  /// What a thread knows.
  private struct View: Hashable {
    /// For each location the oldest entry that a load may still find.
    var oldest: [UInt8]
    /// For each thread the last of its plain accesses that has happened before.
    var accesses: [UInt8]

    mutating func adopt(_ other: View) {
      for place in oldest.indices { oldest[place] = max(oldest[place], other.oldest[place]) }
      for place in accesses.indices {
        accesses[place] = max(accesses[place], other.accesses[place])
      }
    }
  }

  private struct Entry: Hashable {
    let value: Int
    /// What an acquiring load learns by finding the entry.
    let view: View?
  }

  /// The entries of each location, in the order in which they were made.
  private var histories: [[Entry]]
  /// For each location the last entry that a sequentially consistent operation made or found.
  private var consistent: [UInt8]
  private var views: [View]
  /// For each location and thread the last plain write.
  private var writes: [[UInt8]]
  /// For each location and thread the last plain read.
  private var reads: [[UInt8]]

  init(values: [Int], threads: Int) {
    let none = [UInt8](repeating: 0, count: threads)
    histories = values.map { [Entry(value: $0, view: nil)] }
    consistent = values.map { _ in 0 }
    views = (0..<threads).map { _ in View(oldest: values.map { _ in 0 }, accesses: none) }
    writes = values.map { _ in none }
    reads = writes
  }

  /// What may come of an operation: its results, each with the memory afterwards.
  ///
  /// - Throws: `Fault` if the access is plain and races.
  func outcomes(of operation: Operation, by thread: Int) throws -> [(Int, WeakMemory)] {
    var memory = self
    switch operation {
    case .load(let place, let order):
      return loads(place, order, by: thread)
    case .await(let place, let order):
      return loads(place, order, by: thread).filter { $0.0 != 0 }
    case .store(let value, let place, let order):
      memory.append(value, to: place, order, continuing: nil, by: thread)
      return [(0, memory)]
    case .add(let delta, let place, let order):
      return [memory.modify(place, order, by: thread) { $0 + delta }]
    case .exchange(let value, let place, let order):
      return [memory.modify(place, order, by: thread) { _ in value }]
    case .compareExchange(let expected, let desired, let place, let order):
      var outcomes = loads(place, order.ofFailure, by: thread).filter { $0.0 != expected }
      if latest(place) == expected {
        outcomes.append(memory.modify(place, order, by: thread) { _ in desired })
      }
      return outcomes
    case .read(let place):
      try memory.claim(place, writing: false, by: thread)
      return [(memory.latest(place), memory)]
    case .write(let value, let place):
      try memory.claim(place, writing: true, by: thread)
      memory.histories[place] = [Entry(value: value, view: nil)]
      return [(0, memory)]
    }
  }

  private func latest(_ place: Int) -> Int { histories[place][histories[place].count - 1].value }

  private func loads(_ place: Int, _ order: Order, by thread: Int) -> [(Int, WeakMemory)] {
    let known = views[thread].oldest[place]
    let first = order.isConsistent ? max(known, consistent[place]) : known
    return (Int(first)..<histories[place].count).map { found in
      var memory = self
      memory.views[thread].oldest[place] = UInt8(found)
      if order.acquires, let view = histories[place][found].view {
        memory.views[thread].adopt(view)
      }
      if order.isConsistent { memory.consistent[place] = UInt8(found) }
      return (histories[place][found].value, memory)
    }
  }

  /// Replaces the latest value in one step; returns it.
  private mutating func modify(
    _ place: Int, _ order: Order, by thread: Int, _ change: (Int) -> Int
  ) -> (Int, WeakMemory) {
    let before = histories[place][histories[place].count - 1]
    if order.acquires, let view = before.view { views[thread].adopt(view) }
    // Who acquires from the new entry acquires from the one before, too: a release sequence.
    append(change(before.value), to: place, order, continuing: before.view, by: thread)
    return (before.value, self)
  }

  private mutating func append(
    _ value: Int, to place: Int, _ order: Order, continuing earlier: View?, by thread: Int
  ) {
    let count = UInt8(histories[place].count)
    views[thread].oldest[place] = count
    var view = earlier
    if order.releases {
      view = view ?? views[thread]
      view?.adopt(views[thread])
    }
    histories[place].append(Entry(value: value, view: view))
    if order.isConsistent { consistent[place] = count }
  }

  /// Notes a plain access, which must not race with another.
  private mutating func claim(_ place: Int, writing: Bool, by thread: Int) throws {
    for other in views.indices where other != thread {
      let known = views[thread].accesses[other]
      if writes[place][other] > known || (writing && reads[place][other] > known) {
        throw Fault("threads \(thread) and \(other) race at \(place)")
      }
    }
    views[thread].accesses[thread] += 1
    if writing {
      writes[place][thread] = views[thread].accesses[thread]
    } else {
      reads[place][thread] = views[thread].accesses[thread]
    }
  }
}

/// What is wrong in an execution.
struct Fault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
