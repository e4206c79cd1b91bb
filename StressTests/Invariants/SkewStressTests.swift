import StateGraph
import StateGraphTesting
import Testing

/// Two nodes of which one may be odd only while the other is even: each transaction reads both and
/// writes one, so that only a check of reads keeps them from both becoming odd.
@Suite(.serialized) struct SkewStressTests {
  @Test func `two nodes are never both odd for any kind of read`() async throws {
    let nodes = [Stored(0), Stored(0)]
    let areBothOdd = Computed { _ in nodes.allSatisfy { !$0.wrappedValue.isMultiple(of: 2) } }
    let readers = EveryReader(outside: [
      ("value", { await areBothOdd.value ? "the rule says so" : nil }),
      ("committed value", { areBothOdd.committedValue ?? false ? "the rule says so" : nil }),
      (
        "values",
        {
          let seen = await GraphSnapshot.values(of: nodes[0], nodes[1], areBothOdd)
          return areFine(seen.0, seen.1) && !seen.2 ? nil : "\(seen)"
        }
      ),
      (
        "snapshot",
        {
          await withGraphSnapshot { snapshot in
            let seen = (snapshot[nodes[0]], snapshot[nodes[1]])
            return areFine(seen.0, seen.1) ? nil : "\(seen)"
          }
        }
      ),
    ]) {
      let seen = nodes.map(\.wrappedValue)
      return areFine(seen[0], seen[1]) && !areBothOdd.wrappedValue ? nil : "\(seen)"
    }
    try await readers.run([
      { round, random in
        let place = Int.random(in: 0..<2, using: &random)
        try await withGraphTransaction(maximumAttempts: 100_000) {
          let other = await nodes[1 - place].value
          await Task.yield()
          let mine = nodes[place].wrappedValue
          nodes[place].wrappedValue = other.isMultiple(of: 2) ? mine + 1 : mine + 2 - mine % 2
        }
      },
      { round, random in
        // A lone write of an even number is always allowed.
        let node = nodes[Int.random(in: 0..<2, using: &random)]
        await node.update { $0 += 2 - $0 % 2 }
      },
    ])
  }
}

private func areFine(_ one: Int, _ other: Int) -> Bool {
  one.isMultiple(of: 2) || other.isMultiple(of: 2)
}
