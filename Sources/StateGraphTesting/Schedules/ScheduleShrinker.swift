/// Looks for a shorter list of choices that leads to the same fault.
///
/// Tries every schedule with one switch first, if there are not too many. Then delta debugging
/// (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions
/// on Software Engineering 28, 2002): choices are made 0, chunk by chunk, then left out, then
/// lowered, until nothing helps any more.
struct ScheduleShrinker {
  /// Makes a run that follows a list.
  typealias Attempt = ([Int]) async -> Trial

  /// What a run has come to.
  struct Trial {
    /// Whether it fails in the same way.
    let fails: Bool
    /// What it did.
    let record: ScheduleRecord
  }

  /// How many runs are left.
  private var budget: Int
  /// How many runs have been made.
  private(set) var runs = 0

  init(budget: Int = 1_000) {
    self.budget = budget
  }

  /// Shrinks a list.
  ///
  /// - Parameters:
  ///   - choices: A list that leads to the fault.
  ///   - isolation: The isolation of the caller, which the call does not leave.
  ///   - attempt: Makes a run.
  /// - Returns: The best list found, at worst the one given.
  mutating func shrink(
    _ choices: [Int], isolation: isolated (any Actor)? = #isolation, _ attempt: Attempt
  ) async -> [Int] {
    if let found = await shrinkToOneSwitch(attempt) { return found }
    var best = choices
    while budget > 0 {
      let before = best
      for edit in Edit.allCases {
        var size = edit == .lower ? 1 : max(best.count, 1)
        while size >= 1 {
          best = await pass(edit, size, best, attempt)
          size /= 2
        }
      }
      if best == before { break }
    }
    return best
  }

  /// Tries the schedule without a switch, and then every one with one.
  private mutating func shrinkToOneSwitch(
    isolation: isolated (any Actor)? = #isolation, _ attempt: Attempt
  ) async -> [Int]? {
    let straight = await trial([], attempt)
    if straight.fails { return [] }
    let counts = straight.record.counts
    guard counts.reduce(0, +) - counts.count <= budget / 2 else { return nil }
    for (place, count) in counts.enumerated() {
      for choice in 1..<count {
        let list = Array(repeating: 0, count: place) + [choice]
        let trial = await trial(list, attempt)
        if trial.fails, trial.record.shortChoices == list { return list }
      }
    }
    return nil
  }

  private mutating func trial(
    _ choices: [Int], isolation: isolated (any Actor)? = #isolation, _ attempt: Attempt
  ) async -> Trial {
    budget -= 1
    runs += 1
    return await attempt(choices)
  }

  private enum Edit: CaseIterable {
    case clear, remove, lower
  }

  private mutating func pass(
    _ edit: Edit, _ size: Int, _ choices: [Int], isolation: isolated (any Actor)? = #isolation,
    _ attempt: Attempt
  ) async -> [Int] {
    var best = choices
    var start = 0
    while start < best.count, budget > 0 {
      let chunk = start..<min(start + size, best.count)
      if let edited = Self.edit(edit, best, chunk) {
        let trial = await trial(edited, attempt)
        if trial.fails, Self.weight(trial.record.shortChoices) < Self.weight(best) {
          best = trial.record.shortChoices
          continue
        }
      }
      start += size
    }
    return best
  }

  private static func edit(_ edit: Edit, _ choices: [Int], _ chunk: Range<Int>) -> [Int]? {
    var result = choices
    switch edit {
    case .clear:
      guard choices[chunk].contains(where: { $0 != 0 }) else { return nil }
      for place in chunk { result[place] = 0 }
    case .remove:
      result.removeSubrange(chunk)
    case .lower:
      guard choices[chunk.lowerBound] > 1 else { return nil }
      result[chunk.lowerBound] -= 1
    }
    while result.last == 0 { result.removeLast() }
    return result
  }

  /// Few switches count more than few choices, and those more than small ones.
  private static func weight(_ choices: [Int]) -> (Int, Int, Int) {
    (choices.count { $0 != 0 }, choices.count, choices.reduce(0, +))
  }
}
