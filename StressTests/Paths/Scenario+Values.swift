import StateGraph
import StateGraphTesting

// What counts as equal, and what handlers of assignments are told.

extension Scenario {
  static let values = [optionalObject, equatableObject, keptResult, assignments, assignmentsStaged]

  private final class Name: Equatable, Sendable {
    let text: String

    init(_ text: String) {
      self.text = text
    }

    static func == (left: Name, right: Name) -> Bool { left.text == right.text }
  }

  /// Counts the commits that a body makes.
  private static func commits(_ body: () async -> Void) async -> UInt64 {
    let before = await latestVersion()
    await body()
    return await latestVersion() - before
  }

  /// A node of whose type nothing is known here.
  private static func stored<Value: Sendable>(_ value: Value) -> Stored<Value> { Stored(value) }

  private static let optionalObject = Scenario(
    "an optional object counts as equal if it is the same, or none again", [.cutOffAtSource]
  ) {
    let alive = LiveCount()
    let object = Payload(alive, 1)
    let node = Stored<Payload?>(nil)
    require(await commits { await node.set(nil) } == 0)
    require(await commits { await node.set(object) } == 1)
    require(await commits { await node.set(object) } == 0)
    require(await commits { await node.set(Payload(alive, 1)) } == 1)
    require(await commits { await node.set(nil) } == 1)
    require(await commits { await node.set(nil) } == 0)
  }

  private static let equatableObject = Scenario(
    "an object that can be compared is, also where nothing is known of its type",
    [.cutOffAtSource]
  ) {
    for node in [Stored(Name("a")), stored(Name("a"))] {
      require(await commits { await node.set(Name("a")) } == 0)
      require(await commits { await node.set(Name("b")) } == 1)
    }
    let optional = stored(Name?.none)
    require(await commits { await optional.set(nil) } == 0)
    require(await commits { await optional.set(Name("a")) } == 1)
    require(await commits { await optional.set(Name("a")) } == 0)
  }

  private static let keptResult = Scenario(
    "of values that count as equal the first is kept", [.cutsOffAtComputed, .cutOffAtSource]
  ) {
    let source = Stored(0)
    let isClose: @GraphActor @Sendable (Int, Int) -> Bool = { abs($0 - $1) < 10 }
    let computed = Computed(isEqual: isClose) { _ in source.wrappedValue }
    let stored = Stored(0, isEqual: isClose)
    for value in 0...30 {
      await source.set(value)
      await stored.set(value)
      require(await computed.value == value / 10 * 10)
      require(await stored.value == value / 10 * 10)
    }
  }

  private static let assignments = Scenario(
    "the handler of assignments is told of each, also of equal values", [.cutOffAtSource]
  ) { @GraphActor in
    let log = EventLog<[Int]>()
    let node = Stored(0)
    node.onDidSet { old, new in log.record([old, new, node.wrappedValue]) }
    for value in [1, 1, 2] { node.wrappedValue = value }
    require(log.take() == [[0, 1, 1], [1, 1, 1], [1, 2, 2]])
    node.onDidSet(nil)
    node.wrappedValue = 3
    require(log.take() == [])
  }

  private static let assignmentsStaged = Scenario(
    "in a transaction the handler of assignments is told of what is staged", [.stagesAgain]
  ) { @GraphActor in
    let log = EventLog<[Int]>()
    let node = Stored(0)
    node.onDidSet { old, new in log.record([old, new, node.wrappedValue]) }
    withGraphTransaction {
      for value in [1, 1, 2] { node.wrappedValue = value }
      require(log.take() == [[0, 1, 1], [1, 1, 1], [1, 2, 2]])
    }
    require(log.take() == [])
  }
}
