import StateGraph
import StateGraphTesting

// Transactions without others in their way.

extension Scenario {
  static let transactions = [
    staging, oneWrite, noChange, nesting, error, stagedReads, memos, followers, lateTask, outlived,
    removalInside,
  ]

  private struct Refused: Error {}

  private static let staging = Scenario(
    "several writes are one version, and the transaction sees its own",
    [.stagesFirst, .stagesAgain, .readsOwnWrite, .readsCommitted, .commitsManyWrites]
  ) {
    let a = Stored(1)
    let b = Stored(10)
    let c = Stored(100)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue + c.wrappedValue }
    require(await sum.value == 111)
    let before = await latestVersion()
    await withGraphTransaction {
      a.wrappedValue += 1
      a.wrappedValue += 1
      b.wrappedValue = a.wrappedValue + c.wrappedValue
      require(a.wrappedValue == 3 && a.committedValue == 1)
    }
    require(await latestVersion() == before + 1)
    require(a.committedValue == 3 && b.committedValue == 103, "half a commit")
    require(await sum.value == 206)
  }

  private static let oneWrite = Scenario(
    "a transaction with one write is one version", [.commitsOneWrite]
  ) {
    let a = Stored(1)
    let before = await latestVersion()
    await withGraphTransaction { a.wrappedValue = 2 }
    require(await latestVersion() == before + 1)
    require(await a.value == 2)
  }

  private static let noChange = Scenario(
    "a transaction that changes nothing makes no commit", [.commitsNothing]
  ) {
    let a = Stored(1)
    let before = await latestVersion()
    await withGraphTransaction {
      a.wrappedValue = 2
      a.wrappedValue = 1
    }
    require(await latestVersion() == before)
  }

  private static let nesting = Scenario(
    "nested transactions join", [.joinsTransaction, .joinsAsyncTransaction]
  ) {
    let a = Stored(1)
    let before = await latestVersion()
    try await withGraphTransaction {
      a.wrappedValue = 2
      withGraphTransaction { a.wrappedValue += 1 }
      try await withGraphTransaction {
        await Task.yield()
        a.wrappedValue += 1
      }
      require(a.wrappedValue == 4 && a.committedValue == 1)
    }
    require(await a.value == 4)
    require(await latestVersion() == before + 1)
  }

  private static let error = Scenario(
    "an error discards everything", [.rollsBackOnError]
  ) {
    let a = Stored(1)
    let before = await latestVersion()
    do {
      try await withGraphTransaction {
        a.wrappedValue = 2
        throw Refused()
      }
    } catch is Refused {}
    do {
      try await withGraphTransaction {
        a.wrappedValue = 3
        await Task.yield()
        throw Refused()
      }
    } catch is Refused {}
    require(await a.value == 1, "a transaction that has failed has left something behind")
    require(await latestVersion() == before)
  }

  private static let stagedReads = Scenario(
    "computed nodes in a transaction follow its writes, and run no more than they must",
    [.servesStagedFromCache, .verifiesStaged, .runsStaged, .servesStagedFromMemo]
  ) { @GraphActor in
    let log = EventLog<String>()
    let a = Stored(1)
    let other = Stored(1)
    let parity = log.computed("parity") { a.wrappedValue % 2 }
    let top = log.computed("top") { parity.wrappedValue + 10 }
    let aside = log.computed("aside") { other.wrappedValue }
    require([top.wrappedValue, aside.wrappedValue] == [11, 1])
    _ = log.take()
    withGraphTransaction {
      a.wrappedValue = 3
      require([top.wrappedValue, top.wrappedValue, aside.wrappedValue] == [11, 11, 1])
      require(log.take() == ["parity"])
      a.wrappedValue = 4
      require([top.wrappedValue, top.wrappedValue] == [10, 10])
      require(log.take() == ["parity", "top"])
    }
    require(top.wrappedValue == 10)
    require(log.take() == ["parity", "top"])
  }

  private static let memos = Scenario(
    "a staged write ends what was known of computed nodes", [.forgetsMemos]
  ) { @GraphActor in
    let a = Stored(1)
    let double = a.map { $0 * 2 }
    require(double.wrappedValue == 2)
    withGraphTransaction {
      for value in 2...4 {
        a.wrappedValue = value
        require(double.wrappedValue == value * 2)
      }
    }
  }

  private static let followers = Scenario(
    "who saw what was staged looks again after a rollback",
    [.makesFollowersLook, .invalidatesWatcher]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let tracking = Box<GraphCancellable?>(nil)
    do {
      try await withGraphTransaction {
        a.wrappedValue = 5
        tracking.value = withGraphTracking { withGraphTrackingGroup { log.record(a.wrappedValue) } }
        throw Refused()
      }
    } catch is Refused {}
    await GraphActor.settle()
    require(log.events == [5, 1], "seen: \(log.events)")
  }

  private static let lateTask = Scenario(
    "a task that outlives its transaction writes outside of it", [.actsAfterEnd]
  ) {
    let a = Stored(1)
    let isOver = Gate("the transaction is over")
    let late = Box<Task<Void, any Error>?>(nil)
    try await withGraphTransaction {
      await Task.yield()
      late.value = Task {
        try await isOver.pass()
        await a.set(7)
      }
    }
    // Only while another one is open does anybody look at what tasks carry.
    try await withGraphTransaction {
      let task = late.value
      isOver.open()
      await outside { _ = await task?.result }
      require(a.committedValue == 7, "the write was lost")
    }
    require(await a.value == 7)
  }

  private static let outlived = Scenario(
    "a nested transaction that outlives the one it has joined throws", [.outlivesTransaction]
  ) {
    let gate = Gate("nested")
    let nested = Box<Task<Void, any Error>?>(nil)
    try await withGraphTransaction {
      nested.value = Task { try await withGraphTransaction { try await gate.pass() } }
      try await gate.arrivals(1)
    }
    gate.open()
    do {
      try await nested.value?.value
      Scenario.fail("no error")
    } catch let error as GraphTransactionError {
      require(error.code == .outlived)
    }
  }

  private static let removalInside = Scenario(
    "nodes are removed for nobody, also in the task of a transaction", [.deliversForNobody]
  ) {
    let log = EventLog<Int>()
    let a = Stored(1)
    let box = Box<GraphCancellable?>(nil)
    box.value = await withGraphTracking {
      withGraphTrackingGroup { withGraphTrackingCleanup { log.record(a.wrappedValue) } }
    }
    try await withGraphTransaction {
      await Task.yield()
      a.wrappedValue = 2
      box.value = nil
      Graph.shared.arrive()
    }
    require(log.events == [1], "a cleanup has seen what was staged")
  }
}
