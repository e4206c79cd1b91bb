import StateGraph
import StateGraphTesting
import Testing

/// Tasks that outlive their transactions, on real threads.
@Suite(.serialized) struct OutlivingStressTests {
  /// A late task sees what its transaction has staged, and then what that has become: between the
  /// two, there is no moment at which it sees neither.
  @Test func `a late task never sees its transaction undone by the commit`() async {
    // Beside other tests there is no thread for a task to read on in the middle of a commit.
    await #expect(processExitsWith: .success) {
      let number = Stored(0)
      // Many writes make the commit take long.
      let others = (0..<100).map { _ in Stored(0) }
      let deadline = StressScale.deadline(after: 2)
      var round = 0
      repeat {
        round += 1
        let expected = round
        let ended = EventLog<Bool>()
        let late = try await withGraphTransaction {
          for node in others { node.wrappedValue = expected }
          number.wrappedValue = expected
          let late = Task { @concurrent in
            while ended.events.isEmpty {
              let seen = await number.value
              precondition(seen == expected, "wrote \(expected), then read \(seen)")
              await Task.yield()
            }
          }
          for _ in 0..<5 { await Task.yield() }
          return late
        }
        ended.record(true)
        await late.value
      } while .now < deadline
    }
  }
}
