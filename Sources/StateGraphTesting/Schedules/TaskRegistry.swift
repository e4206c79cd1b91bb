/// The tasks of a run, numbered in the order in which they are met; the body is number 0.
struct TaskRegistry {
  /// What is known of a task.
  struct Record {
    /// The number that the concurrency library gave it; nil if it has been met by name only.
    var id: UInt64?
    /// Its name, if it has said one.
    var name: String?
    /// The step that it took last.
    var lastStep = 0
    /// How many `Schedule.named` are around what it does.
    var namedDepth = 0
    /// Whether a `Schedule.named` that it was in has ended.
    var hasEndedNamed = false
    /// Where it waits, if it waits at a gate or the like.
    var place: String?
    /// The task as it knows itself, while it is inside `Schedule.named`.
    var handle: UnsafeCurrentTask?
    /// The task, if it is kept.
    var kept: KeptTask?
  }

  /// Which tasks are kept in memory, with their results, until the run has ended.
  enum Keeping {
    /// Those with these numbers: they are going to be cancelled.
    case some(Set<Int>)
    /// Every one, to tell those that wait from those that have ended.
    case all
  }

  private(set) var records: [Record] = []
  /// Where the tasks are in `records`, by the number that the concurrency library gave them.
  private var numbers: [UInt64: Int] = [:]
  /// The task that was last seen at an address.
  private var addresses: [UInt: Int] = [:]
  private let keeping: Keeping

  init(keeping: Keeping) {
    self.keeping = keeping
  }

  /// The number of the task that a job belongs to; nil if it belongs to none.
  mutating func number(of job: UnownedJob, _ identity: JobIdentity) -> Int? {
    guard let id = identity.task else { return nil }
    if let number = numbers[id] { return number }
    let number: Int
    if let met = addresses[identity.address], records[met].id == nil {
      number = met
      records[number].id = id
    } else {
      number = add(id: id, at: identity.address)
    }
    numbers[id] = number
    if isToBeKept(number) { records[number].kept = KeptTask(job) }
    return number
  }

  /// The number of the task that is running, if it has been met.
  var current: Int? {
    JobIdentity.addressOfCurrentTask.flatMap { addresses[$0] }
  }

  /// The number of the task that is running; nil outside of every task.
  mutating func meetCurrent() -> Int? {
    guard let address = JobIdentity.addressOfCurrentTask else { return nil }
    return addresses[address] ?? add(id: nil, at: address)
  }

  /// Whether a task was made before the run began, and so belongs to somebody else.
  func precedesRun(_ identity: JobIdentity) -> Bool {
    guard let id = identity.task, let first = records.first?.id else { return false }
    return id < first
  }

  /// Whether a task has been met.
  func hasMet(_ identity: JobIdentity) -> Bool {
    identity.task.map { numbers[$0] != nil } ?? false
  }

  private mutating func add(id: UInt64?, at address: UInt) -> Int {
    records.append(Record(id: id))
    addresses[address] = records.count - 1
    return records.count - 1
  }

  private func isToBeKept(_ number: Int) -> Bool {
    switch keeping {
    case .some(let wanted): wanted.contains(number)
    case .all: true
    }
  }
}

// MARK: - What tasks say and do

extension TaskRegistry {
  /// Notes that a task has taken a step.
  mutating func stepTaken(by number: Int, step: Int) {
    if records.indices.contains(number) { records[number].lastStep = step }
  }

  /// Notes that the running task does something under a name.
  mutating func begin(_ number: Int, name: String) {
    records[number].name = name
    records[number].namedDepth += 1
    if records[number].handle == nil {
      withUnsafeCurrentTask { records[number].handle = $0 }
    }
  }

  /// Notes that the running task has done what it did under a name.
  mutating func end(_ number: Int) {
    records[number].namedDepth -= 1
    guard records[number].namedDepth == 0 else { return }
    records[number].hasEndedNamed = true
    records[number].handle = nil
  }

  /// Notes where a task waits, or that it goes on.
  mutating func setPlace(_ place: String?, of number: Int) {
    records[number].place = place
  }

  /// Gives a task a name if it has none.
  mutating func suggestName(_ name: String, for number: Int) {
    if records[number].name == nil { records[number].name = name }
  }

  /// What messages call a task.
  func name(of number: Int) -> String {
    guard records.indices.contains(number) else { return "task \(number)" }
    return records[number].name ?? (number == 0 ? "body" : "task \(number)")
  }

  /// The number of the first task with a name.
  func number(named name: String) -> Int? {
    records.firstIndex { $0.name == name }
  }

  /// Lets go of all kept tasks, and of the results that they hold.
  mutating func dropKept() {
    for number in records.indices { records[number].kept = nil }
  }

  /// Whether a task has ended; nil if that cannot be told from a wait.
  func hasEnded(_ number: Int) -> Bool? {
    let record = records[number]
    if record.namedDepth > 0 { return false }
    if record.hasEndedNamed { return true }
    guard let kept = record.kept else { return nil }
    return kept.hasEnded
  }

  /// What cancels a task; nil if it is out of reach.
  ///
  /// To be called when no access to the registry is under way: a cancellation runs handlers.
  ///
  /// - Parameters:
  ///   - number: The task; not the body.
  ///   - job: A job of the task that is waiting to run, if there is one.
  /// - Returns: A closure that cancels the task.
  func canceller(of number: Int, job: UnownedJob?) -> (() -> Void)? {
    guard records.indices.contains(number) else { return nil }
    let record = records[number]
    if let kept = record.kept { return kept.hasEnded ? nil : kept.cancel }
    if let handle = record.handle { return handle.cancel }
    guard let job else { return nil }
    // SAFETY: The job of a task is the task, and a task whose job is waiting to run is alive.
    return unsafeBitCast(job, to: UnsafeCurrentTask.self).cancel
  }
}
