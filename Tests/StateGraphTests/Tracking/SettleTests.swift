import StateGraph
import StateGraphTesting
import Testing

@Suite struct SettleTests {
  @Test func `settling without deliveries returns`() async {
    await GraphActor.settle()
  }

  @Test func `cascades over several visits are waited for`() async {
    let log = EventLog<Int>()
    let nodes = (0..<20).map { _ in Stored(0) }
    let tracking = await withGraphTracking {
      for index in 1..<20 {
        withGraphTrackingGroup { nodes[index].wrappedValue = nodes[index - 1].wrappedValue }
      }
      withGraphTrackingMap {
        nodes[19].wrappedValue
      } onChange: { @MainActor in
        log.record($0)
      }
    }
    await GraphActor.settle()
    #expect(log.take() == [0])
    for value in 1...20 {
      await nodes[0].set(value)
      await GraphActor.settle()
      #expect(log.take() == [value])
    }
    tracking.cancel()
  }

  @Test func `a handler on another actor is waited for, and not what others commit meanwhile`()
    async throws
  {
    let log = EventLog<Int>()
    let node = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        node.wrappedValue
      } onChange: { @MainActor value in
        log.record(value)
        // A handler whose writes never end would keep a naive settle for ever.
        Task { await node.set(value + 1) }
      }
    }
    await GraphActor.settle()
    #expect(log.events.first == 0)
    tracking.cancel()
  }

  @Test func `a handler that has not run is waited for`() async {
    let log = EventLog<String>()
    let node = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        node.wrappedValue
      } onChange: { @HeldActor _ in
        log.record("handled")
      }
    }
    let task = Task {
      await GraphActor.settle()
      log.record("settled")
    }
    await HeldActor.executor.waitForJob()
    #expect(log.events == [])
    HeldActor.executor.release()
    await task.value
    #expect(log.events == ["handled", "settled"])
    tracking.cancel()
  }

  @Test func `a cancelled task does not wait`() async {
    let node = Stored(0)
    let log = EventLog<String>()
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        node.wrappedValue
      } onChange: { @OtherHeldActor _ in
        log.record("handled")
      }
    }
    await OtherHeldActor.executor.waitForJob()
    let task = Task { await GraphActor.settle() }
    task.cancel()
    await task.value
    #expect(log.events == [])
    OtherHeldActor.executor.release()
    await GraphActor.settle()
    #expect(log.events == ["handled"])
    tracking.cancel()
  }

  @Test func `many tasks settle at once`() async {
    let node = Stored(0)
    let log = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup { log.record(node.wrappedValue) }
    }
    await withTaskGroup { group in
      for value in 1...100 {
        group.addTask {
          await node.set(value)
          await GraphActor.settle()
          #expect(log.events.contains { $0 != 0 })
        }
      }
    }
    #expect(log.events.last == (await node.value))
    tracking.cancel()
  }
}

/// Keeps its jobs until a test lets them go.
final class HeldExecutor: SerialExecutor {
  private let jobs = EventLog<UnownedJob>()
  private let gate = Gate("a held executor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.record(job)
    Task.detached {
      try? await self.gate.pass()
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }

  /// Waits until somebody wants to enter the actor.
  func waitForJob() async {
    try? await jobs.wait { !$0.isEmpty }
  }

  /// Lets everything run, from now on.
  func release() { gate.open() }
}

@globalActor private actor HeldActor {
  static let shared = HeldActor()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}

@globalActor private actor OtherHeldActor {
  static let shared = OtherHeldActor()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}
