import StateGraph
import Testing

/// Streams of the values of an expression.
@Suite struct TrackingStreamTests {
  @Test func `there is an element now and one after each commit that changed what was read`() async
  {
    let a = Stored(1)
    let b = Stored(2)
    let unread = Stored(0)
    var sums = GraphTrackings { a.wrappedValue + b.wrappedValue }.makeAsyncIterator()
    #expect(await sums.next(isolation: nil) == 3)
    await unread.set(1)
    await a.set(2)
    #expect(await sums.next(isolation: nil) == 4)
    await withGraphTransaction {
      a.wrappedValue = 10
      b.wrappedValue = 20
    }
    #expect(await sums.next(isolation: nil) == 30)
  }

  @Test func `what is read is tracked anew in every run`() async {
    let log = Recorder()
    let flag = Stored(true)
    let a = Stored("a")
    let b = Stored("b")
    var values = GraphTrackings {
      log.record("run")
      return flag.wrappedValue ? a.wrappedValue : b.wrappedValue
    }.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == "a")
    await b.set("b2")
    await flag.set(false)
    #expect(await values.next(isolation: nil) == "b2")
    await a.set("a2")
    await b.set("b3")
    #expect(await values.next(isolation: nil) == "b3")
    #expect(await log.take() == ["run", "run", "run"])
  }

  @Test func `an unchanged computed node does not run the expression again`() async {
    let log = Recorder()
    let node = Stored(1)
    let other = Stored(0)
    let parity = node.map { $0 % 2 }
    var values = GraphTrackings {
      log.record("run")
      return parity.wrappedValue + other.wrappedValue
    }.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 1)
    await node.set(3)
    async let next = values.next(isolation: nil)
    await node.set(5)
    await other.set(10)
    #expect(await next == 11)
    #expect(await log.take() == ["run", "run"])
  }

  @Test func `a thrown error ends the sequence and reaches the consumer`() async throws {
    struct TooLarge: Error, Equatable { let value: Int }
    let node = Stored(1)
    var values = GraphTrackings { () throws(TooLarge) -> Int in
      guard node.wrappedValue < 3 else { throw TooLarge(value: node.wrappedValue) }
      return node.wrappedValue
    }.makeAsyncIterator()
    #expect(try await values.next(isolation: nil) == 1)
    await node.set(3)
    await #expect(throws: TooLarge(value: 3)) { try await values.next(isolation: nil) }
    await node.set(1)
    #expect(try await values.next(isolation: nil) == nil)
  }

  @Test func `an expression can end its sequence`() async {
    let node = Stored(0)
    let values = GraphTrackings<Int, Never>.untilFinished {
      node.wrappedValue > 2 ? .finish : .next(node.wrappedValue)
    }
    var received: [Int] = []
    for await value in values {
      received.append(value)
      await node.update { $0 += 1 }
    }
    #expect(received == [0, 1, 2])
  }

  @Test func `an expression's own write does not make it run again`() async {
    let log = Recorder()
    let trigger = Stored(0)
    let count = Stored(0)
    var values = GraphTrackings {
      log.record("run")
      count.wrappedValue += 1
      return trigger.wrappedValue + count.wrappedValue
    }.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 1)
    await trigger.set(10)
    #expect(await values.next(isolation: nil) == 12)
    async let next = values.next(isolation: nil)
    await count.set(100)
    #expect(await next == 111)
    #expect(await log.take() == ["run", "run", "run"])
  }

  @Test func `an expression's own write that a computed node brings back makes it run again`() async
  {
    let source = Stored(5)
    let isHigh = source.map { $0 > 3 }
    var values = GraphTrackings {
      if isHigh.wrappedValue { source.wrappedValue = 0 }
      return source.wrappedValue
    }.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 0)
    #expect(await values.next(isolation: nil) == 0)
    await source.set(9)
    #expect(await values.next(isolation: nil) == 0)
    #expect(await isHigh.value == false)
  }

  @Test func `an expression may open a transaction, and what it reads in it is tracked`() async {
    let a = Stored(1)
    let b = Stored(1)
    let double = a.map { $0 * 2 }
    var values = GraphTrackings {
      withGraphTransaction {
        b.wrappedValue = double.wrappedValue
        return b.wrappedValue
      }
    }.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 2)
    await a.set(5)
    #expect(await values.next(isolation: nil) == 10)
    #expect(await b.value == 10)
  }

  @Test func `a delivery does not make the writer depend on what it reads`() async {
    let trigger = Stored(0)
    let target = Stored(0)
    let apart = Stored(100)
    let sum = Computed { _ in target.wrappedValue + apart.wrappedValue }
    var follower = sum.values.makeAsyncIterator()
    #expect(await follower.next(isolation: nil) == 100)
    let log = Recorder()
    var writer = GraphTrackings {
      log.record("run")
      target.wrappedValue = trigger.wrappedValue
      return target.wrappedValue
    }.makeAsyncIterator()
    #expect(await writer.next(isolation: nil) == 0)
    async let followed = follower.next(isolation: nil)
    await trigger.set(1)
    #expect(await writer.next(isolation: nil) == 1)
    #expect(await followed == 101)
    await apart.set(200)
    await trigger.set(2)
    #expect(await writer.next(isolation: nil) == 2)
    #expect(await log.take() == ["run", "run", "run"])
  }
}

/// Streams of commits.
@Suite struct CommitStreamTests {
  @Test func `a subscription begins when its iterator is made`() async {
    let node = Stored(0, name: "node")
    let commits = GraphActor.commits()
    await node.set(1)
    var iterator = commits.makeAsyncIterator()
    await node.set(2)
    var own: [GraphCommit] = []
    while own.isEmpty, let commit = await iterator.next(isolation: nil) {
      if commit.changedNodes.contains(node.id) { own.append(commit) }
    }
    #expect(await node.value == 2)
    #expect(own.first?.changedNodes == [node.id])
    #expect(own.first?.changedNodes.first?.description == "node")
  }

  @Test func `a commit names the nodes that changed, in the order of the writes`() async {
    let a = Stored(0)
    let b = Stored(0)
    let unchanged = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    await withGraphTransaction {
      b.wrappedValue = 1
      unchanged.wrappedValue = 0
      a.wrappedValue = 1
      b.wrappedValue = 2
    }
    var found: GraphCommit?
    while found == nil, let commit = await commits.next(isolation: nil) {
      if commit.changedNodes.contains(a.id) { found = commit }
    }
    #expect(found?.changedNodes == [b.id, a.id])
  }

  @Test func `versions grow by one`() async {
    let node = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    var versions: [UInt64] = []
    for value in 1...20 { await node.set(value) }
    while versions.count < 20, let commit = await commits.next(isolation: nil) {
      versions.append(commit.version)
    }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 + 1 == $1 })
  }

  @Test func `a cancelled consumer ends`() async {
    let task = Task {
      for await _ in GraphActor.commits() {}
      return true
    }
    task.cancel()
    #expect(await task.value)
  }
}
