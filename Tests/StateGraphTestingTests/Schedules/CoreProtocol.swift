import StateGraph
import StateGraphTesting
import Testing

/// Bodies that use the core as a service would, and throw if a promise is broken.
enum CoreProtocol {
  /// Makes 2,000 runs with random choices and 500 with priorities.
  static func explore(
    cancelling cancellations: [ScheduleCancellation] = [],
    _ body: @escaping @Sendable () async throws -> Void
  ) async {
    await reporting {
      try await withEverySchedule(upTo: 2_000, cancelling: cancellations) {
        try await leavingNothing(body)
      }
      try await withEverySchedule(upTo: 500, strategy: .pct(), cancelling: cancellations) {
        try await leavingNothing(body)
      }
    }
  }

  /// Makes a run of every schedule, or of every one with few interruptions.
  static func exhaust(
    interruptions: Int? = nil, cancelling cancellations: [ScheduleCancellation] = [],
    _ body: @escaping @Sendable () async throws -> Void
  ) async {
    await reporting {
      let summary = try await withEverySchedule(
        upTo: 20_000, strategy: .depthFirst(interruptions: interruptions), cancelling: cancellations
      ) {
        try await leavingNothing(body)
      }
      #expect(summary.isExhaustive, "there are more schedules than \(summary)")
    }
  }

  /// Records a failure as an issue: those of an exit test reach its parent, errors do not.
  private static func reporting(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      Issue.record(error)
    }
  }

  /// Runs a body and checks that the graph is empty and sound afterwards.
  private static func leavingNothing(_ body: () async throws -> Void) async throws {
    try await body()
    try await GraphActor.run {
      let graph = Graph.shared
      let broken = graph.brokenInvariants()
      try Schedule.require(broken.isEmpty, broken.joined(separator: ", "))
      try Schedule.require(
        graph.nodeCount == 0 && graph.edgeCount == 0,
        "\(graph.nodeCount) nodes and \(graph.edgeCount) edges are left")
    }
  }

  // MARK: - Reading and writing

  static func writersAndReaders(_ count: Int, writes: Int) async throws {
    let source = Stored(0)
    let double = Computed { _ in source.wrappedValue * 2 }
    try await withThrowingDiscardingTaskGroup { group in
      for number in 1...count {
        group.addTask {
          for _ in 0..<writes {
            let mine = await source.update { value in
              value += 1
              return value
            }
            let seen = await source.value
            try Schedule.require(seen >= mine, "writer \(number) wrote \(mine) and read \(seen)")
          }
        }
        group.addTask {
          var last = 0
          for _ in 0..<writes {
            let (value, twice) = await GraphActor.run { (source.wrappedValue, double.wrappedValue) }
            try Schedule.require(twice == 2 * value, "\(twice) is not twice \(value)")
            try Schedule.require(value >= last, "reader \(number) read \(last), then \(value)")
            last = await double.value / 2
            try Schedule.require(last >= value, "reader \(number) read \(value), then \(last)")
          }
        }
      }
    }
    let total = await source.value
    try Schedule.require(total == count * writes, "an update was lost: \(total)")
  }

  private struct Refused: Error {}

  /// Transactions that move amounts from one node to another, and readers outside of them.
  static func transfers(_ count: Int) async throws {
    let one = Stored(10)
    let other = Stored(10)
    let sum = Computed { _ in one.wrappedValue + other.wrappedValue }
    // In every third run the transactions throw.
    let isRefused = Schedule.seed.map { $0 % 3 == 2 } ?? false
    let moved = isRefused ? 0 : (1...count).reduce(0, +)
    let sums = Task(executorPreference: Schedule.executor) {
      for await change in sum.changes(buffering: .unbounded) {
        try Schedule.require(change.value == 20, "half a commit: \(change.value)")
      }
    }
    try await withThrowingDiscardingTaskGroup { group in
      for amount in 1...count {
        group.addTask {
          do {
            try await withGraphTransaction {
              let before = one.wrappedValue
              one.wrappedValue -= amount
              try Schedule.require(sum.wrappedValue == 20 - amount, "the staged sum is wrong")
              try Schedule.require(one.wrappedValue == before - amount, "another write intruded")
              if isRefused { throw Refused() }
              other.wrappedValue += amount
            }
          } catch is Refused {}
        }
      }
      group.addTask {
        let (left, right) = await GraphActor.run { (one.wrappedValue, other.wrappedValue) }
        try Schedule.require(left + right == 20, "half a commit: \(left) + \(right)")
      }
      group.addTask {
        let value = await sum.value
        try Schedule.require(value == 20, "half a commit: \(value)")
        let first = await one.value
        let second = await other.value
        // Between the two, commits may move more to the second.
        try Schedule.require(first + second >= 20, "an old value after a new one")
      }
      group.addTask {
        let pairs = GraphTrackings { (one.wrappedValue, sum.wrappedValue) }
        for await (left, total) in pairs {
          try Schedule.require(total == 20, "half a commit: \(total)")
          if left == 10 - moved { break }
        }
      }
    }
    sums.cancel()
    try await sums.value
    let rest = await one.value
    try Schedule.require(rest == 10 - moved, "\(rest) is left of 10, \(moved) were moved")
  }

  /// A transaction, and a reader outside of it.
  static func oneTransfer() async throws {
    let one = Stored(10)
    let other = Stored(10)
    let sum = Computed { _ in one.wrappedValue + other.wrappedValue }
    async let transfer: Void = withGraphTransaction {
      one.wrappedValue = 4
      other.wrappedValue = 16
    }
    async let reader = GraphActor.run { (one.wrappedValue, other.wrappedValue) }
    let total = await sum.value
    try Schedule.require(total == 20, "half a commit: \(total)")
    let pair = await reader
    try Schedule.require(pair == (10, 10) || pair == (4, 16), "half a commit: \(pair)")
    await transfer
  }

  /// A transaction, and a stream of what it leaves as it is.
  static func oneTransferUnderAStream() async throws {
    let one = Stored(10)
    let other = Stored(10)
    let sum = Computed { _ in one.wrappedValue + other.wrappedValue }
    async let sums: Void = Schedule.named("sums") {
      for await change in sum.changes(buffering: .unbounded) {
        try Schedule.require(change.value == 20, "half a commit: \(change.value)")
      }
    }
    await Schedule.yield()
    await withGraphTransaction {
      one.wrappedValue = 4
      other.wrappedValue = 16
    }
    try await sums
  }
}
