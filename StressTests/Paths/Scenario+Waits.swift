import StateGraph
import StateGraphTesting

// Waits for a condition, and for everything to be delivered.

extension Scenario {
  static let waits = [
    heldAlready, madeTrue, madeTrueEarly, throwingCondition, settled, settledLater, settledBefore,
  ]

  private static let heldAlready = Scenario(
    "a condition that holds is not waited for", [.fulfilsWaitAtOnce]
  ) {
    let a = Stored(1)
    try await graphWait { a.wrappedValue == 1 }
    require(try await a.first { $0 > 0 } == 1)
  }

  private static let madeTrue = Scenario(
    "the commit that makes a condition true ends the wait", [.fulfilsWait, .flushesLater]
  ) {
    let a = Stored(0)
    try await repeatUntilTaken(.fulfilsWait) {
      await a.set(0)
      let before = taken(.mustWait)
      async let seen = a.first { $0 > 0 }
      await untilTaken(.mustWait, since: before)
      await GraphActor.run {
        a.wrappedValue = 5
        a.wrappedValue = -1
      }
      require(try await seen == 5)
    }
  }

  private static let madeTrueEarly = Scenario(
    "a condition that becomes true before the wait has begun is not missed", [.keepsWaitResult]
  ) {
    let a = Stored(0)
    try await repeatUntilTaken(.keepsWaitResult) {
      await a.set(0)
      let isFirst = Box(true)
      let seen = try await a.first { value in
        if isFirst.value {
          isFirst.value = false
          Task { @GraphActor in
            a.wrappedValue = 5
            a.wrappedValue = -1
          }
        }
        return value > 0
      }
      require(seen == 5)
    }
  }

  private static let settled = Scenario(
    "who settles goes on if there is nothing to deliver", [.settlesAtOnce]
  ) {
    await GraphActor.settle()
    await GraphActor.settle()
  }

  private static let settledLater = Scenario(
    "who settles waits until a handler elsewhere has returned", [.settlesLater, .wakesSettling]
  ) {
    let log = EventLog<Int>()
    let a = Stored(0)
    let before = taken(.settlesLater)
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        a.wrappedValue
      } onChange: { @MainActor value in
        guard value > 0 else { return }
        // Ends when somebody settles; the time is for one who does not wait.
        let deadline = ContinuousClock.now + .seconds(2)
        while taken(.settlesLater) == before, .now < deadline {}
        log.record(value)
      }
    }
    await untilTasksAreFinished()
    await a.set(1)
    await GraphActor.settle()
    require(log.events == [1], "settled before the delivery")
    tracking.cancel()
  }

  private static let settledBefore = Scenario(
    "who settles waits for what was committed before, and for nothing later",
    [.settlesLater, .wakesSettling]
  ) {
    let log = EventLog<Int>()
    let allowed = Box(0)
    let a = Stored(0)
    let tracking = await withGraphTracking {
      withGraphTrackingMap {
        a.wrappedValue
      } onChange: { @MainActor value in
        while allowed.value < value {}
        log.record(value)
      }
    }
    try await log.wait(for: 0)
    let before = taken(.settlesLater)
    await a.set(1)
    async let first: Void = GraphActor.settle()
    await untilTaken(.settlesLater, since: before)
    async let second: Void = GraphActor.settle()
    await untilTaken(.settlesLater, since: before + 1)
    await a.set(2)
    allowed.value = 1
    await first
    await second
    require(log.events == [0, 1], "seen: \(log.events)")
    allowed.value = 2
    await GraphActor.settle()
    require(log.events == [0, 1, 2])
    tracking.cancel()
  }

  private struct Refused: Error {}

  private static let throwingCondition = Scenario(
    "a condition that throws at a commit ends the wait", [.signalsConsumer]
  ) {
    let a = Stored(0)
    try await repeatUntilTaken(.signalsConsumer) {
      await a.set(0)
      let before = taken(.mustWait)
      async let wait: Void = graphWait {
        if a.wrappedValue == 1 { throw Refused() }
        return false
      }
      await untilTaken(.mustWait, since: before)
      await a.set(1)
      do {
        try await wait
        Scenario.fail("no error")
      } catch is Refused {}
    }
  }
}
