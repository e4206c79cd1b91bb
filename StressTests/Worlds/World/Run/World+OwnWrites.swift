import StateGraph

// What a group, and what its run causes others to write, is news to it or is not.

extension World {
  /// What a nested group writes in its first run is news to the outer one.
  func writeNested() async {
    let number = Stored(1)
    let double = Stored(0)
    let seen = Locked(-1)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = double.wrappedValue
        seen.with { $0 = value }
        withGraphTrackingGroup { double.wrappedValue = number.wrappedValue * 2 }
      }
    }
    for value in [1, 5] {
      await number.set(value)
      await GraphActor.settle()
      let last = seen.with { $0 }
      require(last == 2 * value, "deliveries", "an outer group has seen \(last) of \(2 * value)")
    }
    tracking.cancel()
  }

  /// What the handler of an assignment writes is news to the group that assigns.
  func writeInHandler() async {
    let number = Stored(1)
    let assigned = Stored(0)
    let double = Stored(0)
    await GraphActor.run { assigned.onDidSet { _, new in double.wrappedValue = new * 2 } }
    let seen = Locked(-1)
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        let value = double.wrappedValue
        seen.with { $0 = value }
        assigned.wrappedValue = number.wrappedValue
      }
    }
    await number.set(5)
    await GraphActor.settle()
    let last = seen.with { $0 }
    require(last == 10, "deliveries", "a group whose write has a handler has seen \(last)")
    tracking.cancel()
  }

  /// A group that writes in a transaction, and reads there what derives from it, runs once for a
  /// change.
  func readStaged() async {
    let number = Stored(0)
    let written = Stored(0)
    let double = written.map { $0 * 2 }
    let runs = Tally()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup {
        runs.add()
        withGraphTransaction {
          written.wrappedValue = number.wrappedValue
          _ = double.wrappedValue
        }
      }
    }
    for value in 1...5 {
      await number.set(value)
      await GraphActor.settle()
    }
    require(
      runs.value == 6, "runs", "a group that reads what it stages has run \(runs.value) times")
    tracking.cancel()
    withExtendedLifetime(double) {}
  }

  /// A transaction that waits, and has read a node that it has made, does not run without a change.
  func waitWithDraft() async {
    let gate = Stored(false)
    let attempts = Tally()
    let task = Task.detached {
      try await withGraphTransaction {
        attempts.add()
        let draft = Stored(3)
        _ = draft.wrappedValue
        try await graphWait { gate.wrappedValue }
      }
    }
    while attempts.value == 0 { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    let count = attempts.value
    await gate.set(true)
    let result = await task.result
    require(count <= 2, "runs", "a transaction that waits has run \(count) times")
    if case .failure(let error) = result { report("waits", "a wait has failed: \(error)") }
  }
}
