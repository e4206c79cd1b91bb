import StateGraph

extension Streams {
  /// What streams of other nodes cost a commit.
  static var idle: [Benchmark] {
    [0, 1_000].map { count in
      Benchmark(
        "streams", "commit beside \(count) idle streams", unit: .nanoseconds(per: "write")
      ) { await commit(beside: count, $0) }
    }
  }

  private static func commit(beside count: Int, _ sampler: Sampler) async -> Measurement {
    let others = (0..<count).map { _ in Stored(0) }
    let countdown = Countdown(count)
    let tasks = others.map { other in
      follow(other.values, first: countdown) { check(false, "an idle stream delivered \($0)") }
    }
    await countdown.wait()
    // Each has a step left until it waits.
    await GraphActor.settle()
    let measurement = await measureWrites(sampler)
    for other in others { await other.set(-1) }
    for task in tasks { check(await task.value, equals: 0, "elements of an idle stream") }
    return measurement
  }

  @GraphActor
  private static func measureWrites(_ sampler: Sampler) -> Measurement {
    let node = Stored(-1)
    let count = Writes.writesPerCall
    return sampler.measure(operations: count) {
      for value in 0..<count { node.wrappedValue = value }
    }
  }
}
