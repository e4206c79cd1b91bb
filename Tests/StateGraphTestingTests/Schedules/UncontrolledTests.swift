import Dispatch
import StateGraph
import StateGraphTesting
import Testing

/// Steps outside of the run's control, and those that are not.
@Suite struct UncontrolledTests {
  @MainActor private static func onMain() {}

  @Test(arguments: ["sleep", "main actor", "preference", "thread"])
  func `a step elsewhere is reported`(kind: String) async throws {
    let failure = try #require(
      await scheduleFailure {
        try await withSeededSchedule(seed: 0) {
          switch kind {
          case "sleep": try? await Task.sleep(for: .milliseconds(50))
          case "main actor": await Self.onMain()
          case "preference": await withTaskExecutorPreference(globalConcurrentExecutor) {}
          default:
            await withUnsafeContinuation { continuation in
              let aMoment = DispatchTime.now() + .milliseconds(10)
              DispatchQueue.global().asyncAfter(deadline: aMoment) { continuation.resume() }
            }
          }
        }
      })
    #expect(failure.code == .uncontrolled)
    #expect(failure.description.contains("body was woken or run by another thread after step 1"))
    #expect(failure.description.contains("sleep on a ScheduleClock"))
  }

  @Test func `a check can explain itself by a value that has to be awaited`() async throws {
    let source = Stored(3)
    let failure = try #require(
      await scheduleFailure {
        try await withSeededSchedule(seed: 0) {
          try await Schedule.require(true, explaining: "\(await source.value)")
          try await Schedule.require(false, explaining: "it is \(await source.value)")
        }
      })
    #expect(failure.code == .bodyFailed)
    #expect((failure.underlyingError as? ScheduleCheckFailed)?.message == "it is 3")
  }

  @Test func `tasks without a preference are under control`() async {
    await #expect(processExitsWith: .success) {
      let failure = await scheduleFailure {
        try await withEverySchedule(upTo: 200, verifyingRepeatability: true) {
          let log = EventLog<Int>()
          let source = Stored(0)
          let one = Task {
            await source.set(1)
            log.record(1)
          }
          let two = Task.detached {
            await Task.yield()
            log.record(2)
          }
          let three = Task { @GraphActor in log.record(3) }
          _ = await (one.value, two.value, three.value)
          try Schedule.require(Set(log.events) == [1, 2, 3], "\(log.events)")
        }
      }
      if let failure { Issue.record(failure) }
    }
  }

  @Test func `a task with the run's executor is under control to the last step`() async throws {
    #expect(Schedule.executor == nil)
    let summary = try await withEverySchedule(
      upTo: 1_000, strategy: .depthFirst(), verifyingRepeatability: true
    ) {
      let task = Task(executorPreference: Schedule.executor) { await Schedule.yield() }
      await Schedule.yield()
      await task.value
    }
    #expect(summary.isExhaustive)
  }

  @Test func `a task that outlives the body is a part of the run`() async throws {
    let log = EventLog<String>()
    try await withSeededSchedule(seed: 0) {
      Task {
        for _ in 0..<5 { await Schedule.yield() }
        log.record("the task has ended")
      }
    }
    #expect(log.events == ["the task has ended"])
  }

  @Test func `the removal of released nodes is a part of the run`() async {
    await #expect(processExitsWith: .success) {
      let run = try await withSeededSchedule(seed: 0, verifyingRepeatability: true) {
        let node = Stored(0)
        await node.set(1)
      }
      #expect(run.description.contains("removal of released nodes (on an actor)"))
    }
  }
}
