/// All executions of a few threads that share a weak memory.
///
/// The code of a thread is run again from its beginning for each of its steps: the results of the
/// steps before are given to it from a log, and it ends at the first operation beyond them. So it
/// reads like the code that it stands for, and a state is what the memory holds and the logs.
struct Executions: Sendable {
  /// The code of a thread.
  typealias Code = @Sendable (inout Strand) throws -> Void

  /// The first values of the locations.
  let values: [Int]
  /// The code of each thread.
  let threads: [Code]
  /// Looks at what the threads have noted when all have ended.
  var check: @Sendable ([[Int]]) throws -> Void = { _ in }

  private struct State: Hashable {
    var memory: WeakMemory
    /// For each thread the results of its operations.
    var logs: [[Int]]
  }

  /// What is wrong in one of the executions, or nil if nothing is in any.
  var fault: Fault? {
    do {
      for outcome in try outcomes() { try check(outcome) }
      return nil
    } catch {
      return error as? Fault ?? Fault("\(error)")
    }
  }

  /// What the threads have noted, in all executions.
  ///
  /// - Throws: `Fault` if an execution has a data race, or a thread waits for ever.
  func outcomes() throws -> Set<[[Int]]> {
    let none = threads.map { _ in [Int]() }
    let first = State(
      memory: WeakMemory(values: values, threads: threads.count), logs: none)
    var seen: Set<State> = [first]
    var open = [first]
    var outcomes: Set<[[Int]]> = []
    while let state = open.popLast() {
      switch try step(state) {
      case .states(let successors):
        for next in successors where seen.insert(next).inserted { open.append(next) }
      case .end(let notes):
        outcomes.insert(notes)
      }
    }
    return outcomes
  }

  private enum Step {
    case states([State])
    case end(notes: [[Int]])
  }

  /// Lets each thread make its next step.
  private func step(_ state: State) throws -> Step {
    var successors: [State] = []
    var notes: [[Int]] = []
    for (thread, code) in threads.enumerated() {
      var strand = Strand(log: state.logs[thread])
      do {
        try code(&strand)
        notes.append(strand.notes)
      } catch let wish as Strand.Wish {
        for (result, memory) in try state.memory.outcomes(of: wish.operation, by: thread) {
          var next = State(memory: memory, logs: state.logs)
          next.logs[thread].append(result)
          successors.append(next)
        }
      }
    }
    if notes.count == threads.count { return .end(notes: notes) }
    if successors.isEmpty { throw Fault("a thread waits for ever") }
    return .states(successors)
  }
}

/// A thread that is at work: performs operations and gets their results.
struct Strand {
  /// The operation that the thread is about to perform.
  fileprivate struct Wish: Error {
    let operation: WeakMemory.Operation
  }

  private let log: [Int]
  private var position = 0
  /// What the thread wants to be looked at when all have ended.
  private(set) var notes: [Int] = []

  fileprivate init(log: [Int]) {
    self.log = log
  }

  mutating func note(_ value: Int) {
    notes.append(value)
  }

  mutating func load(_ place: Int, _ order: WeakMemory.Order) throws -> Int {
    try perform(.load(place, order))
  }

  mutating func store(_ value: Int, to place: Int, _ order: WeakMemory.Order) throws {
    _ = try perform(.store(value, to: place, order))
  }

  /// Adds to a value.
  ///
  /// - Returns: The value before.
  @discardableResult
  mutating func add(_ delta: Int, to place: Int, _ order: WeakMemory.Order) throws -> Int {
    try perform(.add(delta, to: place, order))
  }

  mutating func exchange(_ value: Int, at place: Int, _ order: WeakMemory.Order) throws -> Int {
    try perform(.exchange(value, at: place, order))
  }

  mutating func compareExchange(
    expected: Int, desired: Int, at place: Int, _ order: WeakMemory.Order
  ) throws -> (exchanged: Bool, original: Int) {
    let original = try perform(
      .compareExchange(expected: expected, desired: desired, at: place, order))
    return (original == expected, original)
  }

  mutating func await(_ place: Int, _ order: WeakMemory.Order) throws -> Int {
    try perform(.await(place, order))
  }

  mutating func read(_ place: Int) throws -> Int { try perform(.read(place)) }

  mutating func write(_ value: Int, to place: Int) throws {
    _ = try perform(.write(value, to: place))
  }

  private mutating func perform(_ operation: WeakMemory.Operation) throws -> Int {
    guard position < log.count else { throw Wish(operation: operation) }
    position += 1
    return log[position - 1]
  }
}
