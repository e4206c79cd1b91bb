// What the tasks of a run ask of it; on the driver thread, while one of them takes a step.

extension ScheduleExecutor {
  /// Notes that the body has returned or thrown.
  func bodyFinished() {
    // The body of a run that was given up may end later, in the pool, and is of no interest then.
    if Self.current === self { isBodyFinished = true }
  }

  /// Stores a continuation as a step that can be taken.
  ///
  /// - Parameters:
  ///   - action: Resumes the continuation with true.
  ///   - key: The key under which `unpark` finds it.
  func park(_ action: ScheduleQueue.Action, key: Int) {
    let owner = tasks.meetCurrent() ?? running
    suggestName(for: owner)
    if cancelledKeys.remove(key) != nil {
      resume(action)
    } else {
      queue.append(action, owner: owner, key: key)
    }
  }

  /// Resumes a continuation with false, now or as soon as it is stored.
  func unpark(key: Int) {
    if let entry = queue.remove(key: key) {
      resume(entry.action)
    } else {
      cancelledKeys.insert(key)
    }
  }

  private func resume(_ action: ScheduleQueue.Action) {
    switch action {
    case .yield(let continuation, _), .wakeUp(let continuation, _):
      continuation.resume(returning: false)
    case .job, .actor, .taskYield, .cancel:
      preconditionFailure("a step that is no wait was parked")
    }
  }

  /// Notes that the running task does something under a name.
  ///
  /// - Returns: The number of the task.
  func beginNamed(_ name: String) -> Int? {
    guard let number = tasks.meetCurrent() else { return nil }
    tasks.begin(number, name: name)
    return number
  }

  /// Notes that a task has done what it did under a name.
  func endNamed(_ number: Int?) {
    // A task that another thread runs must not touch the run, which is reported anyway.
    guard let number, Self.current === self else { return }
    tasks.end(number)
  }

  /// Notes where the running task is about to wait.
  ///
  /// - Returns: The number of the task.
  func beginWait(at place: String) -> Int? {
    guard let number = tasks.meetCurrent() else { return nil }
    suggestName(for: number)
    tasks.setPlace(place, of: number)
    return number
  }

  /// Notes that a task waits no longer.
  func endWait(_ number: Int?) {
    guard let number, Self.current === self else { return }
    tasks.setPlace(nil, of: number)
  }

  /// Adds a remark to the step that is being taken.
  func note(_ remark: String) {
    if configuration.isTraced { record.note(remark) }
  }

  private func suggestName(for number: Int) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), let name = Task.name {
      tasks.suggestName(name, for: number)
    }
  }
}
