import StateGraph
import StateGraphTesting

// Replaced values, which are freed when no reader can hold them.

extension Scenario {
  static let reclamation = [ring, freedAtOnce, freedLater, ringBesideReader, computedBox, restart]

  private static let ring = Scenario(
    "a node of plain data uses its boxes again", [.allocatesBox, .reusesBox]
  ) {
    let node = Stored(0)
    await GraphActor.run {
      for value in 1...100 {
        node.wrappedValue = value
        require(node.wrappedValue == value)
      }
      require(Graph.shared.retiredValueCount == 0)
    }
  }

  private static let ringBesideReader = Scenario(
    "no box is used again that a reader may have found", [.trimsRing, .stepsBack]
  ) {
    let node = Stored((0, 0)) { $0 == $1 }
    await node.set((1, -1))
    let readers = Graph.shared.readers
    let reader = readers.begin()
    let version = await latestVersion()
    for value in 2...20 {
      await node.set((value, -value))
      let (one, other) = node._publishedValue(at: version) ?? (0, 0)
      require(one == 1 && other == -1, "\(one) and \(other) at the version of 1")
    }
    readers.end(reader)
    await untilTasksAreFinished()
    require(await GraphActor.run { Graph.shared.retiredValueCount } == 0)
  }

  private static let freedAtOnce = Scenario(
    "a commit frees what it replaces if nobody reads", [.retiresBox, .freesAtOnce, .advancesEpoch]
  ) {
    await untilTasksAreFinished()
    let alive = LiveCount()
    let node = Stored(Payload(alive, 0))
    await GraphActor.run {
      for round in 1...10 {
        node.wrappedValue = Payload(alive, round)
        require(alive.current == 1)
      }
    }
  }

  private static let freedLater = Scenario(
    "what a reader may hold is freed when it has ended", [.holdsEpoch, .freesLater, .freesInTask]
  ) {
    let alive = LiveCount()
    let node = Stored(Payload(alive, 0))
    let readers = Graph.shared.readers
    let reader = readers.begin()
    for round in 1...5 {
      await node.set(Payload(alive, round))
      require(alive.current == round + 1, "a value was freed under a reader")
    }
    readers.end(reader)
    try await alive.wait(for: 1)
    require(await node.value.number == 5)
  }

  private static let computedBox = Scenario(
    "a published result that is marked is freed when it has been replaced", [.unpublishesMarked]
  ) {
    let alive = LiveCount()
    let a = Stored(0)
    let node = Computed { _ in Payload(alive, a.wrappedValue) }
    for value in 0...10 {
      require(await node.value.number == value)
      await a.set(value + 1)
    }
    require(await node.value.number == 11)
    try await alive.wait(for: 1)
  }

  private static let restart = Scenario(
    "a reader that is overtaken by an advance begins anew", [.restartsReader]
  ) {
    let readers = ReaderEpochs()
    let isOver = Box(false)
    let advancing = Task.detached { while !isOver.value { _ = readers.advance() } }
    await repeatUntilTaken(.restartsReader) { readers.end(readers.begin()) }
    isOver.value = true
    await advancing.value
    require(readers.advance() && readers.advance())
  }
}
