/// What the tasks of a run could do next.
///
/// Plain data: it says which steps there are and in which order they are offered. A chooser picks
/// one, the executor takes it.
struct ScheduleQueue {
  /// Something that could be done next.
  struct Entry {
    let action: Action
    /// The task that goes on: its number in the run.
    let owner: Int
    /// What distinguishes it from every other entry of the run.
    let key: Int
  }

  /// What taking a step does.
  enum Action {
    /// Runs a job of a task.
    case job(UnownedJob)
    /// Runs an actor that has work; which of its tasks is not known from outside.
    case actor(UnownedJob)
    /// Goes on after `Task.yield()`.
    case taskYield(UnownedJob)
    /// Goes on after `Schedule.yield(_:)`.
    case yield(UnsafeContinuation<Bool, Never>, label: String?)
    /// Goes on after a sleep.
    case wakeUp(UnsafeContinuation<Bool, Never>, at: Duration)
    /// Cancels a task, from outside.
    case cancel(task: Int)
  }

  /// The owner of an injected cancellation.
  static let outside = -1

  /// The steps that can be taken, oldest first.
  private var ready: [Entry] = []
  /// The sleeps, the earliest end first; oldest first among those that end together.
  private var sleeps: [(end: Duration, entry: Entry)] = []
  /// The task that took the last step.
  private(set) var focus = 0
  /// How often that task has gone on after a yield since another one took a step.
  private var yieldsInARow = 0
  /// How many entries there have been.
  private var entryCount = 0

  /// A key for an entry that is yet to be added.
  mutating func makeKey() -> Int {
    entryCount += 1
    return entryCount
  }

  /// Adds an entry, as the newest.
  mutating func append(_ action: Action, owner: Int, key: Int? = nil) {
    let entry = Entry(action: action, owner: owner, key: key ?? makeKey())
    guard case .wakeUp(_, let end) = action else { return ready.append(entry) }
    let place = sleeps.firstIndex { $0.end > end } ?? sleeps.endIndex
    sleeps.insert((end, entry), at: place)
  }

  /// Takes an entry out, if it is there.
  mutating func remove(key: Int) -> Entry? {
    if let place = ready.firstIndex(where: { $0.key == key }) { return ready.remove(at: place) }
    if let place = sleeps.firstIndex(where: { $0.entry.key == key }) {
      return sleeps.remove(at: place).entry
    }
    return nil
  }

  /// Takes the entry out that has been added since there were fewer, if it is the only one and
  /// belongs to a task.
  mutating func removeOnlyEntry(of owner: Int, since count: Int) -> Entry? {
    guard ready.count == count + 1, ready[count].owner == owner else { return nil }
    return ready.removeLast()
  }

  /// How many steps can be taken, but for sleeps.
  var readyCount: Int { ready.count }

  /// Notes that a step of a task is being taken.
  mutating func stepTaken(_ entry: Entry) {
    if entry.owner != focus { yieldsInARow = 0 }
    if entry.isYield { yieldsInARow += 1 }
    focus = entry.owner
  }

  /// Whether the task that took the last step does nothing but yield while others could go on.
  ///
  /// Then it is not offered until one of them has taken a step, or a loop that asks again and again
  /// would never end under a strategy that prefers it (M. Musuvathi, S. Qadeer, "Fair Stateless
  /// Model Checking", PLDI 2008).
  var isSpinning: Bool {
    yieldsInARow >= Self.allowedYields
      && (!sleeps.isEmpty || ready.contains { $0.owner != focus })
  }

  /// How often a task may yield in a row while others could go on.
  private static var allowedYields: Int { 100 }

  /// The steps among which to choose.
  ///
  /// First what the task that took the last step could do, then everything else, oldest first,
  /// then the sleeps that end next. So the first entry always is the one that switches between
  /// tasks as little as possible, and a list of choices with many zeros is one that a person can
  /// follow.
  ///
  /// - Complexity: O(entries).
  var candidates: [Entry] {
    var result = isSpinning ? [] : ready.filter { $0.owner == focus }
    result += ready.filter { $0.owner != focus }
    if let first = sleeps.first {
      result += sleeps.prefix { $0.end == first.end }.map(\.entry)
    }
    return result
  }

  /// Whether the first candidate goes on with the task that took the last step.
  func isContinued(_ candidates: [Entry]) -> Bool { candidates.first?.owner == focus }

  /// Whether a job of a task is waiting to run.
  func job(of task: Int) -> UnownedJob? {
    for entry in ready where entry.owner == task {
      if case .job(let job) = entry.action { return job }
    }
    return nil
  }
}

extension ScheduleQueue.Entry {
  /// Whether the step goes on after a yield.
  fileprivate var isYield: Bool {
    switch action {
    case .taskYield, .yield: true
    case .job, .actor, .wakeUp, .cancel: false
    }
  }
}
