import StateGraph

// Other threads of the process: what they give to a run, and whether they are about to.

extension ScheduleExecutor {
  /// What other threads put into the mailbox of a run.
  enum Mail: Sendable {
    /// A job of the run.
    case job(UnownedJob)
    /// The graph's actor has done what it had to do before.
    case probe
  }

  /// Takes what other threads have sent.
  ///
  /// - Parameter isStart: Whether these are the jobs that begin the run.
  /// - Returns: Whether the probe is among it.
  @discardableResult
  func takeMail(isStart: Bool = false) -> Bool {
    var hasProbe = false
    for mail in mailbox.takeAll() {
      guard case .job(let job) = mail else {
        hasProbe = true
        continue
      }
      let identity = JobIdentity(job)
      if !isStart {
        let name = tasks.number(of: job, identity).map { tasks.name(of: $0) } ?? "an actor"
        noteUncontrolled(
          "\(name) was woken or run by another thread after step \(record.stepCount)")
      }
      accept(job, identity)
    }
    return hasProbe
  }

  /// Waits until another thread has given the run something to do, if one is about to.
  ///
  /// - Returns: Whether there is something to do.
  func hasNewsFromOutside() -> Bool {
    if !waitForGraphActor() {
      noteUncontrolled("GraphActor was held by other code after step \(record.stepCount)")
    }
    if queue.candidates.isEmpty, mailbox.wait(milliseconds: configuration.grace) { takeMail() }
    return !queue.candidates.isEmpty
  }

  /// Waits until the graph's actor has done everything that the run has left with it.
  ///
  /// A task of the run that enters an actor held by another thread is in neither queue: that thread
  /// runs it, and then gives it back. What is sent after it comes back after it. The probe runs in
  /// the pool, because an actor that the driver thread runs may bring other code along.
  ///
  /// - Returns: False if it takes too long.
  private func waitForGraphActor() -> Bool {
    isProbing = true
    Task(priority: configuration.priority) { @GraphActor [mailbox] in _ = mailbox.put(.probe) }
    isProbing = false
    while true {
      guard mailbox.wait(milliseconds: 10_000) else { return false }
      if takeMail() { return true }
    }
  }
}
