import StateGraph
import Testing

/// Transactions with a synchronous body.
@Suite struct WithGraphTransactionTests {
  private struct Refused: Error {}

  @Test @GraphActor func `writes become one commit, and each node is compared once`() async {
    let log = Recorder()
    let a = Stored(0, name: "a") { old, new in
      log.record("\(old) == \(new)")
      return old == new
    }
    let b = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    withGraphTransaction {
      a.wrappedValue = 1
      a.wrappedValue = 2
      b.wrappedValue = 1
      a.wrappedValue = 3
    }
    #expect(log.take() == ["0 == 3"])
    var own: [GraphCommit] = []
    while own.isEmpty, let commit = await commits.next(isolation: GraphActor.shared) {
      if commit.changedNodes.contains(a.id) { own.append(commit) }
    }
    #expect(own.map(\.changedNodes) == [[a.id, b.id]])
  }

  @Test @GraphActor func `the error of the body keeps its type`() {
    func refuse() throws(Refused) { throw Refused() }
    do {
      try withGraphTransaction { () throws(Refused) in
        try withGraphSavepoint { () throws(Refused) in try refuse() }
      }
    } catch {
      // It would not compile if the type were lost.
      let refused: Refused = error
      _ = refused
    }
  }

  @Test @GraphActor func `the body reads its own writes, everybody else the committed graph`() async
  {
    let a = Stored(0)
    let double = a.map { $0 * 2 }
    let follower = a.changes(buffering: .unbounded)
    var iterator = follower.makeAsyncIterator()
    _ = await iterator.next(isolation: GraphActor.shared)
    withGraphTransaction {
      a.wrappedValue = 5
      #expect(a.wrappedValue == 5)
      #expect(double.wrappedValue == 10)
    }
    #expect(await iterator.next(isolation: GraphActor.shared)?.value == 5)
  }

  @Test @GraphActor func `a write that is taken back makes no commit`() async {
    let a = Stored(0)
    let log = Recorder()
    let derived = Computed { _ in
      log.record("run")
      return a.wrappedValue
    }
    #expect(derived.wrappedValue == 0)
    let before = Graph.shared.version
    withGraphTransaction {
      a.wrappedValue = 1
      a.wrappedValue = 0
    }
    #expect(Graph.shared.version == before)
    #expect(derived.wrappedValue == 0)
    #expect(log.take() == ["run"])
  }

  @Test @GraphActor func `an error that escapes discards everything`() {
    let a = Stored(0)
    let b = Stored(0)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    let before = Graph.shared.version
    #expect(throws: Refused.self) {
      try withGraphTransaction {
        a.wrappedValue = 1
        b.wrappedValue = 2
        #expect(sum.wrappedValue == 3)
        throw Refused()
      }
    }
    #expect([a.wrappedValue, b.wrappedValue, sum.wrappedValue] == [0, 0, 0])
    #expect(Graph.shared.version == before)
    a.wrappedValue = 7
    #expect(sum.wrappedValue == 7)
  }

  @Test(arguments: 0..<5)
  @GraphActor
  func `a throw after any of the writes leaves nothing`(place: Int) {
    let nodes = (0..<5).map { Stored($0) }
    #expect(throws: Refused.self) {
      try withGraphTransaction {
        for (index, node) in nodes.enumerated() {
          node.wrappedValue += 100
          if index == place { throw Refused() }
        }
      }
    }
    #expect(nodes.map(\.wrappedValue) == [0, 1, 2, 3, 4])
  }

  @Test @GraphActor func `nested calls join, and a caught inner error keeps the inner writes`() {
    let a = Stored(0)
    let b = Stored(0)
    let before = Graph.shared.version
    withGraphTransaction {
      a.wrappedValue = 1
      do {
        try withGraphTransaction {
          b.wrappedValue = 2
          throw Refused()
        }
      } catch {}
      withGraphTransaction { a.wrappedValue += 10 }
    }
    #expect(a.wrappedValue == 11)
    #expect(b.wrappedValue == 2)
    #expect(Graph.shared.version == before + 1)
  }

  @Test @GraphActor func `1,000 nested calls join`() {
    let a = Stored(0)
    let before = Graph.shared.version
    func nest(_ depth: Int) {
      withGraphTransaction {
        a.wrappedValue += 1
        if depth > 1 { nest(depth - 1) }
      }
    }
    nest(1_000)
    #expect(a.wrappedValue == 1_000)
    #expect(Graph.shared.version == before + 1)
  }

  @Test @GraphActor func `the value of the body is returned`() {
    let a = Stored(1)
    #expect(withGraphTransaction { a.wrappedValue + 1 } == 2)
    let nothing: Int? = withGraphTransaction { nil }
    #expect(nothing == nil)
  }

  @Test func `a task that outlives the body acts outside`() async {
    let a = Stored(0)
    let task = await withGraphTransaction {
      a.wrappedValue = 1
      return Task { await a.update { $0 += 10 } }
    }
    await task.value
    #expect(await a.value == 11)
  }

  @Test func `a task that outlives a discarded body acts outside`() async {
    let a = Stored(0)
    let started = await GraphActor.run {
      var task: Task<Void, Never>?
      do {
        try withGraphTransaction {
          a.wrappedValue = 1
          task = Task { await a.update { $0 += 10 } }
          throw Refused()
        }
      } catch {}
      return task
    }
    await started?.value
    #expect(await a.value == 10)
  }

  @Test func `concurrent transactions keep the sum of accounts`() async {
    let accounts = (0..<10).map { _ in Stored(100) }
    let total = Computed { _ in accounts.reduce(0) { $0 + $1.wrappedValue } }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for step in 0..<200 {
            let from = accounts[(task + step) % 10]
            let to = accounts[(task * 3 + step * 7 + 1) % 10]
            await withGraphTransaction {
              from.wrappedValue -= 1
              to.wrappedValue += 1
            }
          }
        }
        group.addTask {
          for _ in 0..<200 { #expect(await total.value == 1_000) }
        }
      }
    }
    #expect(await total.value == 1_000)
  }
}
