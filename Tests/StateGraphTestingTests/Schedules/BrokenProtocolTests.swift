import StateGraphTesting
import Synchronization
import Testing

/// Small protocols with a fault each, which schedules must find and lists of choices must show.
@Suite struct BrokenProtocolTests {
  /// An event that forgets those who come to wait while it is being set.
  private actor LossyEvent {
    private var isSet = false
    private var waiter: UnsafeContinuation<Void, Never>?

    func wait() async {
      guard !isSet else { return }
      await Schedule.yield("not set")
      await withUnsafeContinuation { waiter = $0 }
    }

    func set() {
      isSet = true
      waiter?.resume()
      waiter = nil
    }
  }

  @Test(arguments: [ScheduleStrategy.random, .pct(), .depthFirst()])
  func `a lost wake-up is found`(strategy: ScheduleStrategy) async throws {
    let body: @Sendable () async -> Void = {
      let event = LossyEvent()
      async let waiter: Void = Schedule.named("waiter") { await event.wait() }
      async let setter: Void = Schedule.named("setter") { await event.set() }
      _ = await (waiter, setter)
    }
    let failure = try #require(
      await scheduleFailure { try await withEverySchedule(upTo: 1_000, strategy: strategy, body) })
    #expect(failure.code == .stuck)
    #expect(failure.seed < 1_000)
    #expect(failure.waitingTasks.count == 2)
    #expect(failure.waitingTasks.first?.hasPrefix("body, since step") == true)
    #expect(failure.waitingTasks.last?.hasPrefix("waiter, since step") == true)
    #expect(failure.choices.count { $0 != 0 } == 1)
    #expect(await replayed(failure, body)?.code == .stuck)
  }

  /// An account from which more can be taken than there is.
  private actor Account {
    private(set) var balance = 10

    func take(_ amount: Int) { balance -= amount }

    /// Takes an amount if there is enough when it asks.
    nonisolated func takeIfPossible(_ amount: Int) async {
      guard await balance >= amount else { return }
      // Without anything to wait for, the compiler makes one visit of the actor out of two.
      await Schedule.yield("there is enough")
      await take(amount)
    }
  }

  @Test(arguments: [ScheduleStrategy.random, .pct(), .depthFirst()])
  func `a check-then-act across an await is found`(strategy: ScheduleStrategy) async throws {
    let body: @Sendable () async throws -> Void = {
      let account = Account()
      await withDiscardingTaskGroup { group in
        for name in ["one", "two"] {
          group.addTask {
            await Schedule.named(name) {
              await account.takeIfPossible(10)
            }
          }
        }
      }
      try Schedule.require(await account.balance == 0, "taken twice")
    }
    let failure = try #require(
      await scheduleFailure { try await withEverySchedule(upTo: 1_000, strategy: strategy, body) })
    #expect(failure.code == .bodyFailed)
    #expect(failure.underlyingError is ScheduleCheckFailed)
    #expect(failure.choices.count { $0 != 0 } == 1)
    #expect(failure.choices.count <= 4)
    #expect(failure.description.contains("taken twice"))
    #expect(failure.description.contains("strategy: .replay(\(failure.choices))) { … }"))
    #expect(await replayed(failure, body)?.code == .bodyFailed)
    guard strategy != .depthFirst() else { return }
    // The seed alone does, too, with the strategy that found the fault.
    let again = await scheduleFailure {
      try await withSeededSchedule(seed: failure.seed, strategy: failure.strategy, body)
    }
    #expect(again?.choices == failure.choices)
  }

  /// A place to wait that misses a cancellation which comes before the wait.
  private final class DeafSlot: Sendable {
    private let waiter = Mutex<UnsafeContinuation<Void, Never>?>(nil)

    func wait() async {
      await withTaskCancellationHandler {
        await Schedule.yield("about to wait")
        await withUnsafeContinuation { continuation in
          waiter.withLock { $0 = continuation }
        }
      } onCancel: {
        waiter.withLock { waiter in
          defer { waiter = nil }
          return waiter
        }?.resume()
      }
    }
  }

  @Test(arguments: [ScheduleStrategy.random, .pct(), .depthFirst()])
  func `a missed cancellation is found`(strategy: ScheduleStrategy) async throws {
    let body: @Sendable () async -> Void = {
      let slot = DeafSlot()
      async let waiter: Void = Schedule.named("waiter") { await slot.wait() }
      await waiter
    }
    let failure = try #require(
      await scheduleFailure {
        try await withEverySchedule(
          upTo: 1_000, strategy: strategy, cancelling: [.task("waiter")], body)
      })
    #expect(failure.code == .stuck)
    #expect(failure.choices.count <= 2)
    #expect(failure.description.contains("waiter is cancelled, from outside"))
    #expect(failure.description.contains("cancelling: [.task(\"waiter\")]"))
    let again = await scheduleFailure {
      try await withSeededSchedule(
        seed: failure.seed, strategy: .replay(failure.choices), cancelling: [.task("waiter")], body)
    }
    #expect(again?.code == .stuck)
  }

  @Test func `a fault among many tasks is shortened to the tasks that make it`() async throws {
    let body: @Sendable () async throws -> Void = {
      let account = Account()
      await withDiscardingTaskGroup { group in
        for name in ["a", "b", "c", "d"] {
          group.addTask {
            for _ in 0..<5 { await Schedule.yield(name) }
          }
        }
        for name in ["one", "two"] {
          group.addTask {
            await Schedule.named(name) {
              await account.takeIfPossible(10)
            }
          }
        }
      }
      try Schedule.require(await account.balance == 0, "taken twice")
    }
    let failure = try #require(
      await scheduleFailure { try await withEverySchedule(upTo: 1_000, body) })
    #expect(failure.choices.count { $0 != 0 } == 1)
    #expect(await replayed(failure, body)?.code == .bodyFailed)
  }

  private func replayed(
    _ failure: ScheduleFailure, _ body: @escaping @Sendable () async throws -> Void
  ) async -> ScheduleFailure? {
    await scheduleFailure {
      try await withSeededSchedule(
        seed: failure.seed, strategy: .replay(failure.choices), body)
    }
  }
}
