import StateGraph
import StateGraphTesting
import Testing

/// Two nodes that every transaction makes equal, and nodes that derive from one or both.
@Suite(.serialized) struct TwinStressTests {
  @Test func `an integer and its text are one for every kind of read`() async throws {
    let number = Stored(0)
    let text = Stored("0")
    let parsed = Computed { _ in Int(text.wrappedValue) ?? -1 }
    let readers = EveryReader(outside: [
      ("value, number first", { order(await number.value, Int(await text.value)) }),
      ("value, text first", { order(Int(await text.value), await number.value) }),
      ("committed value, number first", { order(number.committedValue, Int(text.committedValue)) }),
      ("committed value, text first", { order(Int(text.committedValue), number.committedValue) }),
      ("value, derived first", { order(await parsed.value, await number.value) }),
      ("value, derived last", { order(await number.value, await parsed.value) }),
      (
        "committed value, derived first",
        { order(parsed.committedValue ?? 0, number.committedValue) }
      ),
      (
        "committed value, derived last",
        {
          let first = number.committedValue
          return order(first, parsed.committedValue ?? first)
        }
      ),
      (
        "values",
        {
          let seen = await GraphSnapshot.values(of: number, text, parsed)
          return seen.1 == "\(seen.0)" && seen.2 == seen.0 ? nil : "\(seen)"
        }
      ),
      (
        "snapshot",
        {
          await withGraphSnapshot { snapshot in
            let seen = (snapshot[parsed], snapshot[text], snapshot[number])
            return seen.1 == "\(seen.0)" && seen.2 == seen.0 ? nil : "\(seen)"
          }
        }
      ),
    ]) {
      let seen = (number.wrappedValue, text.wrappedValue, parsed.wrappedValue)
      return seen.1 == "\(seen.0)" && seen.2 == seen.0 ? nil : "\(seen)"
    }
    try await readers.run([
      { _, _ in
        await withGraphTransaction {
          number.wrappedValue += 1
          text.wrappedValue = "\(number.wrappedValue)"
        }
        // What has been committed is there for everybody, also in parts.
        let first = number.committedValue
        #expect(order(first, Int(text.committedValue)) == nil)
      },
      { _, _ in
        try await withGraphTransaction(maximumAttempts: 100_000) {
          let next = await number.value + 1
          text.wrappedValue = "\(next)"
          await Task.yield()
          number.wrappedValue = next
        }
      },
    ])
  }
}

/// A complaint if the second of two reads is older than the first.
private func order(_ first: Int?, _ second: Int?) -> String? {
  guard let first, let second, second >= first else {
    return "\(first as Int?), then \(second as Int?)"
  }
  return nil
}
