import Foundation
import StateGraph
import StateGraphTesting
import Testing

/// Updates of ordinary nodes: what holds for one size holds for all.
@Suite struct UpdateTests {
  private struct Refused: Error {}

  private struct Item: Sendable {
    let id: Int
    var isSeen = false
  }

  static let sizes = [0, 1, 255, 256, 100_000]

  private static func list(_ size: Int) -> [Int] { Array(0..<size) }

  @Test(arguments: sizes)
  func `an update heeds the comparison`(size: Int) async {
    let items = Stored((0...size).map { Item(id: $0) }) { $0.map(\.id) == $1.map(\.id) }
    let list = Stored(Array(Self.list(size).reversed()))
    var changes = list.changes(buffering: .unbounded).makeAsyncIterator()
    _ = await changes.next(isolation: nil)
    await items.update { $0[0].isSeen = true }
    #expect(await items.value[0].isSeen == false)
    for _ in 0..<2 { await list.update { $0.sort() } }
    await list.set([-1])
    if size > 1 { #expect(await changes.next(isolation: nil)?.value == Self.list(size)) }
    #expect(await changes.next(isolation: nil)?.value == [-1])
  }

  @Test(arguments: sizes)
  func `a body that reads its own node reads the value before`(size: Int) async {
    let list = Stored(Self.list(size))
    let count = Computed { _ in list.wrappedValue.count }
    #expect(await count.value == size)
    await list.update { value in
      value.append(list.wrappedValue.count)
      value.append(list.committedValue.count)
      value.append(count.wrappedValue)
    }
    #expect(await list.value == Self.list(size) + [size, size, size])
    #expect(await count.value == size + 3)
    await GraphActor.run { list.unsafeModify { $0.append(list.wrappedValue.count) } }
    #expect(await list.value.last == size + 3)
  }

  @Test(arguments: sizes)
  func `the committed value is there while an update is under way`(size: Int) async {
    // In a process of its own: the body keeps the actor, and the reader is a thread that the pool
    // cannot lack.
    await #expect(processExitsWith: .success) { [size = size as Int] in
      let list = Stored(Self.list(size))
      for isAskedBefore in [false, true] {
        if isAskedBefore { _ = list.committedValue }
        let before = await list.value.count
        let seen = EventLog<Int>()
        let isInTime = await list.update { value in
          value.append(0)
          Thread.detachNewThread { seen.record(list.committedValue.count) }
          let deadline = ContinuousClock.now + .seconds(60)
          while seen.events.isEmpty, .now < deadline {}
          return !seen.events.isEmpty
        }
        #expect(isInTime, "the reader waits for the update")
        #expect(seen.events == [before])
        #expect(list.committedValue.count == before + 1)
      }
    }
  }

  @Test(arguments: sizes)
  func `what a body writes to other nodes is delivered at once`(size: Int) async {
    let list = Stored(Self.list(size))
    let other = Stored(0)
    let log = EventLog<String>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        log.record("group \(list.wrappedValue.count - size) \(other.wrappedValue)")
      }
    }
    await other.onDidSet { log.record("handler \($0) \($1)") }
    await list.update { value in
      value.append(1)
      log.record("body")
      other.wrappedValue = 1
      log.record("body")
    }
    #expect(log.events == ["group 0 0", "body", "group 0 1", "handler 0 1", "body", "group 1 1"])
    tracking.cancel()
  }

  @Test(arguments: sizes)
  func `a body that throws leaves the value, and what it has written elsewhere`(size: Int) async {
    let list = Stored(Self.list(size))
    let other = Stored(0)
    await #expect(throws: Refused.self) {
      try await list.update { value in
        value.append(1)
        other.wrappedValue = 1
        throw Refused()
      }
    }
    #expect(await list.value == Self.list(size))
    #expect(await other.value == 1)
    await list.update { $0.append(1) }
    #expect(await list.value.count == size + 1)
  }

  @Test(arguments: sizes)
  func `a handler of assignments gets the value before`(size: Int) async {
    let list = Stored(Self.list(size))
    let counts = EventLog<[Int]>()
    await list.onDidSet { counts.record([$0.count, $1.count]) }
    await list.update { $0.append(1) }
    await withGraphTransaction { list.update { $0.append(1) } }
    #expect(counts.events == [[size, size + 1], [size + 1, size + 2]])
  }

  @Test(arguments: sizes)
  func `an open transaction keeps its view while others update`(size: Int) async throws {
    let list = Stored(Self.list(size))
    let counts = EventLog<Int>()
    try await withGraphTransaction {
      counts.record(list.wrappedValue.count)
      if GraphTransaction.current?.attempt == 1 {
        await Task.detached { await list.update { $0.append(1) } }.value
      }
      counts.record(list.wrappedValue.count)
    }
    #expect(counts.events == [size, size, size + 1, size + 1])
  }

  // MARK: - Overloads

  @GraphActor private func addOnActor(_ node: Stored<Int>) -> Int {
    node.update { $0 += 1 }
    return node.update { value in
      value += 1
      return value
    }
  }

  @GraphActor private func addAwaiting(_ node: Stored<Int>) async throws -> Int {
    await node.update { $0 += 1 }
    return try await node.update { value in
      if value < 0 { throw Refused() }
      value += 1
      return value
    }
  }

  @Test func `each context finds its update`() async throws {
    let node = Stored(0)
    await node.update { $0 += 1 }
    #expect(await addOnActor(node) == 3)
    #expect(try await addAwaiting(node) == 5)
    await GraphActor.run { node.update { $0 += 1 } }
    await withGraphTransaction { node.update { $0 += 1 } }
    try await withGraphTransaction { await node.update { $0 += 1 } }
    let tracking = await withGraphTracking {
      withGraphTrackingGroup { node.update { $0 += 1 } }
    }
    tracking.cancel()
    #expect(await node.value == 9)
    // What a synchronous body returns and captures need not be Sendable.
    await GraphActor.run {
      final class Object { var number = 0 }
      let object = node.update { value in
        let object = Object()
        object.number = value
        return object
      }
      var sum = 0
      node.update { sum += $0 }
      #expect(object.number == 9)
      #expect(sum == 9)
    }
  }

  @Test func `a group depends on what the body of its update reads, and not on the node`() async {
    let count = Stored(0)
    let step = Stored(1)
    let log = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        count.update { $0 += step.wrappedValue }
        log.record(count.committedValue)
      }
    }
    await count.set(10)
    await step.set(5)
    #expect(log.events == [1, 15])
    tracking.cancel()
  }
}
