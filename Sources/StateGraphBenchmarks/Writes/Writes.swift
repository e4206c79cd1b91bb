import StateGraph

/// Writes, one by one and in transactions.
enum Writes {
  static var benchmarks: [Benchmark] {
    lone + dependents + surroundings + transactions + concurrentTransactions + appends
  }

  /// How many writes one call of a measured body makes.
  static let writesPerCall = 1_000

  private static var lone: [Benchmark] {
    [
      Benchmark("writes", "lone, Int", unit: .nanoseconds(per: "write"), loneInt),
      Benchmark("writes", "lone, String", unit: .nanoseconds(per: "write"), loneString),
      Benchmark("writes", "lone, array of 3", unit: .nanoseconds(per: "write"), loneArray),
      Benchmark("writes", "set, from outside", unit: .nanoseconds(per: "write"), fromOutside),
      Benchmark("writes", "set, from the main actor", unit: .nanoseconds(per: "write")) {
        await fromMainActor($0)
      },
    ]
  }

  @GraphActor
  private static func loneInt(_ sampler: Sampler) -> Measurement {
    let node = Stored(-1)
    let measurement = sampler.measure(operations: writesPerCall) {
      for value in 0..<writesPerCall { node.wrappedValue = value }
    }
    check(node.wrappedValue, equals: writesPerCall - 1, "the value")
    return measurement
  }

  /// Two strings that do not fit into the words of a `String`, in turn.
  @GraphActor
  private static func loneString(_ sampler: Sampler) -> Measurement {
    let texts = (0..<2).map { "a string on the heap, number \($0)" }
    let node = Stored(texts[1])
    let measurement = sampler.measure(operations: writesPerCall) {
      for number in 0..<writesPerCall { node.wrappedValue = texts[number & 1] }
    }
    check(node.wrappedValue, equals: texts[1], "the value")
    return measurement
  }

  @GraphActor
  private static func loneArray(_ sampler: Sampler) -> Measurement {
    let arrays = (0..<2).map { [1, 2, $0] }
    let node = Stored(arrays[1])
    let measurement = sampler.measure(operations: writesPerCall) {
      for number in 0..<writesPerCall { node.wrappedValue = arrays[number & 1] }
    }
    check(node.wrappedValue, equals: arrays[1], "the value")
    return measurement
  }

  private static func fromOutside(_ sampler: Sampler) async -> Measurement {
    let node = Stored(-1)
    let measurement = await sampler.measureAwaiting(operations: 100) {
      for value in 0..<100 { await node.set(value) }
    }
    check(await node.value, equals: 99, "the value")
    return measurement
  }

  @MainActor
  private static func fromMainActor(_ sampler: Sampler) async -> Measurement {
    let node = Stored(-1)
    let measurement = await sampler.measureAwaiting(operations: 100) {
      for value in 0..<100 {
        await node.set(value)
        // The loop is the main actor's: it comes back after every write.
        MainActor.assertIsolated()
      }
    }
    check(await node.value, equals: 99, "the value")
    return measurement
  }
}
