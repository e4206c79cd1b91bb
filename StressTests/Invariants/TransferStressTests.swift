import StateGraph
import StateGraphTesting
import Testing

/// Accounts whose sum never changes, moved between by transactions, some of which fail.
@Suite(.serialized) struct TransferStressTests {
  private struct Refused: Error {}

  @Test func `the sum of accounts is the same for every kind of read`() async throws {
    let accounts = (0..<8).map { _ in Stored(100) }
    let halves = [
      Computed { _ in accounts[..<4].reduce(0) { $0 + $1.wrappedValue } },
      Computed { _ in accounts[4...].reduce(0) { $0 + $1.wrappedValue } },
    ]
    let total = Computed { _ in halves[0].wrappedValue + halves[1].wrappedValue }
    let readers = EveryReader(outside: [
      ("value", { complaint(await total.value) }),
      ("committed value", { complaint(total.committedValue ?? 800) }),
      (
        "values",
        {
          let seen = await GraphSnapshot.values(
            of: accounts[0], accounts[1], accounts[2], accounts[3], accounts[4], accounts[5],
            accounts[6], accounts[7])
          return complaint(
            seen.0 + seen.1 + seen.2 + seen.3 + seen.4 + seen.5 + seen.6 + seen.7)
        }
      ),
      (
        "values of computed nodes",
        {
          let seen = await GraphSnapshot.values(of: halves[0], halves[1], total)
          return complaint(seen.0 + seen.1) ?? complaint(seen.2)
        }
      ),
      (
        "snapshot",
        {
          await withGraphSnapshot { snapshot in
            var sum = 0
            for account in accounts { sum += snapshot[account] }
            return complaint(sum) ?? complaint(snapshot[total])
          }
        }
      ),
    ]) {
      let sum = accounts.reduce(0) { $0 + $1.wrappedValue }
      let parts = halves.reduce(0) { $0 + $1.wrappedValue }
      return sum == 800 && parts == 800 && total.wrappedValue == 800
        ? nil : "\(sum), \(parts), \(total.wrappedValue)"
    }
    try await readers.run([
      { round, random in
        let from = accounts[Int.random(in: 0..<8, using: &random)]
        let to = accounts[Int.random(in: 0..<8, using: &random)]
        let amount = Int.random(in: 1...50, using: &random)
        let fails = round.isMultiple(of: 5)
        do {
          try await withGraphTransaction {
            from.wrappedValue -= amount
            if fails { throw Refused() }
            to.wrappedValue += amount
            #expect(total.wrappedValue == 800)
          }
        } catch is Refused {}
      },
      { _, random in
        let from = accounts[Int.random(in: 0..<8, using: &random)]
        let to = accounts[Int.random(in: 0..<8, using: &random)]
        try await withGraphTransaction(maximumAttempts: 100_000) {
          await from.update { $0 -= 1 }
          await Task.yield()
          #expect(total.wrappedValue == 799)
          await to.update { $0 += 1 }
        }
      },
    ])
  }
}

private func complaint(_ sum: Int) -> String? {
  sum == 800 ? nil : "the sum is \(sum)"
}
