/// What a chooser sees.
struct ScheduleMoment {
  /// The tasks among whose steps to choose, at least one.
  ///
  /// The first is the one that goes on without a switch, if it can.
  let owners: [Int]
  /// Whether the first of them took the last step, so that any other choice interrupts it.
  let isContinued: Bool
  /// The task that is left out because it does nothing but yield.
  let spinning: Int?
}

/// Picks the next step.
protocol ScheduleChooser: Sendable {
  /// Picks one of the steps; called for every step, also when there is nothing to choose.
  ///
  /// - Returns: The position in the moment's owners.
  mutating func choose(_ moment: ScheduleMoment) -> Int
}

/// Picks any step, all with the same probability.
struct RandomChooser: ScheduleChooser {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func choose(_ moment: ScheduleMoment) -> Int {
    guard moment.owners.count > 1 else { return 0 }
    return Int.random(in: 0..<moment.owners.count, using: &generator)
  }
}

/// Runs the task with the highest priority, and changes priorities a few times.
///
/// PCT (S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A Randomized Scheduler with
/// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010): with *n* tasks, *k* steps and *d* − 1
/// changes, a fault that needs *d* ordered steps is found with a probability of at least
/// 1/(*n* *k*^(*d*−1)), whatever the program.
struct PriorityChooser: ScheduleChooser {
  private var generator: SeededGenerator
  /// The priority of each task that has been met.
  private var priorities: [Int: Int] = [:]
  /// The steps at which the task that would run loses its priority.
  private var changes: Set<Int> = []
  /// The lowest priority that there is.
  private var lowest = 0
  private var step = 0

  init(seed: UInt64, changePoints: Int, length: Int) {
    generator = SeededGenerator(seed: seed)
    for _ in 0..<changePoints {
      changes.insert(Int.random(in: 1...max(length, 1), using: &generator))
    }
  }

  mutating func choose(_ moment: ScheduleMoment) -> Int {
    for owner in moment.owners where priorities[owner] == nil {
      priorities[owner] = Int.random(in: 1...Int.max, using: &generator)
    }
    step += 1
    if let spinning = moment.spinning { lower(spinning) }
    let first = highest(of: moment.owners)
    guard changes.contains(step) else { return first }
    lower(moment.owners[first])
    return highest(of: moment.owners)
  }

  /// Makes every other task more urgent than this one.
  private mutating func lower(_ owner: Int) {
    lowest -= 1
    priorities[owner] = lowest
  }

  private func highest(of owners: [Int]) -> Int {
    var best = 0
    for place in owners.indices where priority(owners[place]) > priority(owners[best]) {
      best = place
    }
    return best
  }

  private func priority(_ owner: Int) -> Int { priorities[owner] ?? 0 }
}

/// Follows a list of choices, and goes on without switching when it has ended.
struct ReplayChooser: ScheduleChooser {
  private let choices: [Int]
  private var place = 0

  init(_ choices: [Int]) {
    self.choices = choices
  }

  mutating func choose(_ moment: ScheduleMoment) -> Int {
    guard moment.owners.count > 1 else { return 0 }
    defer { place += 1 }
    // A list that was made for another version of the body is followed as far as it goes.
    return place < choices.count ? min(max(choices[place], 0), moment.owners.count - 1) : 0
  }
}
