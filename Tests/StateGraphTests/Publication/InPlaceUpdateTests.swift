import StateGraph
import StateGraphTesting
import Testing

/// Updates that change a large collection in place, and those that must not.
@Suite struct InPlaceUpdateTests {
  private struct Refused: Error {}

  private static func node(count: Int = 1_000) -> Stored<[Int]> {
    var array = Array(0..<count)
    array.reserveCapacity(count * 2)
    return Stored(array)
  }

  /// Where the elements of the array are.
  private static func place(_ node: Stored<[Int]>) async -> UInt {
    await node.update { $0.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) } }
  }

  @Test func `a large array that nobody else holds is appended to in place`() async {
    // Other code of the process could be interrupted in the middle of a read.
    await #expect(processExitsWith: .success) {
      let node = Self.node()
      let place = await Self.place(node)
      for round in 0..<500 { await node.update { $0.append(round) } }
      let placeAfterwards = await Self.place(node)
      precondition(placeAfterwards == place, "the array was copied")
      // A reader that has gone holds nothing.
      for round in 0..<100 {
        let count = await node.value.count
        precondition(count == 1_500 + round)
        await node.update { $0.append(round) }
      }
      let placeAfterReads = await Self.place(node)
      precondition(placeAfterReads == place, "the array was copied after a read")
    }
  }

  @Test func `an open transaction costs the first update a copy, and later ones none`() async {
    await #expect(processExitsWith: .success) {
      let node = Self.node()
      let place = await Self.place(node)
      try await withGraphTransaction {
        guard GraphTransaction.current?.attempt == 1 else { return }
        precondition(node.wrappedValue.count == 1_000)
        await Task.detached {
          await node.update { $0.append(1) }
          let copy = await Self.place(node)
          precondition(copy != place)
          for round in 0..<100 { await node.update { $0.append(round) } }
          let placeAfterwards = await Self.place(node)
          precondition(placeAfterwards == copy, "the array was copied again")
        }.value
        precondition(node.wrappedValue.count == 1_000)
      }
      let count = await node.value.count
      precondition(count == 1_101)
    }
  }

  @Test func `a value that somebody holds does not change`() async {
    let node = Self.node()
    let before = await node.value
    await node.update { $0[0] = -1 }
    #expect(before[0] == 0)
    #expect(await node.value[0] == -1)
  }

  @Test func `dependents and streams hear of a change in place`() async {
    let node = Self.node()
    let count = Computed { _ in node.wrappedValue.count }
    #expect(await count.value == 1_000)
    var counts = count.values.makeAsyncIterator()
    #expect(await counts.next(isolation: nil) == 1_000)
    await node.update { $0.append(1) }
    #expect(await counts.next(isolation: nil) == 1_001)
    #expect(await count.value == 1_001)
  }

  @Test func `an update that throws leaves a large array as it was`() async {
    let node = Self.node()
    await #expect(throws: Refused.self) {
      try await node.update { array in
        array.removeAll()
        throw Refused()
      }
    }
    #expect(await node.value.count == 1_000)
  }

  @Test func `an update of a small collection is compared`() async {
    let node = Stored([1, 2, 3])
    let before = await GraphActor.run { Graph.shared.version }
    let changes = EventLog<[Int]>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { changes.record(node.wrappedValue) }
    }
    await node.update { $0.sort() }
    #expect(changes.events == [[1, 2, 3]])
    await node.update { $0.append(4) }
    #expect(changes.events == [[1, 2, 3], [1, 2, 3, 4]])
    #expect(await GraphActor.run { Graph.shared.version } > before)
    tracking.cancel()
  }

  @Test func `a handler of assignments still gets the old value`() async {
    let node = Self.node()
    let counts = EventLog<[Int]>()
    await node.onDidSet { counts.record([$0.count, $1.count]) }
    await node.update { $0.append(1) }
    #expect(counts.events == [[1_000, 1_001]])
  }

  @Test func `a transaction keeps its view while others update`() async throws {
    let node = Self.node()
    let gate = Gate("in the transaction")
    let entered = EventLog<Int>()
    let reader = Task {
      try await withGraphTransaction {
        let before = node.wrappedValue.count
        entered.record(1)
        try await gate.pass()
        return (before, node.wrappedValue.count, GraphTransaction.current?.attempt ?? 0)
      }
    }
    try await entered.wait(for: 1)
    await node.update { $0.append(1) }
    gate.open()
    let (before, after, attempt) = try await reader.value
    #expect(before == after)
    #expect(attempt == 2)
    #expect(before == 1_001)
  }

  @Test func `a node that is read synchronously always has a value`() async {
    let node = Self.node()
    #expect(node.committedValue.count == 1_000)
    await withTaskGroup { group in
      group.addTask {
        for round in 0..<2_000 { await node.update { $0.append(round) } }
      }
      group.addTask {
        var last = 0
        while last < 3_000 {
          let count = node.committedValue.count
          #expect(count >= last)
          last = count
          await Task.yield()
        }
      }
    }
  }

  @Test func `a first synchronous read during an update waits for its body only`() async {
    let node = Self.node()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for round in 0..<500 { await node.update { $0.append(round) } }
        }
      }
      group.addTask {
        await Task.yield()
        #expect(node.committedValue.count >= 1_000)
      }
    }
    #expect(node.committedValue.count == 3_000)
  }

  @Test func `unsafeModify works in place and keeps what a body that throws has changed`() async {
    let node = Self.node()
    let place = await Self.place(node)
    await GraphActor.run { node.unsafeModify { $0.append(1) } }
    await #expect(throws: Refused.self) {
      try await GraphActor.run {
        try node.unsafeModify { array in
          array.append(2)
          throw Refused()
        }
      }
    }
    #expect(node.committedValue.count == 1_002)
    #expect(await Self.place(node) != place, "read synchronously: the update works on a copy")
    let small = Stored(1)
    await GraphActor.run { small.unsafeModify { $0 = 2 } }
    #expect(small.committedValue == 2)
    #expect(await small.value == 2)
  }

  @Test func `an update that reads its own node in place is stopped`() async {
    await #expect(processExitsWith: .failure) {
      let node = Stored(Array(0..<1_000))
      await node.update { $0.append(node.wrappedValue.count) }
    }
    await #expect(processExitsWith: .failure) {
      let node = Stored(Array(0..<1_000))
      await node.update { $0.append(node.committedValue.count) }
    }
    await #expect(processExitsWith: .failure) {
      let node = Stored(Array(0..<1_000))
      await GraphActor.run { node.unsafeModify { $0.append(node.committedValue.count) } }
    }
  }

  @Test(arguments: [10, 1_000])
  func `an update may write other nodes, whoever follows the two`(count: Int) async {
    let list = Self.node(count: count)
    let other = Stored(0)
    let total = Computed { _ in list.wrappedValue.count + other.wrappedValue }
    let sums = EventLog<Int>()
    let others = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { sums.record(total.wrappedValue) }
      withGraphTrackingGroup(delivery: .immediate) { others.record(other.wrappedValue) }
    }
    var changes = other.changes(buffering: .unbounded).makeAsyncIterator()
    #expect(await changes.next(isolation: nil)?.value == 0)
    var totals = total.values.makeAsyncIterator()
    #expect(await totals.next(isolation: nil) == count)
    await list.update { array in
      array.append(1)
      other.wrappedValue += 1
      array.append(2)
      other.wrappedValue += 1
    }
    #expect(sums.events.last == count + 4)
    // Who might read the list hears of it when the update is through.
    #expect(others.events == [0, 2])
    for expected in 1...2 { #expect(await changes.next(isolation: nil)?.value == expected) }
    #expect(await totals.next(isolation: nil) == count + 4)
    #expect(await total.value == count + 4)
    tracking.cancel()
  }

  /// Whoever comes to read the list for the first time because of a write in the update's body.
  @Test(arguments: [10, 1_000])
  func `whoever turns to the list in the middle of an update hears of it afterwards`(
    count: Int
  ) async throws {
    let list = Self.node(count: count)
    let isWanted = Stored(false)
    let seen = EventLog<String>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        if isWanted.wrappedValue { seen.record("group \(list.wrappedValue.count)") }
      }
      withGraphTrackingMap(
        delivery: .immediate, { isWanted.wrappedValue },
        onChange: { @GraphActor isWanted in
          if isWanted { seen.record("map \(list.wrappedValue.count)") }
        })
    }
    await isWanted.onDidSet { _, _ in seen.record("handler \(list.wrappedValue.count)") }
    let wanted = Computed { _ in isWanted.wrappedValue ? list.wrappedValue.count : 0 }
    var values = wanted.values.makeAsyncIterator()
    #expect(await values.next(isolation: nil) == 0)
    let begun = Gate("the condition")
    async let waiting: Void = graphWait {
      begun.open()
      return isWanted.wrappedValue && list.wrappedValue.count == count + 1
    }
    try await begun.pass()
    await list.update { array in
      isWanted.wrappedValue = true
      seen.record("body")
      array.append(5)
    }
    try await waiting
    #expect(await values.next(isolation: nil) == count + 1)
    #expect(seen.events.first == "body")
    let length = count + 1
    #expect(
      Set(seen.events.dropFirst()) == ["group \(length)", "map \(length)", "handler \(length)"])
    tracking.cancel()
  }

  @Test func `an update that throws tells of what its body has written`() async {
    struct Refused: Error {}
    let list = Self.node(count: 10)
    let other = Stored(0)
    let seen = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { seen.record(other.wrappedValue) }
    }
    await #expect(throws: Refused.self) {
      try await list.update { array in
        other.wrappedValue = 1
        array.append(1)
        throw Refused()
      }
    }
    #expect(seen.events == [0, 1])
    #expect(await list.value.count == 10)
    tracking.cancel()
  }

  @Test func `what is released in an update is removed after it`() async {
    let list = Self.node()
    let owner = EventLog<Computed<Int>>()
    owner.record(Computed { _ in list.wrappedValue.count })
    let ended = EventLog<Int>()
    guard let values = owner.events.first?.values else { return }
    let reader = Task {
      for await value in values { ended.record(value) }
      return ended.events
    }
    await #expect(throws: Never.self) { try await ended.wait { $0 == [1_000] } }
    let other = Stored(0)
    await list.update { array in
      array.append(1)
      _ = owner.take()
      other.wrappedValue = 1
    }
    let seen = await reader.value
    // An update of a copy, which others can force, removes the node before it commits.
    #expect(seen == [1_000, 1_001] || seen == [1_000])
  }
}
