import StateGraph
import StateGraphTesting
import Testing

/// Transactions whose body awaits: what it sees, what others see, and how it ends.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionTests {
  private struct Refused: Error {}

  @Test func `the body reads its own writes, others the committed graph until the commit`()
    async throws
  {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    #expect(await double.value == 0)
    try await withGraphTransaction {
      a.wrappedValue = 1
      await Task.yield()
      #expect(a.wrappedValue == 1)
      #expect(await a.value == 1)
      #expect(double.wrappedValue == 2)
      #expect(await double.value == 2)
      #expect(await outside { await a.value } == 0)
      #expect(await outside { await double.value } == 0)
      #expect(double.wrappedValue == 2)
      await a.update { $0 += 1 }
      #expect(double.wrappedValue == 4)
    }
    #expect(await a.value == 2)
    #expect(await double.value == 4)
  }

  @Test func `the first element of a stream is what the body sees`() async throws {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    try await withGraphTransaction {
      a.wrappedValue = 5
      var values = a.values.makeAsyncIterator()
      var doubles = double.values.makeAsyncIterator()
      var sums = GraphTrackings { a.wrappedValue + double.wrappedValue }.makeAsyncIterator()
      #expect(await values.next(isolation: GraphActor.shared) == 5)
      #expect(await doubles.next(isolation: GraphActor.shared) == 10)
      #expect(await sums.next(isolation: GraphActor.shared) == 15)
      #expect(await double.value == 10)
    }
  }

  @Test func `a stream that has seen a staged value sees it taken back`() async throws {
    let a = Stored(0)
    let seen = EventLog<Int>()
    let values = try await withGraphTransaction {
      a.wrappedValue = 5
      var values = a.values.makeAsyncIterator()
      if let value = await values.next(isolation: GraphActor.shared) { seen.record(value) }
      a.wrappedValue = 0
      return Iterator(values)
    }
    if let value = await values.next() { seen.record(value) }
    #expect(seen.events == [5, 0])
    withExtendedLifetime(a) {}
  }

  @Test func `a stream that has seen a discarded value sees the committed one`() async {
    let a = Stored(0)
    let seen = EventLog<Int>()
    let kept = Keep<Iterator>()
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        a.wrappedValue = 5
        var values = a.values.makeAsyncIterator()
        if let value = await values.next(isolation: GraphActor.shared) { seen.record(value) }
        kept.value = Iterator(values)
        throw Refused()
      }
    }
    if let value = await kept.value?.next() { seen.record(value) }
    #expect(seen.events == [5, 0])
    withExtendedLifetime(a) {}
  }

  @Test func `the writes become one commit with the nodes that differ`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let c = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    let version = try await withGraphTransaction { () -> GraphTransaction? in
      a.wrappedValue = 1
      await Task.yield()
      b.wrappedValue = 2
      c.wrappedValue = 3
      await Task.yield()
      c.wrappedValue = 0
      return GraphTransaction.current
    }
    let ended = try #require(version)
    await a.set(9)
    var own: [GraphCommit] = []
    while own.count < 2, let commit = await commits.next() {
      if !Set(commit.changedNodes).isDisjoint(with: [a.id, b.id, c.id]) { own.append(commit) }
    }
    #expect(own.map(\.changedNodes) == [[a.id, b.id], [a.id]])
    #expect(await ended.commitVersion == own.first?.version)
    withExtendedLifetime((a, b, c)) {}
  }

  @Test func `a body that changes nothing makes no commit`() async throws {
    let a = Stored(0)
    let ended = try await withGraphTransaction { () -> GraphTransaction? in
      a.wrappedValue = 1
      await Task.yield()
      a.wrappedValue = 0
      return GraphTransaction.current
    }
    #expect(await ended?.commitVersion == nil)
    #expect(await a.value == 0)
  }

  @Test(arguments: 0..<5)
  func `an error after any of the writes discards all`(place: Int) async {
    let nodes = (0..<5).map { Stored($0) }
    let sum = Computed { _ in nodes.reduce(0) { $0 + $1.wrappedValue } }
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        for (index, node) in nodes.enumerated() {
          node.wrappedValue += 100
          await Task.yield()
          #expect(sum.wrappedValue == 10 + (index + 1) * 100)
          if index == place { throw Refused() }
        }
      }
    }
    #expect(await GraphActor.run { nodes.map(\.wrappedValue) } == [0, 1, 2, 3, 4])
    #expect(await sum.value == 10)
  }

  @Test func `an error is thrown once, without another attempt`() async {
    let runs = EventLog<String>()
    let a = Stored(0)
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        runs.record("run")
        _ = a.wrappedValue
        await outside { await a.set(1) }
        throw Refused()
      }
    }
    #expect(runs.events == ["run"])
  }

  @Test func `a handler of assignments that writes joins`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    await a.onDidSet { _, new in b.wrappedValue = new * 2 }
    try await withGraphTransaction {
      a.wrappedValue = 3
      await Task.yield()
      #expect(b.wrappedValue == 6)
      #expect(await outside { await b.value } == 0)
    }
    #expect(await b.value == 6)
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        await a.set(7)
        throw Refused()
      }
    }
    #expect(await b.value == 6)
  }

  @Test func `a cancelled body that throws commits nothing, one that returns commits`() async {
    let a = Stored(0)
    let gate = Gate("in the body")
    let throwing = Task {
      try await withGraphTransaction {
        a.wrappedValue = 1
        try await gate.pass()
      }
    }
    let returning = Task {
      try await withGraphTransaction {
        a.wrappedValue = 2
        try? await gate.pass()
      }
    }
    try? await gate.arrivals(2)
    throwing.cancel()
    await #expect(throws: CancellationError.self) { try await throwing.value }
    #expect(await a.value == 0)
    returning.cancel()
    await #expect(throws: Never.self) { try await returning.value }
    #expect(await a.value == 2)
  }

  @Test func `a retry is not begun in a cancelled task`() async {
    let a = Stored(0)
    let runs = EventLog<String>()
    let gate = Gate("before the end")
    let task = Task {
      try await withGraphTransaction {
        runs.record("run")
        _ = a.wrappedValue
        try? await gate.pass()
      }
    }
    try? await gate.arrivals(1)
    await a.set(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.events == ["run"])
  }
}

/// An iterator that can be handed on.
// SAFETY: One task at a time uses it; whoever hands it on is ordered before.
private final class Iterator: @unchecked Sendable {
  private var base: GraphValues<Int>.Iterator

  init(_ base: GraphValues<Int>.Iterator) {
    self.base = base
  }

  func next() async -> Int? { await base.next(isolation: nil) }
}

/// A place for what a body has made.
// SAFETY: Written in the body, read when that has ended.
private final class Keep<Value: Sendable>: @unchecked Sendable {
  var value: Value?
}
