import StateGraph
import Testing

/// Streams of the changes of a node.
@Suite struct ChangeStreamTests {
  @Test func `the first element is the current value, then every change comes once`() async {
    let node = Stored(1)
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next(isolation: nil)?.value == 1)
    await node.set(2)
    await node.set(2)
    await node.set(3)
    #expect(await changes.next(isolation: nil)?.value == 2)
    #expect(await changes.next(isolation: nil)?.value == 3)
  }

  @Test func `versions grow from element to element and belong to the commit`() async {
    let node = Stored(0)
    var commits = GraphActor.commits().makeAsyncIterator()
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    let first = await changes.next(isolation: nil)
    await node.set(1)
    await node.set(2)
    let second = await changes.next(isolation: nil)
    let third = await changes.next(isolation: nil)
    var versions: [UInt64] = []
    while versions.count < 2, let commit = await commits.next(isolation: nil) {
      if commit.changedNodes.contains(node.id) { versions.append(commit.version) }
    }
    #expect(versions == [second?.version, third?.version])
    #expect((first?.version ?? .max) < (second?.version ?? 0))
  }

  @Test @GraphActor func `each commit comes once, also without a comparison`() async {
    struct Opaque: Sendable { var number: Int }
    let node = Stored(Opaque(number: 0))
    var changes = node.changes(buffering: .latest).makeAsyncIterator()
    var numbers: [Int?] = [await changes.next(isolation: GraphActor.shared)?.value.number]
    for number in 1...3 {
      node.wrappedValue = Opaque(number: number)
      numbers.append(await changes.next(isolation: GraphActor.shared)?.value.number)
    }
    // Runs when the consumer waits.
    Task { node.wrappedValue = Opaque(number: 4) }
    numbers.append(await changes.next(isolation: GraphActor.shared)?.value.number)
    #expect(numbers == [0, 1, 2, 3, 4])
  }

  @Test func `a slow consumer of values gets the last one`() async {
    let node = Stored(0)
    var values = node.values.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 0)
    for value in 1...100 { await node.set(value) }
    #expect(await values.next(isolation: nil) == 100)
    await node.set(101)
    #expect(await values.next(isolation: nil) == 101)
  }

  @Test func `a value that was left and came back is no change to a slow consumer`() async {
    let node = Stored(0)
    var values = node.values.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 0)
    await node.set(1)
    await node.set(0)
    async let next = values.next(isolation: nil)
    await node.set(2)
    #expect(await next == 2)
  }

  @Test func `the newest changes are kept and the number of the dropped is told`() async {
    let node = Stored(0)
    var changes = node.changes(buffering: .newest(2)).makeAsyncIterator()
    #expect(await changes.next(isolation: nil)?.dropped == 0)
    for value in 1...5 { await node.set(value) }
    let fourth = await changes.next(isolation: nil)
    let fifth = await changes.next(isolation: nil)
    #expect(fourth?.value == 4)
    #expect(fourth?.dropped == 3)
    #expect(fifth?.value == 5)
    #expect(fifth?.dropped == 0)
  }

  @Test func `the oldest changes are kept and the next one tells the number of the dropped`() async
  {
    let node = Stored(0)
    var changes = node.changes(buffering: .oldest(2)).makeAsyncIterator()
    _ = await changes.next(isolation: nil)
    for value in 1...5 { await node.set(value) }
    #expect(await changes.next(isolation: nil)?.value == 1)
    #expect(await changes.next(isolation: nil)?.value == 2)
    await node.set(6)
    let sixth = await changes.next(isolation: nil)
    #expect(sixth?.value == 6)
    #expect(sixth?.dropped == 3)
  }

  @Test func `each loop has a subscription of its own`() async {
    let node = Stored(0)
    let values = node.values
    var first = values.makeAsyncIterator()
    var second = values.makeAsyncIterator()
    #expect(await first.next(isolation: nil) == 0)
    await node.set(1)
    #expect(await second.next(isolation: nil) == 1)
    #expect(await first.next(isolation: nil) == 1)
    await node.set(2)
    #expect(await first.next(isolation: nil) == 2)
    #expect(await second.next(isolation: nil) == 2)
  }

  @Test func `one transaction is one element`() async {
    let node = Stored(0)
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    _ = await changes.next(isolation: nil)
    await withGraphTransaction {
      node.wrappedValue = 1
      node.wrappedValue = 2
    }
    await withGraphTransaction {
      node.wrappedValue = 3
      node.wrappedValue = 2
    }
    await node.set(4)
    #expect(await changes.next(isolation: nil)?.value == 2)
    #expect(await changes.next(isolation: nil)?.value == 4)
  }

  @Test func `a stream of a computed node has its changes and not those of its sources`() async {
    let node = Stored(0)
    let parity = node.map { $0 % 2 }
    var changes = parity.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next(isolation: nil)?.value == 0)
    for value in 1...4 { await node.set(value * 2) }
    await node.set(9)
    await node.set(11)
    await node.set(12)
    #expect(await changes.next(isolation: nil)?.value == 1)
    #expect(await changes.next(isolation: nil)?.value == 0)
  }

  @Test func `a computed node is not evaluated for a consumer that is busy`() async {
    let node = Stored(0)
    let log = Recorder()
    let derived = Computed { _ in
      log.record("run")
      return node.wrappedValue
    }
    var values = derived.values.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 0)
    for value in 1...10 { await node.set(value) }
    #expect(await log.events == ["run"])
    #expect(await values.next(isolation: nil) == 10)
    #expect(await log.events == ["run", "run"])
  }

  @Test func `a waiting consumer is woken by the commit`() async {
    let node = Stored(0)
    let total = node.map { $0 + 1 }
    var received: [Int] = []
    var values = total.values.makeAsyncIterator()
    for value in 1...100 {
      async let set: Void = node.set(value)
      while let element = await values.next(isolation: nil) {
        received.append(element)
        if element == value + 1 { break }
      }
      await set
    }
    #expect(received.last == 101)
    #expect(received == received.sorted())
    #expect(Set(received).count == received.count)
  }
}
