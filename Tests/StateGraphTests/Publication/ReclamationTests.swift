import StateGraph
import StateGraphTesting
import Testing

/// When replaced values are freed.
@Suite struct ReclamationTests {
  private final class Payload: Sendable {
    let token: LiveCount.Token
    let number: Int

    init(_ count: LiveCount, _ number: Int) {
      token = count.token()
      self.number = number
    }
  }

  @Test func `a replaced value is freed by the commit that replaces it`() async throws {
    let alive = LiveCount()
    let node = Stored(Payload(alive, 0))
    for round in 1...100 { await node.set(Payload(alive, round)) }
    // Other code of the process may be reading at the moment.
    try await alive.wait(for: 1)
    #expect(node.committedValue.number == 100)
  }

  @Test func `a published result is freed when it has been replaced`() async throws {
    let alive = LiveCount()
    let count = Stored(0)
    let payload = Computed { _ in Payload(alive, count.wrappedValue) }
    for round in 1...100 {
      #expect(await payload.value.number == round - 1)
      await count.set(round)
    }
    #expect(await payload.value.number == 100)
    try await alive.wait(for: 1)
  }

  @Test func `the values go with their node`() async throws {
    let alive = LiveCount()
    func use() async {
      let node = Stored(Payload(alive, 0))
      let copy = node.map { Payload(alive, $0.number) }
      _ = await copy.value
      await node.set(Payload(alive, 1))
      _ = await copy.value
    }
    await use()
    try await alive.wait(for: 0)
  }

  @Test func `garbage stays bounded while readers keep reading, and goes when they stop`()
    async throws
  {
    let alive = LiveCount()
    let node = Stored(Payload(alive, 0))
    let rounds = 20_000
    await withTaskGroup { group in
      for _ in 0..<3 {
        group.addTask {
          var last = 0
          while last < rounds {
            for _ in 0..<100 {
              let number = node.committedValue.number
              #expect(number >= last)
              last = number
            }
            await Task.yield()
          }
        }
      }
      group.addTask {
        var most = 0
        for round in 1...rounds {
          await node.set(Payload(alive, round))
          most = max(most, alive.current)
        }
        // A reader that is interrupted by the system holds up what is replaced meanwhile.
        #expect(most < rounds / 2)
      }
    }
    try await alive.wait(for: 1)
  }

  @Test func `a node of plain data uses few boxes, however often it is written`() async {
    await #expect(processExitsWith: .success) {
      let node = Stored(0)
      await GraphActor.run {
        for round in 1...10_000 { node.wrappedValue = round }
        precondition(Graph.shared.retiredValueCount == 0)
      }
      precondition(node.committedValue == 10_000)
    }
  }

  // MARK: - Epochs

  @Test func `an epoch is over when all readers of it and of the one before have ended`() {
    let readers = ReaderEpochs()
    let first = readers.begin()
    let replacedIn = readers.epoch
    #expect(readers.advance())
    #expect(!readers.advance(), "a reader of the epoch before the current one is reading")
    #expect(!readers.isOver(replacedIn))
    let second = readers.begin()
    readers.end(first)
    #expect(readers.advance())
    #expect(readers.isOver(replacedIn))
    #expect(!readers.advance())
    readers.end(second)
    #expect(readers.advance())
  }

  @Test func `readers inside each other are counted`() {
    let readers = ReaderEpochs()
    let outer = readers.begin()
    let inner = readers.begin()
    #expect(readers.advance())
    readers.end(inner)
    #expect(!readers.advance())
    readers.end(outer)
    #expect(readers.advance())
  }
}
