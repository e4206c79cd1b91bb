import StateGraph
import StateGraphTesting
import Testing

/// Groups and maps that run again, against their cancellation.
@Suite struct ReactionScheduleTests {
  @Test func `cancelling a coalesced group against its runs`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Reactions.cancelling(.coalesced, 3) }
    }
  }

  @Test func `cancelling an immediate group against its runs`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Reactions.cancelling(.immediate, 3) }
    }
  }

  @Test func `cancelling a group against a run, in every schedule`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let exploration = Exploration(seed: seed)
      await exploration.exhaust(interruptions: 2) { try await Reactions.cancelling(.coalesced, 1) }
      await exploration.exhaust(interruptions: 2) { try await Reactions.cancelling(.immediate, 1) }
    }
  }

  @Test func `cancelling a map whose handler runs on another actor`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Reactions.cancellingMap(3) }
    }
  }

  @Test func `settling against cascades through groups, maps and another actor`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      await Exploration(seed: seed).explore { try await Reactions.settling(writers: 2) }
    }
  }
}

/// An actor to which handlers of maps are isolated.
@globalActor private actor Board {
  static let shared = Board()
}

/// Bodies with groups and maps.
private enum Reactions {
  /// Each run is followed by one cleanup, none comes after the end, and what a run sees fits.
  static func cancelling(_ delivery: GraphDelivery, _ writes: Int) async throws {
    let (number, text) = (Stored(0), Stored("0"))
    let events = EventLog<String>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        let value = number.wrappedValue
        events.record("run \(value), \(text.wrappedValue)")
        withGraphTrackingCleanup { events.record("cleanup \(value), \(value)") }
      }
    }
    await withTaskGroup { group in
      group.addTask {
        for value in 1...writes {
          await withGraphTransaction {
            number.wrappedValue = value
            text.wrappedValue = "\(value)"
          }
          if delivery == .immediate, !tracking.isCancelled {
            let hasRun = events.events.contains("run \(value), \(value)")
            precondition(hasRun, "the commit \(value) returned before the group ran")
          }
        }
      }
      group.addTask {
        await Schedule.yield()
        tracking.cancel()
        events.record("cancelled")
      }
    }
    try await events.wait { $0.last?.hasPrefix("cleanup") == true || $0.last == "cancelled" }
    await GraphActor.settle()
    try await events.wait { events in
      events.count { $0.hasPrefix("run") } == events.count { $0.hasPrefix("cleanup") }
    }
    let all = events.events
    let runs = all.filter { $0.hasPrefix("run") }
    let expected = runs.flatMap { [$0, "cleanup" + $0.dropFirst(3)] }
    try Schedule.require(all.filter { $0 != "cancelled" } == expected, "\(all)")
    let isOver = all.drop { $0 != "cancelled" }
    try Schedule.require(!isOver.contains { $0.hasPrefix("run") }, "a run after the end: \(all)")
  }

  /// What the handler is given grows, and nothing comes after the end.
  static func cancellingMap(_ writes: Int) async throws {
    let node = Stored(0)
    let shown = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingMap(
        { node.wrappedValue }, onChange: { @Board value in shown.record(value) })
    }
    await withTaskGroup { group in
      group.addTask { for value in 1...writes { await node.set(value) } }
      group.addTask {
        await Schedule.yield()
        tracking.cancel()
        // On the handler's own actor nothing can be under way.
        await Task { @Board in shown.record(-1) }.value
      }
    }
    await node.set(writes + 1)
    await GraphActor.settle()
    let all = shown.events
    try Schedule.require(all.last == -1, "a call after the end: \(all)")
    let values = all.dropLast()
    try Schedule.require(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(all)")
  }

  /// A coalesced group feeds an immediate one, that one a map, and its handler a node.
  static func settling(writers: Int) async throws {
    let (source, first, second) = (Stored(0), Stored(0), Stored(0))
    let shown = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingMap(
        { second.wrappedValue }, onChange: { @Board value in shown.record(value) })
      withGraphTrackingGroup(delivery: .immediate) { second.wrappedValue = first.wrappedValue }
      withGraphTrackingGroup { first.wrappedValue = source.wrappedValue }
    }
    try await withThrowingDiscardingTaskGroup { group in
      for number in 1...writers {
        group.addTask {
          let mine = await source.update { value in
            value += number
            return value
          }
          await GraphActor.settle()
          let seen = (first.committedValue, second.committedValue)
          try Schedule.require(
            seen.0 >= mine && seen.1 >= mine, "settled, but \(mine) is still \(seen)")
          let last = shown.events.last ?? -1
          try Schedule.require(last >= mine, "settled, but \(mine) is shown as \(last)")
        }
      }
    }
    tracking.cancel()
  }
}
