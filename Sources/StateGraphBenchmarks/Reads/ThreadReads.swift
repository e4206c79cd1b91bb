import Foundation
import StateGraph
import Synchronization

/// Reads by threads of their own, which the system spreads over the cores; tasks may have to share
/// a thread of the pool.
///
/// The result is the time from the start to the end of the last thread, divided by the reads of one:
/// what a read costs each thread. The floor is a `Mutex` that as many threads read.
enum ThreadReads {
  static var benchmarks: [Benchmark] {
    [1, 2].flatMap { threads in
      [
        Benchmark("threads", "Mutex, \(threads)", unit: .nanoseconds(per: "read")) { sampler in
          let lock = Lock()
          return await measure(threads, sampler) { _ in lock.value }
        },
        Benchmark("threads", "stored.committedValue, \(threads)", unit: .nanoseconds(per: "read")) {
          let node = await written(1)
          return await measure(threads, $0) { _ in node.committedValue }
        },
        Benchmark(
          "threads", "stored.committedValue, a node each, \(threads)",
          unit: .nanoseconds(per: "read")
        ) {
          let nodes = [await written(1), await written(1)]
          return await measure(threads, $0) { nodes[$0].committedValue }
        },
        Benchmark("threads", "computed.committedValue, \(threads)", unit: .nanoseconds(per: "read"))
        {
          let source = await written(1)
          let node = Computed { _ in source.wrappedValue }
          check(await node.value, equals: 1, "the value of the node")
          return await measure(threads, $0) { _ in node.committedValue ?? 0 }
        },
      ]
    }
  }

  /// A node that has been written, so that it is read like any other in use.
  private static func written(_ value: Int) async -> Stored<Int> {
    let node = Stored(value - 1)
    await node.set(value)
    return node
  }

  private static func measure(
    _ threads: Int, _ sampler: Sampler, _ read: @escaping @Sendable (_ thread: Int) -> Int
  ) async -> Measurement {
    let count = sampler.size(1_000_000, quick: 500)
    let lock = Lock()
    return await sampler.collect {
      (result: time(threads, count, read), floor: time(threads, count) { _ in lock.value })
    }
  }

  /// Nanoseconds for one read of one thread.
  private static func time(
    _ threads: Int, _ count: Int, _ read: @escaping @Sendable (_ thread: Int) -> Int
  ) -> Double {
    let start = Start(threads)
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread.detachNewThread {
        start.pass()
        let begin = ContinuousClock.now
        var sum = 0
        for _ in 0..<count { sum &+= read(thread) }
        start.end(after: begin.duration(to: .now))
        check(sum, equals: count, "the sum of what was read")
        group.leave()
      }
    }
    group.wait()
    return start.longest.nanoseconds / Double(count)
  }

  /// A number behind a mutex.
  private final class Lock: Sendable {
    private let mutex = Mutex(1)

    var value: Int { mutex.withLock { $0 } }
  }

  /// Lets threads begin together.
  private final class Start: Sendable {
    private let missing: Atomic<Int>
    private let times = Mutex<[Duration]>([])

    init(_ threads: Int) {
      missing = Atomic(threads)
    }

    /// The time of the slowest thread.
    var longest: Duration { times.withLock { $0.max() ?? .zero } }

    func pass() {
      missing.subtract(1, ordering: .acquiringAndReleasing)
      while missing.load(ordering: .acquiring) > 0 {}
    }

    func end(after time: Duration) {
      times.withLock { $0.append(time) }
    }
  }
}
