/// Cells that are released on any thread beside their removal, as `ReleaseList` and `Graph.release`
/// have it: each is removed, once, and by a task that a release has scheduled.
struct ReleaseProtocol {
  let orders: AtomicOrders
  /// For each thread how many cells it releases.
  let releases: [Int]

  // MARK: - Locations

  /// The cell that was pushed last.
  private static let top = 0
  /// Whether a task is on its way.
  private static let isDrainScheduled = 1
  /// How many tasks have yet to begin.
  private static let tasks = 2
  private static func cell(_ number: Int) -> Int { 3 + number }

  private var cellCount: Int { releases.reduce(0, +) }
  private var stack: AtomicStackModel { AtomicStackModel(orders: orders, top: Self.top) }

  /// All executions.
  var executions: Executions {
    var threads: [Executions.Code] = []
    var first = 0
    for count in releases {
      let cells = first..<first + count
      first += count
      threads.append { strand in
        for cell in cells { try release(Self.cell(cell), &strand) }
      }
    }
    let values = [Int](repeating: 0, count: Self.cell(cellCount))
    return Executions(values: values, threads: threads + [remove])
  }

  private func release(_ cell: Int, _ strand: inout Strand) throws {
    try stack.push(cell, &strand)
    if try strand.exchange(1, at: Self.isDrainScheduled, orders[.schedule]) == 0 {
      try strand.add(1, to: Self.tasks, .releasing)
    }
  }

  /// Runs the tasks, one after the other: they are isolated to the actor.
  private func remove(_ strand: inout Strand) throws {
    var removed: Set<Int> = []
    while removed.count < cellCount {
      _ = try strand.await(Self.tasks, .relaxed)
      try strand.add(-1, to: Self.tasks, .acquiring)
      repeat {
        for cell in try stack.takeAll(&strand) where !removed.insert(cell).inserted {
          throw Fault("a cell is removed twice")
        }
        _ = try strand.exchange(0, at: Self.isDrainScheduled, orders[.endDrain])
      } while try strand.load(Self.top, .relaxed) != 0
    }
  }
}
