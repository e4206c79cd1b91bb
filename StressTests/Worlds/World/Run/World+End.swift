import StateGraph

extension World {
  /// Lets everything come to rest, and verifies what was delivered.
  func end() async {
    await closing.set(true)
    Progress.enter("end: tasks")
    await comeToRest()
    Progress.enter("end: verification")
    await verifyAll("end")
    await verifyCounters()
    await verifyReactions()
    Progress.enter("end: followers")
    await verifyFollowers()
    verifyForgotten()
    Progress.enter("end: cancellation")
    await cancelAll()
    await joinTasks()
  }

  /// Waits until there is nothing to be delivered and no task that may write.
  private func comeToRest() async {
    repeat {
      await joinTasks()
      await GraphActor.settle()
    } while tasks.with { !$0.isEmpty }
  }

  /// Waits for everything that has been started, and for what that starts.
  private func joinTasks() async {
    while true {
      let due = tasks.with { tasks in
        defer { tasks = [] }
        return tasks
      }
      guard !due.isEmpty else { return }
      for task in due {
        await task.value
        Progress.step()
      }
    }
  }

  private func verifyCounters() async {
    for counter in counters {
      let number = await counter.source.currentNumber()
      let increments = counter.increments.value
      require(
        number == increments, "lost updates",
        "\(counter.source.name) is \(number) after \(increments) increments")
    }
  }

  /// Verifies what groups and maps have seen, when nothing has been committed while they settled:
  /// the end of a value that a reader has held up can still write.
  private func verifyReactions() async {
    let entries = trackings.with { $0 }
    while true {
      let before = await GraphActor.run { Graph.shared.version }
      await GraphActor.settle()
      let isAtRest = await GraphActor.run {
        guard Graph.shared.version == before else { return false }
        verify(entries)
        return true
      }
      if isAtRest { return }
    }
  }

  @GraphActor
  private func verify(_ entries: [TrackingEntry]) {
    for entry in entries where !entry.cancellable.isCancelled {
      for record in entry.records { record.verifyEnd() }
    }
  }

  /// Waits until each follower has seen the last value; the watchdog ends a wait in vain.
  private func verifyFollowers() async {
    for follower in followers.with({ $0 }) {
      Watchdog.note("end", "waits for the follower of \(follower.name)")
      guard let isUpToDate = follower.isUpToDate else { continue }
      while await !isUpToDate() { await Task.yield() }
    }
    Watchdog.note("end", nil)
  }

  private func verifyForgotten() {
    let left = ended.with { $0.filter { $0.cancellable != nil }.count }
    require(left == 0, "memory", "\(left) trackings that have been cancelled are kept")
  }

  private func cancelAll() async {
    for follower in followers.with({ $0 }) {
      Watchdog.note("end", "cancels the follower of \(follower.name)")
      follower.task.cancel()
      await follower.task.value
    }
    followers.with { $0 = [] }
    while let entry = take(0) { entry.cancellable.cancel() }
    await GraphActor.settle()
    Watchdog.note("end", nil)
  }
}
