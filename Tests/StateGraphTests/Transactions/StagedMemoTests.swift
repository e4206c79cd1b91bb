import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// What an attempt has computed stays computed.
@Suite(.timeLimit(.minutes(5))) struct StagedMemoTests {
  /// A tree of sums over leaves, and the number of runs of its rules.
  private final class Tree: Sendable {
    let leaves: [Stored<Int>]
    let root: Computed<Int>
    private let runCounter: RunCounter

    init(leafCount: Int) {
      leaves = (0..<leafCount).map { Stored($0) }
      var row = leaves.map { leaf in leaf.map { $0 } }
      let counter = RunCounter()
      while row.count > 1 {
        let below = row
        row = stride(from: 0, to: below.count, by: 2).map { index in
          let (left, right) = (below[index], below[min(index + 1, below.count - 1)])
          return Computed { _ in
            counter.add()
            return left.wrappedValue + (left.id == right.id ? 0 : right.wrappedValue)
          }
        }
      }
      root = row[0]
      runCounter = counter
    }

    var runs: Int { runCounter.value }
  }

  /// Counts runs, on any thread.
  private final class RunCounter: Sendable {
    private let runs = Atomic(0)
    func add() { runs.add(1, ordering: .relaxed) }
    var value: Int { runs.load(ordering: .relaxed) }
  }

  @Test func `no rule runs twice in an attempt while others commit elsewhere`() async throws {
    let tree = Tree(leafCount: 512)
    let other = Stored(0)
    #expect(await tree.root.value == 512 * 511 / 2)
    let before = tree.runs
    try await withGraphTransaction {
      for leaf in tree.leaves { leaf.wrappedValue += 1 }
      for round in 1...100 {
        #expect(tree.root.wrappedValue == 512 * 511 / 2 + 512)
        await outside { await other.set(round) }
      }
    }
    // 511 rules above the leaves, once for the attempt and once for the commit.
    #expect(await tree.root.value == 512 * 511 / 2 + 512)
    #expect(tree.runs - before == 2 * 511)
  }

  @Test func `no rule runs while nothing is staged upstream`() async throws {
    let tree = Tree(leafCount: 64)
    let other = Stored(0)
    #expect(await tree.root.value == 64 * 63 / 2)
    let before = tree.runs
    try await withGraphTransaction {
      for round in 1...100 {
        #expect(tree.root.wrappedValue == 64 * 63 / 2)
        await outside { await other.set(round) }
      }
    }
    #expect(tree.runs == before)
  }

  @Test func `a commit of others upstream is not seen, whatever is cached by then`() async throws {
    let (a, b) = (Stored(1), Stored(1))
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    let double = sum.map { $0 * 2 }
    #expect(await double.value == 4)
    let attempts = EventLog<[Int]>()
    try await withGraphTransaction {
      a.wrappedValue = 10
      var seen = [double.wrappedValue]
      if GraphTransaction.current?.attempt == 1 {
        await outside {
          await b.set(5)
          _ = await double.value
        }
      }
      seen.append(double.wrappedValue)
      attempts.record(seen)
    }
    #expect(attempts.events == [[22, 22], [30, 30]])
    #expect(await double.value == 30)
  }

  @Test func `an assignment makes the rules behind it run again`() async throws {
    let (a, b) = (Stored(1), Stored(1))
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    try await withGraphTransaction {
      a.wrappedValue = 10
      #expect(sum.wrappedValue == 11)
      await Task.yield()
      b.wrappedValue = 10
      #expect(sum.wrappedValue == 20)
      a.wrappedValue = 1
      #expect(sum.wrappedValue == 11)
    }
    #expect(await sum.value == 11)
  }

  @Test func `an async node that the attempt has made works`() async throws {
    let source = Stored(2)
    let attempts = EventLog<Int>()
    let result = try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      let node = AsyncComputed { await source.value * 2 }
      let next = AsyncComputed { try await node.value + 1 }
      return try await next.value
    }
    #expect(result == 5)
    #expect(attempts.events == [1])
  }

  @Test func `what such a node has read, the transaction has read`() async throws {
    let (source, target) = (Stored(2), Stored(0))
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      let attempt = GraphTransaction.current?.attempt ?? 0
      attempts.record(attempt)
      target.wrappedValue = try await AsyncComputed { await source.value * 2 }.value
      if attempt == 1 { await outside { await source.set(3) } }
    }
    #expect(attempts.events == [1, 2])
    #expect(await target.value == 6)
  }

  @Test func `if it depends on what the transaction has written, the call throws`() async throws {
    let source = Stored(2)
    let error = await #expect(throws: GraphTransactionError.self) {
      try await withGraphTransaction {
        source.wrappedValue = 3
        return try await AsyncComputed { await source.value * 2 }.value
      }
    }
    #expect(error?.code == .unsettled)
  }
}
