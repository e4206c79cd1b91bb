import StateGraph

extension Writes {
  /// Transactions of one task.
  static var transactions: [Benchmark] {
    [1, 10, 1_000].flatMap { count in
      let writes = "\(count) \(count == 1 ? "write" : "writes")"
      return [
        Benchmark("writes", "transaction of \(writes)", unit: .nanoseconds(per: "write")) {
          await transaction(writes: count, $0)
        },
        Benchmark("writes", "async transaction of \(writes)", unit: .nanoseconds(per: "write")) {
          await asyncTransaction(writes: count, $0)
        },
      ]
    }
  }

  @GraphActor
  private static func transaction(writes: Int, _ sampler: Sampler) -> Measurement {
    let nodes = (0..<writes).map { _ in Stored(0) }
    var value = 0
    let measurement = sampler.measure(operations: writes) {
      value += 1
      withGraphTransaction {
        for node in nodes { node.wrappedValue = value }
      }
    }
    check(nodes.allSatisfy { $0.wrappedValue == value }, "not every write was committed")
    return measurement
  }

  @GraphActor
  private static func asyncTransaction(writes: Int, _ sampler: Sampler) async -> Measurement {
    let nodes = (0..<writes).map { _ in Stored(0) }
    var value = 0
    let measurement = await sampler.measureAwaiting(operations: writes) {
      value += 1
      await commit { [value] () async -> Void in
        for node in nodes { node.wrappedValue = value }
      }
    }
    check(nodes.allSatisfy { $0.wrappedValue == value }, "not every write was committed")
    return measurement
  }

  /// Commits what an async body writes, however often it has to run.
  @GraphActor
  static func commit(_ body: @escaping @GraphActor @Sendable () async -> Void) async {
    do {
      try await withGraphTransaction(maximumAttempts: 10_000, body)
    } catch {
      check(false, "a transaction failed: \(error)")
    }
  }
}
