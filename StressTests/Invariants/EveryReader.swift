import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Readers of every kind, which look for values that do not fit together while tasks write.
///
/// A look answers with a complaint, or nil if all is well. What is read in one step is the same for
/// all kinds of readers that enter the actor; reads outside of it differ with the nodes.
struct EveryReader: Sendable {
  /// Looks at all nodes in one step.
  let together: @GraphActor @Sendable () -> String?
  /// Looks outside of the actor, by name.
  let outside: [(name: String, look: @Sendable () async -> String?)]

  private let isOver = Stored(false)
  private let complaints = EventLog<String>()
  /// How often each kind has looked.
  private let looks: [String: Tally]
  /// How often each kind has to look while tasks write.
  private static let fewestLooks = 50

  init(
    outside: [(name: String, look: @Sendable () async -> String?)],
    together: @escaping @GraphActor @Sendable () -> String?
  ) {
    self.together = together
    self.outside = outside
    let kinds = Self.namesOfVisitors + outside.map(\.name) + Self.namesOfFollowers
    looks = Dictionary(uniqueKeysWithValues: kinds.map { ($0, Tally()) })
  }

  /// Lets all kinds look while tasks write, for some time, and until each has looked often.
  ///
  /// - Parameters:
  ///   - seconds: For how long at least, at a scale of 1.
  ///   - writers: What four tasks at a time do again and again; how often they have is an argument.
  /// - Throws: What a writer or a reader throws.
  func run(
    for seconds: Double = 2,
    _ writers: [@Sendable (Int, inout SeededGenerator) async throws -> Void]
  ) async throws {
    let deadline = StressScale.deadline(after: seconds)
    let tracking = await trackings()
    try await withThrowingTaskGroup { group in
      for read in visitors + outside.map({ (name: $0.name, look: $0.look) }) {
        group.addTask { try await look(read.name, read.look) }
      }
      for follow in followers { group.addTask { try await follow() } }
      try await withThrowingTaskGroup { tasks in
        for number in 0..<4 {
          tasks.addTask {
            var random = SeededGenerator(seed: StressScale.seed &+ UInt64(number))
            var round = 0
            while complaints.events.isEmpty, .now < deadline || !haveLookedOften {
              for write in writers { try await write(round, &random) }
              round += 1
            }
          }
        }
        try await tasks.waitForAll()
      }
      await isOver.set(true)
      try await group.waitForAll()
    }
    tracking.cancel()
    #expect(complaints.events.isEmpty, "seed \(StressScale.seed): \(complaints.events.prefix(5))")
    let counts = looks.values.map { $0.count.load(ordering: .relaxed) }
    let fewest = counts.min() ?? 0
    print("\(counts.reduce(0, +)) looks of \(counts.count) kinds, \(fewest) or more each")
  }

  private var haveLookedOften: Bool {
    looks.values.allSatisfy { $0.count.load(ordering: .relaxed) >= Self.fewestLooks }
  }

  /// Notes what a look has found.
  private func note(_ kind: String, _ complaint: String?) {
    looks[kind]?.count.add(1, ordering: .relaxed)
    if let complaint { complaints.record("\(kind): \(complaint)") }
  }

  /// Looks until the writers are done, and once more.
  private func look(
    _ kind: String, _ look: @Sendable () async throws -> String?
  ) async throws {
    var isLast = false
    while true {
      note(kind, try await look())
      await Task.yield()
      if isLast { return }
      isLast = await isOver.value
    }
  }

  // MARK: - Kinds

  private var visitors: [(name: String, look: @Sendable () async throws -> String?)] {
    let rule = Computed { _ in together() }
    let slow = AsyncComputed {
      let first = await GraphActor.run { together() }
      await Task.yield()
      let second = await GraphActor.run { together() }
      return first ?? second
    }
    return [
      ("run", { await GraphActor.run { together() } }),
      ("transaction", { await withGraphTransaction { together() } }),
      (
        "transaction that awaits",
        {
          try await withGraphTransaction(maximumAttempts: 100_000) {
            let first = together()
            await Task.yield()
            return first ?? together()
          }
        }
      ),
      ("rule", { await rule.value }),
      ("committed rule", { rule.committedValue ?? nil }),
      ("async rule", { try await slow.value }),
    ]
  }

  private static let namesOfVisitors = [
    "run", "transaction", "transaction that awaits", "rule", "committed rule", "async rule",
  ]
  private static let namesOfFollowers = [
    "stream", "trackings", "wait", "coalesced group", "immediate group", "map",
  ]

  private var followers: [@Sendable () async throws -> Void] {
    [
      {
        // An element for each commit, equal or not.
        let rule = Computed(isEqual: { _, _ in false }) { _ in (together(), isOver.wrappedValue) }
        for await change in rule.changes(buffering: .unbounded) {
          note("stream", change.value.0)
          if change.value.1 { break }
        }
      },
      {
        let expression = GraphTrackings { (together(), isOver.wrappedValue) }
        for await (complaint, isOver) in expression {
          note("trackings", complaint)
          if isOver { break }
        }
      },
      {
        try await graphWait {
          let complaint = together()
          note("wait", complaint)
          return complaint != nil || isOver.wrappedValue
        }
      },
    ]
  }

  private func trackings() async -> GraphCancellable {
    await withGraphTracking {
      withGraphTrackingGroup { note("coalesced group", together()) }
      withGraphTrackingGroup(delivery: .immediate) { note("immediate group", together()) }
      withGraphTrackingMap(
        filter: GraphPassthroughFilter(), { together() },
        onChange: { complaint in note("map", complaint) })
    }
  }
}

/// A count that all tasks share.
private final class Tally: Sendable {
  let count = Atomic(0)
}
