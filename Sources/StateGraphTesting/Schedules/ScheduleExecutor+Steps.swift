import Synchronization

extension ScheduleExecutor {
  /// Makes the whole run; to be called on the driver thread.
  ///
  /// - Returns: How it has ended. Nothing of it is left to do then, except for tasks that wait for
  ///   ever.
  func drive() -> Ending {
    DriverThread.run = self
    takeMail(isStart: true)
    let ending = takeSteps()
    if configuration.isTraced { record.names = tasks.records.indices.map { tasks.name(of: $0) } }
    if ending != .finished { cleanUp() }
    DriverThread.run = nil
    for case .job(let job) in mailbox.close() {
      globalConcurrentExecutor.enqueue(ExecutorJob(job))
    }
    cancelBody = {}
    isThrough.store(true, ordering: .releasing)
    return ending
  }

  private func takeSteps() -> Ending {
    while true {
      takeMail()
      makePlannedCancellations()
      let candidates = queue.candidates
      let isOver = candidates.isEmpty && isBodyFinished
      let offers = isOver ? [] : candidates + offeredCancellations()
      if offers.isEmpty {
        if isBodyFinished {
          tasks.dropKept()
          // The results that they held may have left something to do.
          if queue.candidates.isEmpty { return .finished }
          continue
        }
        if hasNewsFromOutside() { continue }
        waiting = waitingTasks()
        return .stuck
      }
      guard record.stepCount < configuration.maximumSteps else { return .tooLong }
      take(offers)
    }
  }

  private func take(_ offers: [ScheduleQueue.Entry]) {
    let moment = ScheduleMoment(
      owners: offers.map(\.owner), isContinued: queue.isContinued(offers),
      spinning: queue.isSpinning ? queue.focus : nil)
    let choice = chooser.choose(moment)
    let entry = offers[choice]
    record.add(choice: choice, of: offers.count, owner: entry.owner)
    if configuration.isTraced {
      record.trace.append(
        ScheduleRecord.Step(
          done: entry.deed, insteadOf: choice > 0 ? offers[0].deed : nil))
    }
    if entry.owner != ScheduleQueue.outside {
      _ = queue.remove(key: entry.key)
      queue.stepTaken(entry)
      tasks.stepTaken(by: entry.owner, step: record.stepCount)
    }
    perform(entry)
  }

  private func perform(_ entry: ScheduleQueue.Entry) {
    running = entry.owner
    switch entry.action {
    case .job(let job), .actor(let job):
      job.runSynchronously(on: asUnownedTaskExecutor())
    case .taskYield(let job):
      goOn(entry.owner) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    case .yield(let continuation, _):
      goOn(entry.owner) { continuation.resume(returning: true) }
    case .wakeUp(let continuation, let end):
      now = max(now, end)
      goOn(entry.owner) { continuation.resume(returning: true) }
    case .cancel(let task):
      cancellations.removeAll { $0.step == nil && number(of: $0) == task }
      canceller(of: task)?()
    }
  }

  /// Resumes a task and runs it, in one step: resuming alone is nothing that anybody could see.
  private func goOn(_ task: Int, _ resume: () -> Void) {
    let count = queue.readyCount
    resume()
    if let entry = queue.removeOnlyEntry(of: task, since: count) { perform(entry) }
  }

  /// Ends what can be ended after a run has gone wrong, so that the next one finds an idle actor.
  private func cleanUp() {
    cancelBody()
    for _ in 0..<configuration.maximumSteps {
      for case .job(let job) in mailbox.takeAll() { enqueue(ExecutorJob(job)) }
      guard let entry = queue.candidates.first, let taken = queue.remove(key: entry.key) else {
        return
      }
      perform(taken)
    }
    // A task that goes on for ever, cancelled or not, does so in the pool.
    DriverThread.run = nil
    while let entry = queue.candidates.first, let taken = queue.remove(key: entry.key) {
      switch taken.action {
      case .job(let job), .actor(let job), .taskYield(let job):
        globalConcurrentExecutor.enqueue(ExecutorJob(job))
      case .yield(let continuation, _), .wakeUp(let continuation, _):
        continuation.resume(returning: false)
      case .cancel:
        break
      }
    }
  }
}

// MARK: - Cancellations

extension ScheduleExecutor {
  private func number(of cancellation: ScheduleCancellation) -> Int? {
    switch cancellation.target {
    case .number(let number): number
    case .name(let name): tasks.number(named: name)
    }
  }

  /// The cancellations that could be made now, each once.
  private func offeredCancellations() -> [ScheduleQueue.Entry] {
    guard !cancellations.isEmpty else { return [] }
    var offers: [ScheduleQueue.Entry] = []
    for cancellation in cancellations where cancellation.step == nil {
      guard let number = number(of: cancellation), canceller(of: number) != nil else { continue }
      offers.append(
        ScheduleQueue.Entry(
          action: .cancel(task: number), owner: ScheduleQueue.outside, key: -1))
    }
    return offers
  }

  private func makePlannedCancellations() {
    guard !cancellations.isEmpty else { return }
    let step = record.stepCount + 1
    for cancellation in cancellations where cancellation.step == step {
      guard let number = number(of: cancellation), let cancel = canceller(of: number) else {
        continue
      }
      note("\(tasks.name(of: number)) is cancelled")
      cancel()
    }
    cancellations.removeAll { $0.step == step }
  }

  private func canceller(of number: Int) -> (() -> Void)? {
    guard number == 0 else { return tasks.canceller(of: number, job: queue.job(of: number)) }
    return isBodyFinished ? nil : cancelBody
  }
}

// MARK: - Words

extension ScheduleExecutor {
  /// The tasks that have begun and not ended.
  private func waitingTasks() -> [String] {
    tasks.records.indices.compactMap { number in
      if number == 0 ? isBodyFinished : tasks.hasEnded(number) == true { return nil }
      let record = tasks.records[number]
      var text = "\(tasks.name(of: number)), since step \(record.lastStep)"
      if let place = record.place { text += ", at \(place)" }
      if number > 0, tasks.hasEnded(number) == nil { text += " (or it has ended)" }
      return text
    }
  }
}

extension ScheduleQueue.Entry {
  /// What taking the step does, for a reader.
  fileprivate var deed: ScheduleRecord.Deed {
    switch action {
    case .job: ScheduleRecord.Deed(task: owner, detail: "")
    case .actor: ScheduleRecord.Deed(task: owner, detail: " (on an actor)")
    case .taskYield: ScheduleRecord.Deed(task: owner, detail: " (after a yield)")
    case .yield(_, nil): ScheduleRecord.Deed(task: owner, detail: " (after a yield)")
    case .yield(_, let label?):
      ScheduleRecord.Deed(task: owner, detail: " (after yield \(String(reflecting: label)))")
    case .wakeUp(_, let end): ScheduleRecord.Deed(task: owner, detail: " (wakes up at \(end))")
    case .cancel(let task): ScheduleRecord.Deed(task: task, detail: " is cancelled, from outside")
    }
  }
}
