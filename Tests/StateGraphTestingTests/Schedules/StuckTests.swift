import StateGraph
import StateGraphTesting
import Synchronization
import Testing

@Suite struct StuckTests {
  @Test func `a deadlock is reported with the tasks that wait and where`() async throws {
    let failure = try #require(
      await scheduleFailure {
        try await withSeededSchedule(seed: 5) {
          let left = Gate("the left gate")
          let right = Gate("the right gate")
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(name: "one") {
              try await left.pass()
              right.open()
            }
            group.addTask(name: "two") {
              try await right.pass()
              left.open()
            }
            group.addTask(name: "three") { await Schedule.yield() }
            try await group.waitForAll()
          }
        }
      })
    #expect(failure.code == .stuck)
    #expect(failure.choices == [])
    #expect(
      failure.waitingTasks == [
        "body, since step 6", "one, since step 2, at the left gate",
        "two, since step 3, at the right gate",
      ])
  }

  @Test func `a task that has ended is not said to wait`() async throws {
    let failure = try #require(
      await scheduleFailure {
        try await withSeededSchedule(seed: 5) {
          await withDiscardingTaskGroup { group in
            for _ in 0..<5 {
              group.addTask { await Schedule.yield() }
            }
            group.addTask {
              await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
          }
        }
      })
    #expect(failure.waitingTasks.map { $0.prefix(6) } == ["body, ", "task 6"])
  }

  @Test func `a stream that nobody feeds is a deadlock`() async throws {
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0) {
        let (stream, _) = AsyncStream.makeStream(of: Int.self)
        for await _ in stream {}
      }
    }
    #expect(failure?.code == .stuck)
  }

  @Test func `a body without an end is stopped`() async throws {
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0, maximumSteps: 500) {
        while !Task.isCancelled { await Schedule.yield() }
      }
    }
    #expect(failure?.code == .tooLong)
    #expect(failure?.description.contains("maximumSteps: 500") == true)
  }

  @Test func `a body that ignores its cancellation is left to the pool`() async throws {
    let isOver = Gate()
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0, maximumSteps: 500) {
        while isOver.passedCount == 0 && isOver.arrivalCount == 0 { await Schedule.yield() }
      }
    }
    #expect(failure?.code == .tooLong)
    isOver.open()
    try await isOver.pass()
    try await withSeededSchedule(seed: 0) { await Schedule.yield() }
  }

  private final class Waiters: Sendable {
    let continuations = Mutex<[UnsafeContinuation<Void, Never>]>([])
  }

  @Test func `what a stuck run has left does not disturb the next one`() async throws {
    let waiters = Waiters()
    let hasGoneOn = Gate("tasks that went on")
    let failure = await scheduleFailure {
      try await withSeededSchedule(seed: 0) {
        // Waits on, cancelled or not.
        await withUnsafeContinuation { continuation in
          waiters.continuations.withLock { $0.append(continuation) }
        }
        await Schedule.yield()
        hasGoneOn.open()
      }
    }
    #expect(failure?.code == .stuck)
    for continuation in waiters.continuations.withLock({ $0 }) { continuation.resume() }
    try await withEverySchedule(upTo: 100, verifyingRepeatability: true) { await Schedule.yield() }
    try await hasGoneOn.pass()
  }
}
