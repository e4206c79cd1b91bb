/// What a run has done.
struct ScheduleRecord: Sendable {
  /// A step, for a reader.
  struct Step: Sendable {
    /// What was done.
    let done: Deed
    /// What would have been done by the first choice, if it was another one.
    let insteadOf: Deed?
    /// The other tasks that have been made, or can go on, because of the step.
    var woken: [Int] = []
    /// What the tasks remarked during the step.
    var notes: [String] = []
  }

  /// What a step does.
  struct Deed: Sendable {
    /// The number of the task.
    let task: Int
    /// What is special about the step, in words that follow the name of the task.
    let detail: String
  }

  /// Identifies the schedule: the same for the same choices among the same steps.
  ///
  /// FNV-1a over the choices (G. Fowler, L. C. Noll, K.-P. Vo).
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  /// How many steps there were.
  private(set) var stepCount = 0
  /// The choices, one for each step at which there was more than one candidate.
  private(set) var choices: [Int] = []
  /// Among how many candidates each of the choices was made.
  private(set) var counts: [Int] = []
  /// The hash after each step, to tell where two runs part.
  private(set) var hashes: [UInt64] = []
  /// The steps, if the run was traced.
  var trace: [Step] = []
  /// The names of the tasks, by number, if the run was traced.
  var names: [String] = []

  /// Adds a remark to the latest step.
  mutating func note(_ remark: String) {
    if !trace.isEmpty { trace[trace.count - 1].notes.append(remark) }
  }

  /// Notes that a task can go on because of the latest step.
  mutating func wakes(_ task: Int) {
    if let step = trace.last, step.done.task != task, !step.woken.contains(task) {
      trace[trace.count - 1].woken.append(task)
    }
  }

  /// Adds a step.
  mutating func add(choice: Int, of count: Int, owner: Int) {
    stepCount += 1
    for number in [choice, count, owner] {
      hash = (hash ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
    }
    hashes.append(hash)
    guard count > 1 else { return }
    choices.append(choice)
    counts.append(count)
  }

  /// The choices without those at the end that are made anyway.
  var shortChoices: [Int] {
    var result = choices
    while result.last == 0 { result.removeLast() }
    return result
  }
}
