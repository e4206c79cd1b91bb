import StateGraph
import StateGraphTesting
import Testing

/// Dropping nodes against commits and readers that do not enter the actor.
@Suite struct ReleaseScheduleTests {
  @Test func `dropping a node against commits and fast reads`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Releases.dropping(writes: 3) }
    }
  }

  @Test func `dropping a node against a commit and a fast read, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).exhaust(interruptions: 3) {
        try await Releases.droppingOnce()
      }
    }
  }

  @Test func `dropping a computed node against the publication of its value`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Releases.droppingDerived(writes: 2) }
    }
  }
}

/// Bodies in which nodes lose their owners.
private enum Releases {
  /// A value whose end is observed.
  private final class Payload: Sendable {
    let number: Int
    private let token: LiveCount.Token

    init(_ number: Int, _ count: LiveCount) {
      self.number = number
      token = count.token()
    }
  }

  static func dropping(writes: Int) async throws {
    let alive = LiveCount()
    do {
      let owner = Owner(Stored(Payload(0, alive)))
      let copy = Stored(0)
      let derived = Computed { _ in owner.object?.wrappedValue.number ?? .max }
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          for value in 1...writes {
            await withGraphTransaction {
              owner.object?.wrappedValue = Payload(value, alive)
              copy.wrappedValue = value
            }
          }
        }
        group.addTask {
          for _ in 0..<writes {
            guard let first = await owner.object?.value.number else { return }
            let second = await copy.value
            try Schedule.require(second >= first, "\(first), then \(second)")
          }
        }
        group.addTask {
          for _ in 0..<writes {
            guard let node = owner.object else { return }
            let (payload, value) = await GraphSnapshot.values(of: node, copy)
            // The copy is written on when the node has no owner any more.
            let fits = payload.number == value || payload.number < value && owner.object == nil
            try Schedule.require(fits, "\(payload.number) beside \(value)")
          }
        }
        group.addTask {
          var last = 0
          for _ in 0..<writes {
            let value = await derived.value
            try Schedule.require(value >= last, "\(value) after \(last)")
            last = value
          }
        }
        group.addTask {
          if Schedule.seed.map({ $0.isMultiple(of: 2) }) ?? true {
            owner.drop()
          } else {
            await GraphActor.run { owner.drop() }
          }
        }
      }
      let rest = await derived.value
      try Schedule.require(rest == .max, "a node without an owner is read: \(rest)")
    }
    try await alive.wait(for: 0)
  }

  static func droppingOnce() async throws {
    let alive = LiveCount()
    do {
      let owner = Owner(Stored(Payload(0, alive)))
      async let reader = owner.object?.value.number
      await Schedule.yield()
      await owner.object?.set(Payload(1, alive))
      owner.drop()
      let value = await reader
      try Schedule.require(value == nil || value == 0 || value == 1, "read \(value ?? -1)")
    }
    try await alive.wait(for: 0)
  }

  /// The publication of a computed value, which a synchronous reader makes happen later.
  static func droppingDerived(writes: Int) async throws {
    let alive = LiveCount()
    do {
      let source = Stored(0)
      let owner = Owner(Computed { _ in Payload(source.wrappedValue, alive) })
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask { for value in 1...writes { await source.set(value) } }
        for _ in 0..<2 {
          group.addTask {
            var last = 0
            for _ in 0...writes {
              let seen = source.committedValue
              await Schedule.yield()
              // What is published belongs to the latest version.
              let payload = owner.object?.committedValue
              guard let value = payload?.number else { continue }
              try Schedule.require(value >= max(last, seen), "\(value) after \(last), \(seen)")
              last = value
            }
          }
        }
        group.addTask { _ = await owner.object?.value }
        group.addTask {
          await Schedule.yield()
          owner.drop()
        }
      }
    }
    try await alive.wait(for: 0)
  }
}
