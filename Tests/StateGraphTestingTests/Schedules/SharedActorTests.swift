import StateGraph
import StateGraphTesting
import Testing

/// Seeded runs beside other users of the graph's actor, each in a process of its own.
@Suite struct SharedActorTests {
  /// Uses the actor until a run has ended, and reports how the run ended.
  private static func besideOthers(_ body: () async throws -> Void) async -> ScheduleFailure? {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let node = Stored(0)
          while !Task.isCancelled { await node.update { $0 += 1 } }
        }
      }
      defer { group.cancelAll() }
      return await scheduleFailure(body)
    }
  }

  @Test func `a run beside others that use the actor all the time is reported`() async {
    await #expect(processExitsWith: .success) {
      let failure = await SharedActorTests.besideOthers {
        try await withEverySchedule(upTo: 100) {
          let node = Stored(0)
          await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
              group.addTask { for _ in 0..<20 { await node.update { $0 += 1 } } }
            }
          }
          try Schedule.require(await node.value == 80, "an update was lost")
        }
      }
      if failure?.code != .uncontrolled { Issue.record("\(failure?.description ?? "no failure")") }
      // When the others have ended, all is well.
      let later = await scheduleFailure {
        try await withEverySchedule(upTo: 100, verifyingRepeatability: true) {
          let node = Stored(0)
          async let one: Void = node.set(1)
          async let two: Void = node.set(2)
          _ = await (one, two)
        }
      }
      if let later { Issue.record(later) }
    }
  }

  @Test func `a run that does not use the actor does not mind`() async {
    await #expect(processExitsWith: .success) {
      let failure = await SharedActorTests.besideOthers {
        try await withEverySchedule(upTo: 100, verifyingRepeatability: true) {
          await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
              group.addTask { for _ in 0..<5 { await Schedule.yield() } }
            }
          }
        }
      }
      #expect(failure == nil)
    }
  }

  @Test func `a deadlock that has nothing to do with the actor is still one`() async {
    await #expect(processExitsWith: .success) {
      for seed in UInt64(0)..<20 {
        let failure = await SharedActorTests.besideOthers {
          try await withSeededSchedule(seed: seed) {
            let gate = Gate("never opened")
            try await gate.pass()
          }
        }
        if let failure, failure.code != .stuck { Issue.record(failure) }
        #expect(failure?.code == .stuck)
      }
    }
  }

  @Test func `a run is made again when others have got in the way for a moment`() async {
    await #expect(processExitsWith: .success) {
      let others = Task {
        let node = Stored(0)
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(100)
        while clock.now < end { await node.update { $0 += 1 } }
      }
      try await withEverySchedule(upTo: 500) {
        let node = Stored(0)
        await withDiscardingTaskGroup { group in
          for _ in 0..<4 {
            group.addTask { for _ in 0..<5 { await node.update { $0 += 1 } } }
          }
        }
        try Schedule.require(await node.value == 20, "an update was lost")
      }
      await others.value
    }
  }
}
