import StateGraph
import StateGraphTesting
import Testing

/// A large array, changed in place by lone updates and together with its sum by transactions.
@Suite(.serialized) struct LargeArrayStressTests {
  /// Reads of `committedValue` make all updates work on a copy, so there is a run without them.
  @Test(arguments: [false, true])
  func `a large array and its sum fit for every kind of read`(isCommittedRead: Bool) async throws {
    // The sum of its elements is kept in the last one, too.
    let array = Stored([Int](repeating: 0, count: 1_000) + [0])
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
    if isCommittedRead {
      outside.append(("committed value", { complaint(array.committedValue) }))
    }
    let readers = EveryReader(outside: outside) {
      complaint(array.wrappedValue, sum.wrappedValue) ?? complaint(copy.wrappedValue)
    }
    try await readers.run([
      { _, random in
        let place = Int.random(in: 0..<1_000, using: &random)
        await withGraphTransaction {
          array.wrappedValue[place] += 3
          array.wrappedValue[1_000] += 3
          sum.wrappedValue += 3
        }
      },
      { _, random in
        let from = Int.random(in: 0..<1_000, using: &random)
        let to = Int.random(in: 0..<1_000, using: &random)
        // Leaves the sum as it is; in place, unless somebody holds the array.
        await array.update { array in
          array[from] -= 5
          array[to] += 5
        }
      },
      { _, random in
        let place = Int.random(in: 0..<1_000, using: &random)
        try await withGraphTransaction(maximumAttempts: 100_000) {
          await array.update { array in
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
