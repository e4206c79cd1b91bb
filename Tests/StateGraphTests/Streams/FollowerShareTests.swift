import Foundation
import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Followers are evaluated in their own time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FollowerShareTests {
  private final class Counter: Sendable {
    private let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  /// Keeps the thread busy, however much of the machine others have.
  private static func work(_ duration: Duration) {
    func now() -> Duration {
      var time = timespec()
      guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let end = now() + duration
    while now() < end {}
  }

  /// Writes again and again, for long enough that a follower could be evaluated for many times: the bound
  /// of the tests is a share of the time that passes.
  private static func write(_ values: ClosedRange<Int>, _ set: (Int) async -> Void) async {
    for value in values {
      await set(value)
      if value.isMultiple(of: 100) { try? await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// A node whose rule takes a while, the number of its runs, and its source.
  private static func slowNode(
    _ duration: Duration
  ) -> (source: Stored<Int>, node: Computed<Int>, runs: Counter) {
    let (source, runs) = (Stored(0), Counter())
    let node = Computed { _ in
      runs.add()
      work(duration)
      return source.wrappedValue
    }
    return (source, node, runs)
  }

  @Test func `a writer does not pay for a stream of a node whose rule is slow`() async throws {
    let (source, node, runs) = Self.slowNode(.milliseconds(4))
    let seen = EventLog<Int>()
    let consumer = Task {
      for await value in node.values {
        seen.record(value)
        if value == 2_000 { return }
      }
    }
    // From the second run on, the rule is known to be slow.
    try await seen.wait { $0 == [0] }
    await source.set(-1)
    try await seen.wait { $0 == [0, -1] }
    let before = runs.value
    let time = await ContinuousClock().measure {
      await Self.write(1...2_000) { await source.set($0) }
    }
    await consumer.value
    // A tenth of the time, and once for the last value.
    let bound = Int(time / .milliseconds(20)) + 4
    #expect(runs.value - before <= bound, "in \(time)")
  }

  @Test func `a writer does not pay for a slow group, which answers the last write`() async throws {
    let (source, runs, seen) = (Stored(0), Counter(), EventLog<Int>())
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        runs.add()
        Self.work(.milliseconds(4))
        seen.record(source.wrappedValue)
      }
    }
    await source.set(-1)
    try await seen.wait { $0 == [0, -1] }
    let before = runs.value
    let time = await ContinuousClock().measure {
      await Self.write(1...2_000) { await source.set($0) }
      // Waits for the end of the pause, and for the run after it.
      await GraphActor.settle()
    }
    #expect(seen.events.last == 2_000)
    let bound = Int(time / .milliseconds(20)) + 4
    #expect(runs.value - before <= bound, "in \(time)")
    tracking.cancel()
  }

  @Test func `the time of nested groups is that of the outermost`() async throws {
    let (one, two, seen) = (Stored(0), Stored(0), EventLog<Int>())
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        _ = one.wrappedValue
        withGraphTrackingGroup {
          Self.work(.milliseconds(4))
          seen.record(two.wrappedValue)
        }
      }
    }
    await two.set(-1)
    try await seen.wait { $0.last == -1 }
    let before = seen.events.count
    let time = await ContinuousClock().measure {
      await Self.write(1...500) {
        await one.set($0)
        await two.set($0)
      }
      await GraphActor.settle()
    }
    #expect(seen.events.last == 500)
    #expect(seen.events.count - before <= Int(time / .milliseconds(20)) + 5, "in \(time)")
    tracking.cancel()
  }

  @Test func `a slow group that is cancelled in its pause leaves nothing behind`() async throws {
    let source = Stored(0)
    let live = LiveCount()
    try await {
      let token = live.token()
      let seen = EventLog<Int>()
      let tracking = await withGraphTracking {
        withGraphTrackingGroup {
          Self.work(.milliseconds(4))
          withExtendedLifetime(token) { seen.record(source.wrappedValue) }
        }
      }
      // Twice, until the group is known to be slow.
      await source.set(1)
      try await seen.wait { $0 == [0, 1] }
      await source.set(2)
      try await seen.wait { $0 == [0, 1, 2] }
      await source.set(3)
      #expect(seen.events == [0, 1, 2], "the group has made no pause")
      tracking.cancel()
    }()
    try await live.wait(for: 0)
    await GraphActor.settle()
  }

  @Test func `a slow expression is evaluated a tenth of the time, too`() async throws {
    let (source, runs, seen) = (Stored(0), Counter(), EventLog<Int>())
    let consumer = Task {
      for await value in GraphTrackings({ () -> Int in
        runs.add()
        Self.work(.milliseconds(4))
        return source.wrappedValue
      }) {
        seen.record(value)
        if value == 2_000 { return }
      }
    }
    // From the second run on, the rule is known to be slow.
    try await seen.wait { $0 == [0] }
    await source.set(-1)
    try await seen.wait { $0 == [0, -1] }
    let before = runs.value
    let time = await ContinuousClock().measure {
      await Self.write(1...2_000) { await source.set($0) }
    }
    await consumer.value
    let bound = Int(time / .milliseconds(20)) + 4
    #expect(runs.value - before <= bound, "in \(time)")
  }

  @Test func `the last value is delivered, although nothing comes after it`() async {
    let (source, node, _) = Self.slowNode(.milliseconds(3))
    var values = node.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    for value in 1...5 {
      await source.set(value)
      #expect(await values.next() == value)
    }
  }

  @Test func `a buffered stream sees each commit, however slow the rule is`() async {
    let (source, node, runs) = Self.slowNode(.milliseconds(3))
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next()?.value == 0)
    for value in 1...10 { await source.set(value) }
    for value in 1...10 { #expect(await changes.next()?.value == value) }
    #expect(runs.value == 11)
  }

  @Test func `a stream of a slow node ends at once with the node`() async {
    let source = Stored(0)
    var node: Computed<Int>? = Computed { _ in
      Self.work(.milliseconds(20))
      return source.wrappedValue
    }
    var values = node?.values.makeAsyncIterator()
    _ = await values?.next()
    await source.set(1)
    #expect(await values?.next() == 1)
    await source.set(2)
    node = nil
    let time = await ContinuousClock().measure {
      while await values?.next() != nil {}
    }
    #expect(time < .milliseconds(150))
  }

  // MARK: - Intervals

  @Test func `at most one value in each interval, and the last one always`() async throws {
    await #expect(processExitsWith: .success) {
      do {
        try await withEverySchedule(upTo: 500) {
          let node = Stored(0)
          let clock = ScheduleClock()
          let seen = EventLog<(Int, Duration)>()
          async let consumer: Void = {
            for await value in node.values(every: .milliseconds(50), clock: clock) {
              seen.record((value, clock.now.offset))
              if value == 20 { return }
            }
          }()
          for value in 1...20 {
            await node.set(value)
            try await Task.sleep(for: .milliseconds(7), clock: clock)
          }
          await consumer
          for (one, next) in zip(seen.events, seen.events.dropFirst()) {
            try Schedule.require(next.1 - one.1 >= .milliseconds(50), "\(seen.events)")
            try Schedule.require(next.0 > one.0, "\(seen.events)")
          }
          try Schedule.require(seen.events.last?.0 == 20, "\(seen.events)")
        }
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test func `a cancelled consumer does not wait for the interval`() async {
    let node = Stored(0)
    let seen = EventLog<Int>()
    let consumer = Task {
      for await value in node.values(every: .seconds(3_600)) { seen.record(value) }
    }
    try? await seen.wait { $0 == [0] }
    consumer.cancel()
    await consumer.value
    #expect(seen.events == [0])
  }
}
