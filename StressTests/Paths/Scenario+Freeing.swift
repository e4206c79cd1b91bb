import Foundation
import StateGraph
import StateGraphTesting

// Values that end with their nodes and readers, and readers of every kind that hold them up.

extension Scenario {
  static let freeing = [
    publishedTwice, markedUnderReader, droppedPublished, manyUnderReader, everySlot,
    staleBeforePublication, releasedBeforeRead, ownComparison,
  ]

  private static let publishedTwice = Scenario(
    "a value that is published already is not published again", [.visitsForSnapshot]
  ) {
    let alive = LiveCount()
    let a = Stored(0)
    let node = Computed { _ in Payload(alive, a.wrappedValue) }
    for value in 1...5 {
      await a.set(value)
      let other = a.map { $0 * 2 }
      require(await node.value.number == value)
      let (payload, double) = await GraphSnapshot.values(of: node, other)
      require(payload.number == value && double == value * 2)
    }
    await a.set(6)
    require(await node.value.number == 6)
    try await alive.wait(for: 1)
  }

  private static let markedUnderReader = Scenario(
    "a published result that is marked is not freed under a reader",
    [.unpublishesMarked, .freesLater]
  ) {
    let alive = LiveCount()
    let a = Stored(0)
    let node = Computed { _ in Payload(alive, a.wrappedValue) }
    require(await node.value.number == 0)
    let readers = Graph.shared.readers
    let reader = readers.begin()
    await a.set(1)
    require(await node.value.number == 1)
    require(alive.current == 2, "a value was freed under a reader")
    readers.end(reader)
    try await alive.wait(for: 1)
  }

  private static let droppedPublished = Scenario(
    "what a computed node has published ends with it", [.publishesOnVisit]
  ) {
    let alive = LiveCount()
    do {
      let a = Stored(0)
      let node = Computed { _ in Payload(alive, a.wrappedValue) }
      require(await node.value.number == 0)
      let constant = Computed(constant: Payload(alive, 5))
      require(await constant.value.number == 5)
    }
    try await alive.wait(for: 0)
  }

  private static let manyUnderReader = Scenario(
    "any number of values that a reader has held up is freed", [.freesLater]
  ) {
    let alive = LiveCount()
    let node = Stored(Payload(alive, 0))
    let readers = Graph.shared.readers
    for count in [999, 1_000, 1_500, 5_000] {
      let reader = readers.begin()
      await GraphActor.run {
        for number in 1...count { node.wrappedValue = Payload(alive, number) }
      }
      require(alive.current == count + 1)
      readers.end(reader)
      try await alive.wait(for: 1)
      await untilTasksAreFinished()
      require(await GraphActor.run { Graph.shared.retiredValueCount } == 0)
    }
  }

  private static let everySlot = Scenario(
    "an advance looks for readers of all threads", [.holdsEpoch]
  ) {
    let readers = ReaderEpochs()
    let slots = Box<Set<UInt>>([])
    // Threads that live have stacks of their own, and so come to all of the 16 slots.
    let hasRead = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    var threads = 0
    while slots.value.count < 16 {
      threads += 1
      Thread.detachNewThread {
        let reader = readers.begin()
        let hasAdvancedTwice = readers.advance() && readers.advance()
        require(!hasAdvancedTwice, "a reader was overlooked")
        readers.end(reader)
        require(readers.advance())
        slots.value.insert(UInt(bitPattern: reader))
        hasRead.signal()
        isOver.wait()
      }
      hasRead.wait()
    }
    for _ in 0..<threads { isOver.signal() }
  }

  private static let staleBeforePublication = Scenario(
    "a value that is stale when its publication comes is not published", [.publishesOnRun]
  ) {
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    await GraphActor.run {
      require(double.wrappedValue == 2)
      a.wrappedValue = 2
      require(double.committedValue == nil)
    }
    await untilTasksAreFinished()
    require(double.committedValue == nil, "a stale value is published")
    require(await GraphActor.run { double.wrappedValue } == 4)
    require(double.committedValue == 4)
    await a.set(3)
    require(double.committedValue == nil)
  }

  private static let releasedBeforeRead = Scenario(
    "a read that begins after a release does not see the node that has gone", [.removesOnArrival]
  ) { @GraphActor in
    let box = Box<Stored<Int>?>(nil)
    let other = Stored(0)
    for way in 0..<5 {
      box.value = Stored(5)
      other.wrappedValue = way
      let reader = Computed { _ in box.value?.wrappedValue ?? -1 }
      require(await reader.value == 5)
      box.value = nil
      switch way {
      case 0: require(await reader.value == -1)
      case 1: require(await GraphSnapshot.values(of: reader, other) == (-1, 1))
      case 2: require(await GraphSnapshot.values(of: reader, other, other) == (-1, 2, 2))
      case 3: require(await GraphSnapshot.values(of: reader, other, other, other) == (-1, 3, 3, 3))
      default: require(await withGraphSnapshot { $0[reader] } == -1)
      }
    }
  }

  private static let ownComparison = Scenario(
    "a comparison of the user's runs on the actor, also for a consumer elsewhere", [.takesLatest]
  ) {
    let node = Stored(0) { old, new in
      GraphActor.preconditionIsolated()
      return old == new
    }
    var values = node.values.makeAsyncIterator()
    require(await values.next(isolation: nil) == 0)
    for value in 1...5 { await node.set(value) }
    await untilTasksAreFinished()
    require(await values.next(isolation: nil) == 5)
  }
}
