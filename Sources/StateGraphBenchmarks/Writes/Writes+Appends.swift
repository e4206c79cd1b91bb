import StateGraph

extension Writes {
  /// Appends to an array that a node changes in place: they must not copy it.
  static var appends: [Benchmark] {
    [1_000, 1_000_000].map { count in
      Benchmark(
        "writes", "append to an array of \(count)", unit: .nanoseconds(per: "append")
      ) { await append(to: count, $0) }
    }
  }

  private static func append(to count: Int, _ sampler: Sampler) async -> Measurement {
    let node = StoredInPlace(Array(0..<count))
    // With the room that the appends need, so that all sizes are without it growing.
    let appends = 500
    await node.update { $0.reserveCapacity(count + 2 * appends) }
    return await sampler.collect {
      let start = ContinuousClock.now
      for value in 0..<appends { await node.update { $0.append(value) } }
      let duration = start.duration(to: .now)
      let size = await node.update {
        let size = $0.count
        $0.removeLast(appends)
        return size
      }
      check(size, equals: count + appends, "the number of elements")
      return (duration.nanoseconds / Double(appends), nil)
    }
  }
}
