import StateGraph
import Synchronization

/// One task that writes all the time, beside tasks that read.
///
/// Both results of each pair are those of all tasks together: how many in a microsecond.
enum Mixed {
  static var benchmarks: [Benchmark] {
    [1, 3, 15].flatMap { readers in
      [false, true].flatMap { isComputed in
        let kind = isComputed ? "computed" : "stored"
        let name = "1 writer, \(readers) \(readers == 1 ? "reader" : "readers") of a \(kind) node"
        return [
          Benchmark("mixed", name + ", reads", unit: .count(of: "reads", per: "µs")) {
            await measure(readers: readers, isComputed, \.reads, $0)
          },
          Benchmark("mixed", name + ", writes", unit: .count(of: "writes", per: "µs")) {
            await measure(readers: readers, isComputed, \.writes, $0)
          },
        ]
      }
    }
  }

  /// Reads and writes in a microsecond.
  private struct Throughput {
    var reads: Double
    var writes: Double
  }

  /// What the tasks tell each other.
  private final class Progress: Sendable {
    let readersLeft: Atomic<Int>
    let hasBegun = Atomic(false)
    let writes = Atomic(0)

    init(readers: Int) {
      readersLeft = Atomic(readers)
    }
  }

  private static func measure(
    readers: Int, _ isComputed: Bool, _ result: @Sendable (Throughput) -> Double,
    _ sampler: Sampler
  ) async -> Measurement {
    // A read of the computed node mostly enters the actor: every write ends its publication.
    let full = isComputed ? 100_000 : 1_000_000
    let count = sampler.size(full, quick: 1_500) / readers
    return await sampler.collect {
      let throughput =
        isComputed
        ? await readComputed(readers: readers, count) : await readStored(readers: readers, count)
      return (result(throughput), nil)
    }
  }

  private static func readStored(readers: Int, _ count: Int) async -> Throughput {
    let node = Stored(0)
    return await run(readers: readers, count, writing: node) {
      var latest = 0
      for _ in 0..<count {
        let value = await node.value
        check(value >= latest, "a reader saw \(value) after \(latest)")
        latest = value
      }
    }
  }

  private static func readComputed(readers: Int, _ count: Int) async -> Throughput {
    let node = Stored(0)
    let next = Computed { _ in node.wrappedValue + 1 }
    return await run(readers: readers, count, writing: node) {
      var latest = 1
      for _ in 0..<count {
        let value = await next.value
        check(value >= latest, "a reader saw \(value) after \(latest)")
        latest = value
      }
    }
  }

  /// The first task writes until all others have made their reads.
  private static func run(
    readers: Int, _ count: Int, writing node: Stored<Int>,
    _ read: @escaping @Sendable () async -> Void
  ) async -> Throughput {
    let progress = Progress(readers: readers)
    let duration = await Crowd.time(tasks: 1 + readers) { _ in
    } work: { task in
      if task == 0 {
        var written = 0
        while progress.readersLeft.load(ordering: .relaxed) > 0 {
          written += 1
          await node.set(written)
          progress.hasBegun.store(true, ordering: .relaxed)
        }
        progress.writes.store(written, ordering: .relaxed)
      } else {
        // Readers that seldom suspend could be at the end before the writer gets a thread.
        while !progress.hasBegun.load(ordering: .relaxed) { await Task.yield() }
        await read()
        progress.readersLeft.subtract(1, ordering: .relaxed)
      }
    }
    let written = progress.writes.load(ordering: .relaxed)
    check(await node.value, equals: written, "the value that was written last")
    let microseconds = duration.nanoseconds / 1_000
    return Throughput(
      reads: Double(readers * count) / microseconds, writes: Double(written) / microseconds)
  }
}
