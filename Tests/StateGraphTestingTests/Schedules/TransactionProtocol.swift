import StateGraph
import StateGraphTesting

/// Bodies that use transactions that await, waits, groups and async nodes as a service would.
enum TransactionProtocol {
  // MARK: - Transactions

  /// Transfers between two accounts, with readers of every kind.
  static func transfers(_ count: Int) async throws {
    let (one, two) = (Stored(0), Stored(0))
    let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
    try await withThrowingDiscardingTaskGroup { group in
      for number in 1...count {
        group.addTask {
          try await withGraphTransaction {
            one.wrappedValue -= number
            await Task.yield()
            try Schedule.require(
              sum.wrappedValue == -number, "half a transfer is \(sum.wrappedValue)")
            two.wrappedValue += number
          }
        }
      }
      group.addTask {
        for _ in 0..<2 {
          let seen = await GraphActor.run {
            (one.wrappedValue + two.wrappedValue, sum.wrappedValue)
          }
          try Schedule.require(seen == (0, 0), "a reader saw \(seen)")
        }
      }
      group.addTask {
        try await withGraphTransaction {
          let first = one.wrappedValue
          await Task.yield()
          try Schedule.require(first + two.wrappedValue == 0, "a transaction saw a mix")
        }
      }
    }
    let values = await [one.value, two.value]
    try Schedule.require(values[0] + values[1] == 0, "the transfers left \(values)")
    try Schedule.require(values[1] == count * (count + 1) / 2, "a transfer was lost: \(values)")
  }

  /// Increments by read, suspension and write.
  static func increments(_ count: Int) async throws {
    let node = Stored(0)
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          try await withGraphTransaction {
            let value = node.wrappedValue
            await Task.yield()
            node.wrappedValue = value + 1
          }
        }
      }
    }
    let value = await node.value
    try Schedule.require(value == count, "\(count) increments made \(value)")
  }

  /// Child tasks that join, and one that comes late.
  static func joining() async throws {
    let (inside, late) = (Stored(0), Stored(0))
    let task = try await withGraphTransaction {
      async let one: Void = inside.update { $0 += 1 }
      async let two: Void = inside.update { $0 += 1 }
      _ = await (one, two)
      try Schedule.require(inside.wrappedValue == 2, "a child did not join")
      return Task(executorPreference: Schedule.executor) { await late.set(1) }
    }
    let seen = await inside.value
    try Schedule.require(seen == 2, "the commit has \(seen)")
    await task.value
    let value = await late.value
    try Schedule.require(value == 1, "a late task's write was lost")
  }

  /// A transaction that is cancelled: all or nothing.
  static func cancelled() async throws {
    let (one, two) = (Stored(0), Stored(0))
    await withTaskGroup { group in
      group.addTask {
        await Schedule.named("transaction") {
          try? await withGraphTransaction {
            one.wrappedValue = 1
            await Task.yield()
            try Task.checkCancellation()
            two.wrappedValue = 1
          }
        }
      }
      group.addTask { await one.set(0) }
    }
    let seen = await GraphActor.run { (one.wrappedValue, two.wrappedValue) }
    try Schedule.require(seen.0 == 0 || seen.1 == 1, "half a transaction was committed: \(seen)")
    try await withGraphTransaction {
      await Task.yield()
      two.wrappedValue = 5
    }
    let last = await two.value
    try Schedule.require(last == 5, "the next transaction was not committed")
  }

  // MARK: - Waits

  /// A state that lasts for one commit.
  static func waiting() async throws {
    let node = Stored("A")
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await graphWait { node.wrappedValue == "B" } }
      group.addTask {
        while await node.watcherCount == 0 { await Task.yield() }
        // If the wait missed the first, nothing would end it.
        for value in ["B", "A", "C"] { await node.set(value) }
      }
    }
  }

  /// A wait that is cancelled while the commit comes that ends it.
  static func waitingUntilCancelled() async throws {
    let node = Stored(0)
    await withTaskGroup { group in
      group.addTask {
        await Schedule.named("wait") { _ = try? await node.first { $0 == 1 } }
      }
      group.addTask { await node.set(1) }
    }
  }

  /// Consumers that take from a queue in a transaction that waits.
  static func taking(_ count: Int) async throws {
    let queue = Stored<[Int]>([])
    let taken = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let element = try await withGraphTransaction(maximumAttempts: 100) {
            try await graphWait { !queue.wrappedValue.isEmpty }
            await Task.yield()
            return queue.wrappedValue.removeFirst()
          }
          taken.record(element)
        }
      }
      for element in 0..<count { await queue.update { $0.append(element) } }
    }
    try Schedule.require(taken.events.sorted() == Array(0..<count), "taken: \(taken.events)")
  }

  // MARK: - Groups

  /// Groups that are cancelled while commits and their runs are on the way.
  static func cancellingGroups() async throws {
    let node = Stored(0)
    let isCancelled = EventLog<Bool>()
    let tracking = await withGraphTracking {
      for delivery in [GraphDelivery.coalesced, .immediate] {
        withGraphTrackingGroup(delivery: delivery) {
          _ = node.wrappedValue
          withGraphTrackingGroup {
            if node.wrappedValue > 0, isCancelled.events.contains(true) {
              isCancelled.record(false)
            }
          }
        }
      }
    }
    await withTaskGroup { group in
      group.addTask { for value in 1...3 { await node.set(value) } }
      group.addTask {
        await Task.yield()
        tracking.cancel()
        isCancelled.record(true)
      }
    }
    await node.set(10)
    await GraphActor.settle()
    try Schedule.require(isCancelled.events == [true], "a group ran after its end")
  }

  /// Settling waits for groups, and for what these cause.
  static func settling() async throws {
    let (source, copy, copyOfCopy) = (Stored(0), Stored(0), Stored(0))
    let tracking = await withGraphTracking {
      withGraphTrackingGroup { copyOfCopy.wrappedValue = copy.wrappedValue }
      withGraphTrackingGroup { copy.wrappedValue = source.wrappedValue }
    }
    try await withThrowingDiscardingTaskGroup { group in
      for number in 1...2 {
        group.addTask {
          let mine = await source.update { value in
            value += number
            return value
          }
          await GraphActor.settle()
          let seen = await copyOfCopy.value
          try Schedule.require(seen >= mine, "settled, but \(mine) is still \(seen)")
        }
      }
    }
    tracking.cancel()
  }

  // MARK: - Async nodes

  /// Runs a body that uses async nodes, and waits until the tasks of their rules have ended.
  static func untilRulesHaveEnded(_ body: () async throws -> Void) async throws {
    try await body()
    while await Graph.shared.nodeCount > 0 { await Task.yield() }
  }

  /// A dependency changes while the rule runs.
  static func restarting() async throws {
    let source = Stored(0)
    let node = AsyncComputed {
      let one = await source.value
      await Task.yield()
      let two = await source.value
      return [one, two]
    }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for value in 1...2 {
          await source.set(value)
          let seen = try await node.value
          try Schedule.require(seen == [value, value], "after \(value), the rule returned \(seen)")
        }
      }
      group.addTask {
        let seen = try await node.value
        try Schedule.require(seen[0] == seen[1], "a superseded run was published: \(seen)")
      }
    }
  }

  /// The last task that waits is cancelled while the run comes to its end.
  static func stoppingRun() async throws {
    let source = Stored(1)
    let node = AsyncComputed {
      await Task.yield()
      return await source.value
    }
    await withTaskGroup { group in
      group.addTask {
        await Schedule.named("waiter") { _ = try? await node.value }
      }
    }
    let value = try await node.value
    try Schedule.require(value == 1, "the next waiter got \(value)")
  }

  /// A node is released while its rule runs.
  static func releasingRun() async throws {
    let source = Stored(1)
    do {
      let node = AsyncComputed {
        await Task.yield()
        return await source.value
      }
      _ = await node.state
    }
    await source.set(2)
    await GraphActor.settle()
  }
}
