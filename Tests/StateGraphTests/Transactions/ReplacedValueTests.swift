import StateGraph
import StateGraphTesting
import Testing

/// Old values are kept only while an open transaction can still need them.
///
/// In a process of its own: any other open transaction counts.
@Suite struct ReplacedValueTests {
  @Test func `nothing is kept while no transaction is open`() async {
    await #expect(processExitsWith: .success) {
      let node = Stored(0)
      for value in 1...100 { await node.set(value) }
      await withGraphTransaction { node.wrappedValue = -1 }
      #expect(await Graph.shared.replacedValueCount == 0)
    }
  }

  @Test func `one value of a node is kept for an open transaction, and dropped at its end`() async {
    await #expect(processExitsWith: .success) {
      let (node, other) = (Stored(0), Stored(0))
      try await withGraphTransaction(maximumAttempts: 1) {
        for value in 1...100 {
          await Task.detached {
            await node.set(value)
            await other.set(value)
          }.value
        }
        #expect(Graph.shared.replacedValueCount == 2)
        #expect(Graph.shared.replacedValueCount(of: node.id) == 1)
      }
      #expect(await Graph.shared.replacedValueCount == 0)
    }
  }

  @Test func `a value goes to the older transaction that needs it, too`() async {
    await #expect(processExitsWith: .success) {
      let node = Stored(0)
      let (begun, end) = ([Gate("a"), Gate("b")], [Gate("end a"), Gate("end b")])
      func begin(_ index: Int) -> Task<Int, any Error> {
        Task {
          try await withGraphTransaction {
            guard GraphTransaction.current?.attempt == 1 else { return -1 }
            begun[index].open()
            try await end[index].pass()
            #expect(node.wrappedValue == index)
            return 0
          }
        }
      }
      let older = begin(0)
      try await begun[0].pass()
      await node.set(1)
      let younger = begin(1)
      try await begun[1].pass()
      await node.set(2)
      await node.set(3)
      // 0 for the older, 1 for the younger; nobody began at 2.
      #expect(await Graph.shared.replacedValueCount == 2)
      end[1].open()
      #expect(try await younger.value == -1)
      #expect(await Graph.shared.replacedValueCount == 1)
      end[0].open()
      #expect(try await older.value == -1)
      #expect(await Graph.shared.replacedValueCount == 0)
    }
  }

  @Test func `with transactions that overlap all the time, what is kept is bounded`() async {
    await #expect(processExitsWith: .success) {
      let nodes = (0..<8).map { _ in Stored(0) }
      let most = EventLog<Int>()
      await withTaskGroup { group in
        for task in 0..<16 {
          group.addTask {
            for round in 0..<100 {
              let node = nodes[(task + round) % 8]
              try? await withGraphTransaction {
                let value = node.wrappedValue
                await Task.yield()
                node.wrappedValue = value + 1
              }
              most.record(await Graph.shared.replacedValueCount)
            }
          }
        }
      }
      // At most one value of each node for each open transaction.
      #expect(most.events.max() ?? 0 <= 8 * 16)
      #expect(await Graph.shared.replacedValueCount == 0)
    }
  }
}
