import StateGraph
import StateGraphTesting
import Testing

@Suite struct AsyncTransactionTests {
  struct Failure: Error, Equatable {}

  @Test func `the body reads its own writes, and others see them at the end, at once`()
    async throws
  {
    let (one, two) = (Stored(0), Stored(0))
    let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
    #expect(await sum.value == 0)
    try await withGraphTransaction {
      one.wrappedValue = 1
      await Task.yield()
      #expect(one.wrappedValue == 1)
      #expect(sum.wrappedValue == 1)
      two.wrappedValue = 2
      #expect(await sum.value == 3)
      #expect(await Task.detached { await [one.value, two.value, sum.value] }.value == [0, 0, 0])
    }
    #expect(await [one.value, two.value, sum.value] == [1, 2, 3])
  }

  @Test func `all writes are one commit`() async throws {
    let nodes = (0..<5).map { _ in Stored(0) }
    var commits = GraphActor.commits().makeAsyncIterator()
    try await withGraphTransaction {
      for node in nodes {
        node.wrappedValue = 1
        await Task.yield()
      }
    }
    let ids = Set(nodes.map(\.id))
    while let commit = await commits.next(isolation: nil) {
      guard let first = commit.changedNodes.first, ids.contains(first) else { continue }
      #expect(commit.changedNodes == nodes.map(\.id))
      break
    }
  }

  @Test func `the result of the body is returned`() async throws {
    let node = Stored(20)
    let result = try await withGraphTransaction {
      await Task.yield()
      return node.wrappedValue + 1
    }
    #expect(result == 21)
  }

  @Test func `no difference, no commit`() async throws {
    let node = Stored(1)
    let version = EventLog<UInt64?>()
    try await withGraphTransaction {
      node.wrappedValue = 2
      await Task.yield()
      node.wrappedValue = 1
      let transaction = GraphTransaction.current
      transaction?.onCommit { version.record(transaction?.commitVersion) }
    }
    #expect(version.events == [nil])
  }

  // MARK: - Errors

  @Test(arguments: 0...4)
  func `an error after some of the writes discards all`(_ count: Int) async {
    let nodes = (0..<4).map { _ in Stored(0) }
    await #expect(throws: Failure()) {
      try await withGraphTransaction {
        for node in nodes.prefix(count) {
          node.wrappedValue = 1
          await Task.yield()
        }
        throw Failure()
      }
    }
    for node in nodes { #expect(await node.value == 0) }
    #expect(GraphTransaction.current == nil)
  }

  @Test func `an inner error that is caught leaves the inner writes`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    try await withGraphTransaction {
      one.wrappedValue = 1
      do {
        try await withGraphTransaction {
          two.wrappedValue = 2
          await Task.yield()
          throw Failure()
        }
      } catch {
        #expect(error as? Failure == Failure())
      }
      #expect(await Task.detached { await two.value }.value == 0)
    }
    #expect(await (one.value, two.value) == (1, 2))
  }

  @Test func `a body that throws is not run again, whatever has changed`() async throws {
    let node = Stored(0)
    let runs = EventLog<Int>()
    await #expect(throws: Failure()) {
      try await withGraphTransaction {
        runs.record(node.wrappedValue)
        await Task.detached { await node.set(1) }.value
        throw Failure()
      }
    }
    #expect(runs.events == [0])
  }

  // MARK: - Taking part

  actor Other {
    func add(_ amount: Int, to node: Stored<Int>) async {
      await node.update { $0 += amount }
    }
  }

  @Test func `other actors and child tasks take part`() async throws {
    let node = Stored(0)
    let other = Other()
    try await withGraphTransaction {
      node.wrappedValue = 1
      await other.add(1, to: node)
      async let three: Void = other.add(1, to: node)
      await three
      await withTaskGroup { group in
        for _ in 0..<7 { group.addTask { await node.update { $0 += 1 } } }
      }
      await Task { await other.add(10, to: node) }.value
      #expect(node.wrappedValue == 20)
      #expect(await Task.detached { await node.value }.value == 0)
    }
    #expect(await node.value == 20)
  }

  @Test func `nested bodies join, synchronous and not, a thousand deep`() async throws {
    let node = Stored(0)
    @GraphActor @Sendable func nest(_ depth: Int) async throws {
      guard depth > 0 else { return }
      withGraphTransaction { node.wrappedValue += 1 }
      try await withGraphTransaction {
        await Task.yield()
        try await nest(depth - 1)
      }
    }
    try await withGraphTransaction {
      let outer = GraphTransaction.current
      try await nest(1_000)
      #expect(GraphTransaction.current === outer)
      #expect(await Task.detached { await node.value }.value == 0)
    }
    #expect(await node.value == 1_000)
  }

  @Test func `a task that outlives the body acts outside`() async throws {
    let node = Stored(0)
    let ended = Gate("the body has ended")
    let late = try await withGraphTransaction {
      await Task.yield()
      return Task {
        try await ended.pass()
        let isInside = GraphTransaction.current != nil
        await node.set(5)
        return isInside
      }
    }
    ended.open()
    let isInside = try await late.value
    #expect(!isInside)
    #expect(await node.value == 5)
  }

  @Test func `a task that outlives a discarded attempt does not join the next`() async throws {
    let node = Stored(0)
    let gate = Gate("late task")
    let tasks = EventLog<Task<Bool, any Error>>()
    try await withGraphTransaction {
      let attempt = GraphTransaction.current?.attempt
      _ = node.wrappedValue
      if attempt == 1 {
        tasks.record(
          Task {
            try await gate.pass()
            return GraphTransaction.current != nil
          })
        await Task.detached { await node.set(1) }.value
      } else {
        gate.open()
        let isInside = try await tasks.events[0].value
        #expect(!isInside)
      }
    }
  }

  @Test func `the current transaction is known inside, and not outside`() async throws {
    #expect(GraphTransaction.current == nil)
    try await withGraphTransaction {
      let current = try #require(GraphTransaction.current)
      await Task.yield()
      #expect(GraphTransaction.current === current)
      async let inChild = GraphTransaction.current === current
      #expect(await inChild)
      await Task.detached { #expect(GraphTransaction.current == nil) }.value
    }
    withExtendedLifetime(Stored(0)) {}
    #expect(GraphTransaction.current == nil)
  }

  // MARK: - What is seen inside

  @Test func `every kind of read agrees`() async throws {
    let node = Stored(0)
    let twice = Computed { _ in node.wrappedValue * 2 }
    _ = await twice.value
    try await withGraphTransaction {
      node.wrappedValue = 21
      await Task.yield()
      #expect(node.wrappedValue == 21)
      #expect(await node.value == 21)
      #expect(twice.wrappedValue == 42)
      #expect(await twice.value == 42)
      var values = node.values.makeAsyncIterator()
      #expect(await values.next(isolation: GraphActor.shared) == 21)
      var twices = twice.values.makeAsyncIterator()
      #expect(await twices.next(isolation: GraphActor.shared) == 42)
      var sums = GraphTrackings { node.wrappedValue + twice.wrappedValue }.makeAsyncIterator()
      #expect(await sums.next(isolation: GraphActor.shared) == 63)
      #expect(try await node.first { $0 > 0 } == 21)
      try await graphWait { twice.wrappedValue == 42 }
    }
    #expect(await twice.value == 42)
  }

  @Test func `a stream that has seen discarded values looks again`() async throws {
    let node = Stored(0)
    let seen = EventLog<Int>()
    let discarded = Gate("discarded")
    let consumer = EventLog<Task<Void, any Error>>()
    await #expect(throws: Failure()) {
      try await withGraphTransaction {
        node.wrappedValue = 1
        // Takes part for its first element, and goes on outside.
        consumer.record(
          Task {
            for await value in node.values {
              seen.record(value)
              try await discarded.pass()
            }
          })
        try await seen.wait { $0 == [1] }
        throw Failure()
      }
    }
    discarded.open()
    try await seen.wait { $0 == [1, 0] }
    consumer.events[0].cancel()
    await node.set(2)
  }

  @Test func `an attempt sees the version at which it began, through every kind of node`()
    async throws
  {
    let (a, b, flag) = (Stored(1), Stored(10), Stored(true))
    let cached = Computed { _ in a.wrappedValue + b.wrappedValue }
    let stale = Computed { _ in a.wrappedValue - b.wrappedValue }
    let fresh = Computed { _ in a.wrappedValue * b.wrappedValue }
    let dynamic = Computed { _ in flag.wrappedValue ? a.wrappedValue : b.wrappedValue }
    let above = Computed { _ in cached.wrappedValue + dynamic.wrappedValue }
    _ = await (cached.value, stale.value, dynamic.value, above.value)
    await a.set(2)
    _ = await (cached.value, dynamic.value)
    let seen = EventLog<[Int]>()
    try await withGraphTransaction {
      let isFirst = GraphTransaction.current?.attempt == 1
      let first = a.wrappedValue
      if isFirst {
        // Others commit, and bring the committed nodes up to date.
        await Task.detached {
          await withGraphTransaction {
            a.wrappedValue = 100
            b.wrappedValue = 1_000
            flag.wrappedValue = false
          }
          _ = await (cached.value, dynamic.value, above.value)
        }.value
      }
      seen.record([
        first, cached.wrappedValue, stale.wrappedValue, fresh.wrappedValue, dynamic.wrappedValue,
        above.wrappedValue, b.wrappedValue,
      ])
    }
    #expect(
      seen.events == [
        [2, 12, -8, 20, 2, 14, 10], [100, 1_100, -900, 100_000, 1_000, 2_100, 1_000],
      ])
  }

  @Test func `a value that is replaced several times is seen as it was`() async throws {
    let node = Stored(0)
    let seen = EventLog<Int>()
    try await withGraphTransaction {
      if GraphTransaction.current?.attempt == 1 {
        await Task.detached { for value in 1...10 { await node.set(value) } }.value
      }
      seen.record(node.wrappedValue)
    }
    #expect(seen.events == [0, 10])
  }

  @Test func `overlapping transactions each see their own version`() async throws {
    let node = Stored(0)
    let seen = EventLog<[Int]>()
    let begun = (0..<5).map { Gate("\($0) has begun") }
    let end = Gate("end")
    await withTaskGroup { group in
      for index in 0..<5 {
        group.addTask {
          _ = try? await withGraphTransaction(maximumAttempts: 1) {
            begun[index].open()
            try await end.pass()
            seen.record([index, node.wrappedValue])
          }
        }
        try? await begun[index].pass()
        await node.set(index + 1)
      }
      end.open()
    }
    #expect(Set(seen.events) == Set((0..<5).map { [$0, $0] }))
  }

  // MARK: - Conflicts

  @Test func `a write without a read meets no conflict`() async throws {
    let node = Stored(0)
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      runs.record(1)
      node.wrappedValue = 5
      await Task.detached { await node.set(1) }.value
    }
    #expect(runs.events == [1])
    #expect(await node.value == 5)
  }

  @Test func `a change of what was not read is no conflict`() async throws {
    let (read, other) = (Stored(0), Stored(0))
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      runs.record(read.wrappedValue)
      await Task.detached { await other.set(1) }.value
      #expect(runs.events.count == 1)
    }
    #expect(runs.events == [0])
  }

  @Test func `a node read only by a branch that was not taken is no conflict`() async throws {
    let (flag, hidden) = (Stored(false), Stored(0))
    let node = Computed { _ in flag.wrappedValue ? hidden.wrappedValue : -1 }
    let runs = EventLog<Int>()
    try await withGraphTransaction {
      runs.record(node.wrappedValue)
      await Task.detached { await hidden.set(1) }.value
    }
    #expect(runs.events == [-1])
  }

  @Test func `the last conflict is an error with the attempts and the names`() async throws {
    let (hot, cold) = (Stored(0, name: "hot"), Stored(0, name: "cold"))
    let viaRule = Computed(name: "rule") { _ in hot.wrappedValue }
    do {
      try await withGraphTransaction(maximumAttempts: 3) {
        _ = (viaRule.wrappedValue, cold.wrappedValue)
        await Task.detached { await hot.update { $0 += 1 } }.value
        cold.wrappedValue = 9
      }
      Issue.record("no conflict")
    } catch GraphTransactionError.conflict {
      // The pattern; the details are below.
    }
    do {
      try await withGraphTransaction(maximumAttempts: 1) {
        _ = viaRule.wrappedValue
        await Task.detached { await hot.update { $0 += 1 } }.value
      }
    } catch let error as GraphTransactionError {
      #expect(error.code == .conflict)
      #expect(error.attempts == 1)
      #expect(error.changedNodes == [hot.id])
      #expect(
        "\(error)"
          == "StateGraph: the transaction was given up after 1 attempts; "
          + "others changed what it had read: hot")
    }
    #expect(await hot.value == 4)
    #expect(await cold.value == 0)
  }

  // MARK: - Handlers

  @Test func `handlers are called once, outside, in their order`() async throws {
    let node = Stored(0)
    let log = EventLog<String>()
    try await withGraphTransaction {
      let transaction = GraphTransaction.current
      let attempt = transaction?.attempt ?? 0
      transaction?.onCommit {
        log.record("commit \(attempt) a, \(GraphTransaction.current == nil), \(node.wrappedValue)")
      }
      transaction?.onCommit { log.record("commit \(attempt) b") }
      transaction?.onRollback { log.record("rollback \(attempt)") }
      node.wrappedValue += 10
      if attempt == 1 { await Task.detached { await node.set(1) }.value }
    }
    #expect(log.events == ["rollback 1", "commit 2 a, true, 11", "commit 2 b"])
  }

  @Test func `a handler's writes are a following commit`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    try await withGraphTransaction {
      one.wrappedValue = 1
      await Task.yield()
      GraphTransaction.current?.onCommit { two.wrappedValue = one.wrappedValue + 1 }
    }
    #expect(await two.value == 2)
  }

  @Test func `handlers of a synchronous transaction`() async throws {
    let node = Stored(0)
    let log = EventLog<String>()
    await withGraphTransaction {
      node.wrappedValue = 1
      GraphTransaction.current?.onCommit { log.record("commit \(node.wrappedValue)") }
    }
    await #expect(throws: Failure()) {
      try await GraphActor.run {
        try withGraphTransaction {
          node.wrappedValue = 2
          GraphTransaction.current?.onRollback { log.record("rollback \(node.wrappedValue)") }
          throw Failure()
        }
      }
    }
    #expect(log.events == ["commit 1", "rollback 1"])
  }

  @Test func `an assignment handler that writes joins`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    await one.onDidSet { _, new in two.wrappedValue = new * 2 }
    try await withGraphTransaction {
      one.wrappedValue = 4
      await Task.yield()
      #expect(two.wrappedValue == 8)
      #expect(await Task.detached { await two.value }.value == 0)
    }
    #expect(await two.value == 8)
  }

  // MARK: - Cancellation

  @Test func `a body that never returns is discarded when it is cancelled`() async throws {
    let node = Stored(0)
    let begun = Gate("begun")
    let task = Task {
      try await withGraphTransaction {
        node.wrappedValue = 1
        begun.open()
        try await Gate("never opened").pass()
      }
    }
    try await begun.pass()
    await node.set(7)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await node.value == 7)
    // The next one works.
    try await withGraphTransaction {
      await Task.yield()
      node.wrappedValue += 1
    }
    #expect(await node.value == 8)
  }

  @Test func `a body that returns although it is cancelled is committed`() async throws {
    let node = Stored(0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await withGraphTransaction {
        await Task.yield()
        node.wrappedValue = 1
      }
    }
    try await task.value
    #expect(await node.value == 1)
  }

  @Test func `no attempt follows a conflict in a cancelled task`() async throws {
    let node = Stored(0)
    let runs = EventLog<Int>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await withGraphTransaction {
        runs.record(node.wrappedValue)
        await Task.detached { await node.update { $0 += 1 } }.value
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.events == [0])
  }

  // MARK: - Waiting for others

  @Test func `a body that waits for another writer does not hold it up`() async throws {
    let (one, two, three) = (Stored(0), Stored(0), Stored(0))
    try await withGraphTransaction {
      one.wrappedValue = 1
      await Task.detached { await two.set(1) }.value
      await Task.detached { await withGraphTransaction { two.wrappedValue = 2 } }.value
      try await Task.detached {
        try await withGraphTransaction {
          await Task.yield()
          three.wrappedValue = two.wrappedValue + 1
        }
      }.value
    }
    #expect(await (one.value, two.value, three.value) == (1, 2, 3))
  }

  @Test func `after a conflict, too, a body may wait for another transaction`() async throws {
    let (hot, other) = (Stored(0), Stored(0))
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      _ = hot.wrappedValue
      if attempts.events.count == 1 { await Task.detached { await hot.set(1) }.value }
      // This one may have to wait for the turn that the outer one has, and goes on without it.
      try await Task.detached {
        try await withGraphTransaction {
          await Task.yield()
          other.wrappedValue += 1
        }
      }.value
    }
    #expect(attempts.events == [1, 2])
    #expect(await other.value == 2)
  }

  @Test func `nodes that are made and released inside are forgotten`() async throws {
    let kept = Stored(0)
    try await withGraphTransaction {
      for value in 1...10 {
        let made = Stored(value)
        let rule = Computed { _ in made.wrappedValue + kept.wrappedValue }
        made.wrappedValue += 1
        #expect(rule.wrappedValue == value + 1)
        await GraphActor.settle()
      }
    }
    #expect(await kept.value == 0)
  }
}
