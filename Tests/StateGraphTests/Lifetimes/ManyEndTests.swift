import StateGraph
import StateGraphTesting
import Testing

/// To end many of a kind costs as much for each as to end a few.
@Suite(.serialized) struct ManyEndTests {
  /// What is ended.
  enum Kind: String, CaseIterable, Sendable, Codable {
    case commitStreams, valueStreams, waits, groups
  }

  @Test(arguments: Kind.allCases)
  func `the end of eight times as many takes less than thirty times as long`(kind: Kind) async {
    await #expect(processExitsWith: .success) { [kind] in
      _ = await Self.timeToEnd(1_000, kind)
      let (few, many) = (await Self.timeToEnd(4_000, kind), await Self.timeToEnd(32_000, kind))
      // What is quadratic takes 64 times as long.
      #expect(many < few * 30, "\(few) for 4,000, \(many) for 32,000")
    }
  }

  @Test func `the end of watchers costs the same beside an async rule that does not concern them`()
    async
  {
    await #expect(processExitsWith: .success) {
      let gate = Gate("a rule")
      let source = Stored(0)
      var last = source.map { $0 }
      for _ in 0..<1_000 {
        let before = last
        last = Computed { before.wrappedValue + 1 }
        _ = await last.value
      }
      let node = last
      func timeToEnd() async -> Duration {
        let tracking = await withGraphTracking {
          for _ in 0..<2_000 { withGraphTrackingGroup { _ = node.wrappedValue } }
        }
        return await ContinuousClock().measure {
          tracking.cancel()
          await GraphActor.settle()
        }
      }
      _ = await timeToEnd()
      let alone = min(await timeToEnd(), await timeToEnd())
      let loader = AsyncComputed { try await gate.pass() }
      async let loaded: Void? = try? loader.value
      try? await gate.arrivals(1)
      let beside = min(await timeToEnd(), await timeToEnd())
      gate.open()
      await loaded
      // To walk up the chain for each would take a hundred times as long.
      #expect(beside < alone * 5, "\(alone) alone, \(beside) beside a rule that runs")
    }
  }

  /// The shortest of three times.
  private static func timeToEnd(_ count: Int, _ kind: Kind) async -> Duration {
    var times: [Duration] = []
    for _ in 0..<3 { times.append(await end(count, kind)) }
    return times.min() ?? .zero
  }

  private static func end(_ count: Int, _ kind: Kind) async -> Duration {
    let node = Stored(0)
    if kind == .groups {
      let tracking = await withGraphTracking {
        for _ in 0..<count { withGraphTrackingGroup { _ = node.wrappedValue } }
      }
      return await ContinuousClock().measure {
        tracking.cancel()
        await GraphActor.settle()
      }
    }
    let begun = EventLog<Void>()
    let tasks = (0..<count).map { _ in
      Task {
        switch kind {
        case .commitStreams:
          var iterator = GraphActor.commits().makeAsyncIterator()
          begun.record(())
          _ = await iterator.next()
        case .valueStreams:
          var iterator = node.values.makeAsyncIterator()
          _ = await iterator.next()
          begun.record(())
          _ = await iterator.next()
        case .waits, .groups:
          begun.record(())
          try? await graphWait { node.wrappedValue == 1 }
        }
      }
    }
    try? await begun.wait { $0.count == count }
    // Those that wait for a commit are seen by the actor with the next one.
    await Stored(0).set(1)
    return await ContinuousClock().measure {
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
      await GraphActor.settle()
    }
  }
}
