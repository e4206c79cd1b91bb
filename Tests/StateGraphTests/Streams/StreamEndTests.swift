import StateGraph
import Testing

/// How streams end.
@Suite struct StreamEndTests {
  @Test func `iteration ends at once when the task is cancelled while it waits`() async {
    let node = Stored(0)
    let hasFirst = Stored(false)
    let task = Task {
      var received: [Int] = []
      for await value in node.values {
        received.append(value)
        await hasFirst.set(true)
      }
      return received
    }
    for await isReached in hasFirst.values where isReached { break }
    task.cancel()
    #expect(await task.value == [0])
  }

  @Test func `a cancelled task gets no first element`() async {
    let node = Stored(0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var values = node.values.makeAsyncIterator()
      return await values.next(isolation: nil)
    }
    #expect(await task.value == nil)
  }

  @Test func `a cancel that races with the wait ends the iteration`() async {
    let node = Stored(0)
    for _ in 0..<500 {
      let task = Task {
        for await _ in node.values {}
        return true
      }
      task.cancel()
      #expect(await task.value)
    }
  }

  @Test func `iteration ends when the node is released, after what is buffered`() async {
    var node: Stored<Int>? = Stored(0)
    var changes = node?.changes(buffering: .unbounded).makeAsyncIterator()
    var values = node?.values.makeAsyncIterator()
    #expect(await changes?.next(isolation: nil)?.value == 0)
    #expect(await values?.next(isolation: nil) == 0)
    await node?.set(1)
    node = nil
    #expect(await changes?.next(isolation: nil)?.value == 1)
    #expect(await changes?.next(isolation: nil) == nil)
    #expect(await values?.next(isolation: nil) == 1)
    #expect(await values?.next(isolation: nil) == nil)
    #expect(await values?.next(isolation: nil) == nil)
  }

  @Test func `a slow consumer gets the last value of a computed node that is released`() async {
    let source = Stored(0)
    var node: Computed<Int>? = source.map { $0 * 2 }
    var values = node?.values.makeAsyncIterator()
    #expect(await values?.next(isolation: nil) == 0)
    await source.set(1)
    await source.set(2)
    node = nil
    #expect(await values?.next(isolation: nil) == 4)
    #expect(await values?.next(isolation: nil) == nil)
  }

  @Test func `a waiting consumer hears that the node is released`() async {
    let hasFirst = Stored(false)
    let task: Task<[Int], Never>
    do {
      let node = Stored(7)
      let values = node.values
      task = Task {
        var received: [Int] = []
        for await value in values {
          received.append(value)
          await hasFirst.set(true)
        }
        return received
      }
      for await isReached in hasFirst.values where isReached { break }
      await node.set(8)
    }
    let received = await task.value
    #expect(received.first == 7)
  }

  @Test func `a stream of a node that is gone is empty`() async {
    let values: GraphValues<Int>
    do { values = Stored(1).values }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == nil)
  }

  @Test func `a loop that is left leaves nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let node = Stored(0)
      for _ in 0..<100 {
        for await _ in node.values { break }
        for await _ in node.changes(buffering: .unbounded) { break }
        for await _ in GraphTrackings({ node.wrappedValue }) { break }
      }
      await GraphActor.run {
        precondition(Graph.shared.nodeCount == 1, "\(Graph.shared.nodeCount)")
        precondition(Graph.shared.edgeCount == 0)
      }
    }
  }

  @Test func `a stream does not keep its node alive`() async {
    weak var released: Stored<Int>?
    var values: GraphValues<Int>.Iterator
    do {
      let node = Stored(0)
      released = node
      values = node.values.makeAsyncIterator()
      #expect(await values.next(isolation: nil) == 0)
    }
    #expect(released == nil)
    #expect(await values.next(isolation: nil) == nil)
  }

  @Test func `all consumers of a released node end`() async {
    let started = Stored(0)
    var node: Stored<Int>? = Stored(0)
    let tasks = (0..<10).compactMap { _ in node?.values }.map { values in
      Task {
        for await _ in values { await started.update { $0 += 1 } }
        return true
      }
    }
    for await count in started.values where count == 10 { break }
    node = nil
    for task in tasks { #expect(await task.value) }
  }
}
