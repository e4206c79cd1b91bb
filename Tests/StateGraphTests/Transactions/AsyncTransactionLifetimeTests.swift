import StateGraph
import StateGraphTesting
import Testing

/// What an open transaction holds on to, and what it leaves behind.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionLifetimeTests {
  @Test func `a late task does not keep what its transaction has staged`() async throws {
    let alive = LiveCount()
    let node = Stored<LiveCount.Token?>(nil)
    let gate = Gate("late task")
    let late = EventLog<Task<Void, Never>>()
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        node.wrappedValue = alive.token()
        await Task.yield()
        late.record(Task { try? await gate.pass() })
        throw Refused()
      }
    }
    #expect(alive.current == 0)
    gate.open()
    await late.events.first?.value
  }

  private struct Refused: Error {}

  @Test func `nodes may be released while a transaction is open`() async throws {
    let kept = Stored(0)
    try await withGraphTransaction {
      for round in 0..<50 {
        let a = Stored(round)
        let b = Computed { _ in a.wrappedValue + kept.wrappedValue }
        #expect(b.wrappedValue == round)
        a.wrappedValue = round + 1
        #expect(b.wrappedValue == round + 1)
        // Somebody else enters the actor, which removes what has been released.
        await outside { await GraphActor.run {} }
      }
      let made = Stored(1)
      let double = made.map { $0 * 2 }
      #expect(double.wrappedValue == 2)
    }
    await GraphActor.run { #expect(Graph.shared.brokenInvariants() == []) }
    #expect(await kept.value == 0)
  }

  @Test func `a node whose owner goes in the body is committed without harm`() async throws {
    let a = Stored(0)
    try await withGraphTransaction {
      do {
        let temporary = Stored(0)
        let double = temporary.map { $0 * 2 }
        temporary.wrappedValue = 1
        #expect(double.wrappedValue == 2)
        a.wrappedValue = double.wrappedValue
      }
      await outside { await GraphActor.run {} }
    }
    #expect(await a.value == 2)
    await GraphActor.run { #expect(Graph.shared.brokenInvariants() == []) }
  }

  @Test func `replaced values are kept only while a transaction is open`() async {
    await #expect(processExitsWith: .success) {
      let a = Stored(0)
      let alive = LiveCount()
      let big = Stored(alive.token())
      @Sendable func count() async -> Int {
        await GraphActor.run { Graph.shared.replacedValueCount }
      }
      for _ in 0..<100 {
        await a.set(a.value + 1)
        await big.set(alive.token())
      }
      #expect(await count() == 0)
      try? await withGraphTransaction {
        _ = a.wrappedValue
        await outside {
          for _ in 0..<100 {
            await a.update { $0 += 1 }
            await big.set(alive.token())
          }
        }
        // The value as of the begin, one for each node, and no other.
        #expect(await outside { await count() } == 2)
        throw Refused()
      }
      #expect(await count() == 0)
      #expect(alive.current == 1)
      withExtendedLifetime(big) {}
    }
  }

  @Test func `with 16 overlapping tasks, what is kept does not grow`() async {
    await #expect(processExitsWith: .success) {
      let nodes = (0..<4).map { _ in Stored(0) }
      await withTaskGroup { group in
        for task in 0..<16 {
          group.addTask {
            for round in 0..<200 {
              try? await withGraphTransaction(maximumAttempts: 100) {
                let node = nodes[(task + round) % 4]
                let value = node.wrappedValue
                await Task.yield()
                node.wrappedValue = value + 1
              }
              let kept = await GraphActor.run { Graph.shared.replacedValueCount }
              // Each open transaction needs at most one value of each node.
              #expect(kept <= 16 * 4)
            }
          }
        }
      }
      #expect(await GraphActor.run { Graph.shared.replacedValueCount } == 0)
      #expect(await GraphActor.run { nodes.reduce(0) { $0 + $1.wrappedValue } } == 3_200)
      await GraphActor.run {
        #expect(Graph.shared.nodeCount <= 4)
        #expect(Graph.shared.edgeCount == 0)
      }
    }
  }

  @Test func `streams begun in transactions leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let a = Stored(0)
      for round in 1...20 {
        try? await withGraphTransaction {
          a.wrappedValue = round
          for await value in a.values {
            #expect(value == round)
            break
          }
          if round.isMultiple(of: 2) { throw Refused() }
        }
      }
      #expect(await a.value == 19)
      await GraphActor.run {
        #expect(Graph.shared.nodeCount == 1)
        #expect(Graph.shared.edgeCount == 0)
        #expect(Graph.shared.brokenInvariants() == [])
      }
    }
  }
}
