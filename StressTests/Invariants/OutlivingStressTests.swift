import StateGraph
import StateGraphTesting
import Testing

/// Tasks that outlive their transactions, on real threads.
@Suite(.serialized) struct OutlivingStressTests {
  /// A late task sees what its transaction has staged, and then what that has become: between the
  /// two, there is no moment at which it sees neither.
  @Test func `a late task never sees its transaction undone by the commit`() async throws {
    let number = Stored(0)
    // Many writes make the commit take long.
    let others = (0..<100).map { _ in Stored(0) }
    let undone = EventLog<String>()
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
            if seen != expected { undone.record("wrote \(expected), then read \(seen)") }
            await Task.yield()
          }
        }
        for _ in 0..<5 { await Task.yield() }
        return late
      }
      ended.record(true)
      await late.value
    } while .now < deadline && undone.events.isEmpty
    #expect(undone.events.isEmpty, "\(undone.events.prefix(5)) in round \(round)")
  }
}
