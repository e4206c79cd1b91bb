import StateGraph
import StateGraphTesting
import Testing

/// Replaced values are freed while readers keep reading, and all of them in the end.
@Suite(.serialized) struct ReclamationStressTests {
  @Test func `reads one by one hold up little`() async {
    await #expect(processExitsWith: .success) {
      await replace { node, copy in
        let first = await node.value
        let second = node.committedValue
        let third = copy.committedValue
        precondition(second.number >= first.number, "\(second.number) after \(first.number)")
        return first.isWhole && second.isWhole && (third?.isWhole ?? true)
      }
    }
  }

  @Test func `reads of several nodes hold up little`() async {
    await #expect(processExitsWith: .success) {
      await replace { node, copy in
        let (one, other) = await GraphSnapshot.values(of: node, copy)
        precondition(one.number == other.number, "\(one.number) beside \(other.number)")
        return one.isWhole && other.isWhole
      }
    }
  }

  @Test func `streams that are read without the actor hold up little`() async {
    await #expect(processExitsWith: .success) {
      await replace { node, copy in
        var last = -1
        // A few elements: what an unbounded buffer keeps for its consumer is no garbage.
        for await change in node.changes(buffering: .latest) {
          precondition(change.value.number > last && change.value.isWhole)
          last = change.value.number
          if last.isMultiple(of: 8) || node.committedValue.number == last { break }
          await Task.yield()
        }
        return copy.committedValue?.isWhole ?? true
      }
    }
  }
}

/// Replaces a value on the heap again and again under three readers that hammer.
///
/// The bound on what is alive is wide, because a reader that the system interrupts holds up all that
/// is replaced meanwhile; without reclamation under readers nothing would be freed, and the bound
/// would be met by far.
///
/// - Parameter read: Reads the node and one derived from it; says whether what it got is whole.
private func replace(
  _ read:
    @escaping @Sendable (Stored<ObservedValue>, Computed<ObservedValue>) async -> Bool
) async {
  let alive = LiveCount()
  let rounds = 20_000 * StressScale.factor
  do {
    let node = Stored(ObservedValue(0, alive))
    let copy = Computed { _ in ObservedValue(node.wrappedValue.number, alive) }
    await withTaskGroup { group in
      for _ in 0..<3 {
        group.addTask {
          while node.committedValue.number < rounds {
            for _ in 0..<10 {
              let isWhole = await read(node, copy)
              precondition(isWhole, "a value was freed under its reader")
            }
            await Task.yield()
          }
        }
      }
      group.addTask {
        var most = 0
        for round in 1...rounds {
          await node.set(ObservedValue(round, alive))
          most = max(most, alive.current)
          if round.isMultiple(of: 100) { await Task.yield() }
        }
        precondition(most < rounds / 2, "\(most) of \(rounds) values were alive at a time")
        // Readers are still at it.
        precondition(alive.freed > rounds / 2, "\(alive.freed) values have been freed")
      }
    }
  }
  await Baseline.expectNothing(of: alive)
}
