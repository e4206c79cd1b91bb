import StateGraph
import StateGraphTesting
import Testing

/// Nodes whose values are changed in place.
@Suite struct InPlaceUpdateTests {
  private struct Refused: Error {}

  @GraphActor private final class Recorder {
    @GraphStoredInPlace var list: CountedList
    @GraphStoredInPlace var samples: [Int] = []

    init(copies: CountedList.Count) {
      _list = GraphStoredInPlace(wrappedValue: CountedList(copies: copies))
    }
  }

  private let copies: CountedList.Count
  private let node: StoredInPlace<CountedList>

  init() {
    (node, copies) = Self.node()
  }

  private static func node() -> (StoredInPlace<CountedList>, CountedList.Count) {
    let copies = CountedList.Count()
    return (StoredInPlace(CountedList(copies: copies)), copies)
  }

  // MARK: - Copies

  // In processes of their own: an async transaction of another test would need the values, too.

  @Test func `no change copies, whoever has read before`() async {
    await #expect(processExitsWith: .success) {
      let (node, copies) = Self.node()
      for round in 0..<20 {
        await node.update { $0.append(round) }
        #expect(await node.value.count == 101 + round * 3)
        await GraphActor.run {
          node.update { $0.append(round) }
          node.wrappedValue.append(round)
          _ = node.wrappedValue
        }
        _ = await withGraphSnapshot { $0[node].count }
        _ = await GraphSnapshot.values(of: node, Stored(0)).0.count
      }
      await GraphActor.run { node.unsafeModify { $0.append(0) } }
      #expect(await node.value.count == 161)
      #expect(copies.value == 0)
    }
  }

  @Test func `a property changes in place`() async {
    await #expect(processExitsWith: .success) {
      let copies = CountedList.Count()
      let recorder = await Recorder(copies: copies)
      await GraphActor.run {
        for sample in 0..<10 {
          recorder.list.append(sample)
          recorder.samples.append(sample)
          recorder.samples[sample] += recorder.samples.count
        }
        #expect(recorder.list.count == 110)
        #expect(recorder.samples == (0..<10).map { $0 * 2 + 1 })
        recorder.samples = []
      }
      #expect(await recorder.$samples.value == [])
      #expect(copies.value == 0)
    }
  }

  @Test func `a value that something else holds is copied, and does not change`() async {
    await #expect(processExitsWith: .success) {
      let (node, copies) = Self.node()
      let before = await node.value
      await node.update { $0.append(1) }
      await node.update { $0.append(2) }
      #expect(before.count == 100)
      #expect(await node.value.count == 102)
      #expect(copies.value == 1)
    }
  }

  @Test func `a stream holds no value that its consumer has let go of`() async {
    await #expect(processExitsWith: .success) {
      let (node, copies) = Self.node()
      for buffering in [GraphBuffering.latest, .unbounded, .newest(1)] {
        let before = copies.value
        var changes = node.changes(buffering: buffering).makeAsyncIterator()
        var count = await node.value.count
        #expect(await changes.next(isolation: nil)?.value.count == count)
        for round in 0..<10 {
          await node.update { $0.append(round) }
          count += 1
          #expect(await changes.next(isolation: nil)?.value.count == count)
        }
        #expect(copies.value == before)
      }
    }
  }

  @Test func `an open transaction costs one copy, and sees the value of its version`() async {
    await #expect(processExitsWith: .success) {
      let (node, copies) = Self.node()
      try await withGraphTransaction {
        guard GraphTransaction.current?.attempt == 1 else { return }
        #expect(node.wrappedValue.count == 100)
        await Task.detached {
          for round in 0..<10 { await node.update { $0.append(round) } }
        }.value
        #expect(copies.value == 1)
        #expect(node.wrappedValue.count == 100)
      }
      #expect(await node.value.count == 110)
      await node.update { $0.append(1) }
      #expect(copies.value == 1)
    }
  }

  @Test func `in a transaction the first write copies, and no other`() async {
    await #expect(processExitsWith: .success) {
      let (node, copies) = Self.node()
      let stored = Stored(CountedList(copies: copies))
      await withGraphTransaction {
        for round in 0..<50 {
          stored.update { $0.append(round) }
          #expect(stored.wrappedValue.count == 101 + round)
        }
      }
      #expect(copies.value == 1)
      await withGraphTransaction {
        for round in 0..<50 {
          node.update { $0.append(round) }
          node.wrappedValue.append(round)
          #expect(node.wrappedValue.count == 102 + round * 2)
        }
      }
      #expect(copies.value == 2)
      try await withGraphTransaction {
        for round in 0..<50 {
          await stored.update { $0.append(round) }
          await node.update { $0.append(round) }
          await Task.yield()
        }
      }
      #expect(copies.value == 4)
      #expect(await stored.value.count == 200)
      #expect(await node.value.count == 250)
      await node.update { $0.append(1) }
      #expect(copies.value == 4, "the transaction still holds the value")
    }
  }

  @Test func `in a transaction each update that can throw copies an ordinary value`() async {
    await #expect(processExitsWith: .success) {
      let copies = CountedList.Count()
      let stored = Stored(CountedList(copies: copies))
      await withGraphTransaction {
        for round in 0..<10 {
          try? stored.update { list throws(Refused) in
            list.append(round)
            if round % 2 == 1 { throw Refused() }
          }
          #expect(stored.wrappedValue.count == 101 + round / 2)
        }
      }
      #expect(copies.value == 10)
      #expect(await stored.value.count == 105)
    }
  }

  // MARK: - Commits

  @Test func `every update is a commit, also one that changes nothing or throws`() async {
    var changes = node.changes(buffering: .unbounded).makeAsyncIterator()
    var version = await changes.next(isolation: nil)?.version ?? 0
    await node.update { _ in }
    await #expect(throws: Refused.self) {
      try await node.update { list in
        list.append(1)
        throw Refused()
      }
    }
    await #expect(throws: Refused.self) {
      try await GraphActor.run { try node.update { _ in throw Refused() } }
    }
    await node.set(node.value)
    for count in [100, 101, 101, 101] {
      let change = await changes.next(isolation: nil)
      #expect(change?.value.count == count)
      #expect(change?.version ?? 0 > version)
      version = change?.version ?? version
    }
  }

  @Test func `an update returns what its body returns`() async {
    #expect(await node.update { $0.count } == 100)
    #expect(await GraphActor.run { node.update { $0.count } } == 100)
  }

  @Test func `in a transaction a body that throws keeps what it did`() async {
    await withGraphTransaction {
      try? node.update { list throws(Refused) in
        list.append(1)
        throw Refused()
      }
      #expect(node.wrappedValue.count == 101)
    }
    #expect(await node.value.count == 101)
    await #expect(throws: Refused.self) {
      try await withGraphTransaction {
        node.update { $0.append(2) }
        throw Refused()
      }
    }
    #expect(await node.value.count == 101)
  }

  @Test func `dependents, groups, waits and snapshots follow`() async throws {
    let count = node.map(\.count)
    let log = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { log.record(count.wrappedValue) }
    }
    async let waited: Void = graphWait { node.wrappedValue.count == 102 }
    for _ in 0..<2 { await node.update { $0.append(1) } }
    try await waited
    #expect(log.events == [100, 101, 102])
    #expect(await count.value == 102)
    #expect(count.committedValue == nil || count.committedValue == 102)
    #expect(await GraphSnapshot.values(of: node, count).0.count == 102)
    await withGraphTransaction {
      node.update { $0.append(1) }
      #expect(count.wrappedValue == 103)
      #expect(log.events == [100, 101, 102])
    }
    #expect(log.events == [100, 101, 102, 103])
    tracking.cancel()
  }

  @Test func `a group depends on what it changes by the property, and not by update`() async {
    let log = EventLog<String>()
    let trigger = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        log.record("update \(trigger.wrappedValue)")
        node.update { $0.append(1) }
      }
    }
    await node.set(CountedList([], copies: copies))
    #expect(log.take() == ["update 0"])
    tracking.cancel()
    let other = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        log.record("append")
        node.wrappedValue.append(1)
      }
    }
    await node.set(CountedList([], copies: copies))
    #expect(log.take() == ["append", "append"])
    other.cancel()
  }

  @Test func `a transaction runs again when what it has read is changed in place`() async throws {
    let attempts = EventLog<Int>()
    try await withGraphTransaction {
      attempts.record(node.wrappedValue.count)
      if GraphTransaction.current?.attempt == 1 {
        await Task.detached { await node.update { $0.append(1) } }.value
      }
      await node.update { $0.append(2) }
    }
    #expect(attempts.events == [100, 101])
    #expect(await node.value.count == 102)
  }

  @Test func `the destructor of a value that is replaced follows the commit`() async {
    final class Element: Sendable {
      let end: @Sendable () -> Void

      init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
      }

      deinit { end() }
    }
    // In a process of its own, like the tests of copies.
    await #expect(processExitsWith: .success) {
      let log = EventLog<Bool>()
      let elements = StoredInPlace<[Element]>([])
      let isEmpty = elements.map(\.isEmpty)
      await elements.update { [isEmpty] in
        $0.append(Element { log.record(isEmpty.committedValue ?? true) })
      }
      #expect(await isEmpty.value == false)
      #expect(isEmpty.committedValue == false)
      await elements.set([])
      #expect(log.events == [true])
    }
  }
}
