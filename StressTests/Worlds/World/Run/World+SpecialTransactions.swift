import StateGraph

extension World {
  /// Waits for an async node in a transaction, in a task of its own: the node may itself wait for
  /// what only the end of the world brings.
  func awaitInTransaction(_ place: Int, target: Int) {
    let node = outcome(place)
    let written = writable(target)
    start {
      do {
        try await withGraphTransaction(maximumAttempts: 1_000) {
          let number = try await node.outcomeOrThrow()
          written.assign(number % 40)
        }
      } catch is WorldFailure {
      } catch is CancellationError {
      } catch GraphTransactionError.conflict {
      } catch {
        report("transactions", "a transaction that awaits a node has failed: \(error)")
      }
    }
  }

  /// Starts a task in a transaction that writes when the transaction is over: its write is a commit
  /// of its own, whatever has become of the transaction.
  func outliveTransaction(fails: Bool) async {
    let isOver = Tally()
    let written = Stored(0)
    let started = Locked<[Task<Void, Never>]>([])
    try? await withGraphTransaction { () async throws in
      written.wrappedValue = 1
      let task = Task {
        while isOver.value == 0 { await Task.yield() }
        await written.update { $0 += 10 }
        await GraphActor.run { written.wrappedValue += 100 }
      }
      started.with { $0.append(task) }
      if fails { throw WorldFailure(number: 3) }
    }
    isOver.add()
    for task in started.with({ $0 }) { await task.value }
    let number = written.committedValue
    require(
      number == (fails ? 110 : 111), "transactions",
      "a task that outlives a transaction has written \(number)")
  }

  /// Cancels the task of a transaction: it commits all or nothing.
  func cancelTransaction(_ place: Int, to number: Int) async {
    let node = writable(place)
    let written = Stored(0)
    let other = Stored(0)
    let task = Task.detached {
      try await withGraphTransaction {
        written.wrappedValue = 1
        node.assign(number)
        await Task.yield()
        try Task.checkCancellation()
        other.wrappedValue = 1
      }
    }
    await Task.yield()
    task.cancel()
    let result = await task.result
    let (one, two) = await GraphSnapshot.values(of: written, other)
    let isCommitted = if case .success = result { 1 } else { 0 }
    require(
      one == isCommitted && two == isCommitted, "transactions",
      "a cancelled transaction has written \(one) and \(two): \(result)")
  }

  /// Begins to follow a node in a transaction: what follows the first element are commits, and at
  /// the end the last value.
  @GraphActor
  func beginStream(_ source: any Source) async {
    let follower = await begunFollower(source)
    followers.with { $0.append(follower) }
  }
}
