import StateGraph
import StateGraphTesting
import Testing

/// A large array, changed by lone updates and together with its sum by transactions.
@Suite(.serialized) struct LargeArrayStressTests {
  // The sum of its elements is kept in the last one, too.
  private static let zeros = [Int](repeating: 0, count: 1_000) + [0]

  @Test func `a large array and its sum fit for every kind of read`() async throws {
    let array = Stored(Self.zeros)
    try await check(
      array, committed: { array.committedValue }, assign: { array.wrappedValue = $0 },
      update: { await array.update($0) })
  }

  @Test func `a large array that is changed in place and its sum fit for every kind of read`()
    async throws
  {
    let array = StoredInPlace(Self.zeros)
    try await check(
      array, committed: nil, assign: { array.wrappedValue = $0 },
      update: { await array.update($0) })
  }

  private func check(
    _ array: some GraphNode<[Int]>, committed: (@Sendable () -> [Int])?,
    assign: @escaping @GraphActor @Sendable ([Int]) -> Void,
    update:
      @escaping @Sendable (@escaping @GraphActor @Sendable (inout [Int]) -> Void) async -> Void
  ) async throws {
    let sum = Stored(0)
    let copy = Computed { _ in array.wrappedValue }
    var outside: [(name: String, look: @Sendable () async -> String?)] = [
      ("value", { complaint(await array.value) }),
      ("value of a computed node", { complaint(await copy.value) }),
      (
        "values",
        {
          let seen = await GraphSnapshot.values(of: array, sum, copy)
          return complaint(seen.0, seen.1) ?? complaint(seen.2, seen.1)
        }
      ),
      ("snapshot", { await withGraphSnapshot { complaint($0[array], $0[sum]) } }),
    ]
    if let committed { outside.append(("committed value", { complaint(committed()) })) }
    let readers = EveryReader(outside: outside) {
      complaint(array.wrappedValue, sum.wrappedValue) ?? complaint(copy.wrappedValue)
    }
    try await readers.run([
      { _, random in
        let place = Int.random(in: 0..<1_000, using: &random)
        await withGraphTransaction {
          var changed = array.wrappedValue
          changed[place] += 3
          changed[1_000] += 3
          assign(changed)
          sum.wrappedValue += 3
        }
      },
      { _, random in
        let from = Int.random(in: 0..<1_000, using: &random)
        let to = Int.random(in: 0..<1_000, using: &random)
        // Leaves the sum as it is.
        await update { array in
          array[from] -= 5
          array[to] += 5
        }
      },
      { _, random in
        let place = Int.random(in: 0..<1_000, using: &random)
        try await withGraphTransaction(maximumAttempts: 100_000) {
          await update { array in
            array[place] += 1
            array[1_000] += 1
          }
          await Task.yield()
          await sum.update { $0 += 1 }
        }
      },
    ])
  }
}

/// A complaint if an array is torn, or does not belong to a sum.
private func complaint(_ array: [Int], _ sum: Int? = nil) -> String? {
  let total = array.dropLast().reduce(0, +)
  guard array.count == 1_001, total == array.last, total == sum ?? total else {
    return "\(array.count) elements, \(total), \(array.last ?? -1), \(sum ?? total)"
  }
  return nil
}
