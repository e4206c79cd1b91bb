extension ScheduleSession {
  /// What is wrong with a run; nil if nothing is.
  func fault(of outcome: Outcome) -> ScheduleFailure.Code? {
    guard outcome.uncontrolled.isEmpty else { return .uncontrolled }
    switch outcome.ending {
    case .stuck: return .stuck
    case .tooLong: return .tooLong
    case .finished: break
    }
    if case .failure = outcome.result { return .bodyFailed }
    return nil
  }

  /// Finds the shortest schedule with the same fault and describes it.
  ///
  /// - Parameters:
  ///   - outcome: A run with a fault.
  ///   - strategy: How it was found.
  /// - Returns: The failure.
  func failure(from outcome: Outcome, _ strategy: ScheduleStrategy) async -> ScheduleFailure {
    let original = outcome.record.shortChoices
    // Somebody outside may be about to wake the run up; for the report it is worth a wait.
    let again = await explain(original, grace: 100)
    let code = fault(of: again)
    if code == .uncontrolled || !outcome.uncontrolled.isEmpty {
      let shown = code == .uncontrolled ? again : outcome
      return describe(shown, .uncontrolled, strategy, original, "found by \(strategy):")
    }
    guard let code, again.record.hash == outcome.record.hash else {
      return notRepeatable(outcome, again, strategy)
    }
    var shrinker = ScheduleShrinker()
    let choices = await shrinker.shrink(original) { choices in
      let outcome = await replay(choices)
      return ScheduleShrinker.Trial(
        fails: fault(of: outcome) == code && isSameError(outcome, again), record: outcome.record)
    }
    let shortest = await explained(choices, code)
    let origin =
      "found by \(strategy) in \(again.record.stepCount) steps with "
      + "\(Self.switches(original)); shortened in \(shrinker.runs) runs to "
      + "\(shortest.record.stepCount) steps with \(Self.switches(choices)):"
    return describe(shortest, code, strategy, choices, origin)
  }

  /// Makes a run with a fault again, for the report.
  private func explained(_ choices: [Int], _ code: ScheduleFailure.Code) async -> Outcome {
    let outcome = await explain(choices)
    guard code == .stuck else { return outcome }
    // Keeping tasks may make them do otherwise; then it is better not to know which have ended.
    let keeping = await explain(choices, keepsTasks: true)
    return keeping.record.hash == outcome.record.hash ? keeping : outcome
  }

  /// Describes two runs that should have been the same.
  func notRepeatable(
    _ first: Outcome, _ second: Outcome, _ strategy: ScheduleStrategy
  ) -> ScheduleFailure {
    let parting = zip(first.record.hashes, second.record.hashes).enumerated()
      .first { $1.0 != $1.1 }?.offset
    let steps = "\(first.record.stepCount) and \(second.record.stepCount) steps"
    var details = [
      parting.map { "the runs part at step \($0 + 1); they have \(steps)" }
        ?? "the runs have \(steps)"
    ]
    if let code = fault(of: first), fault(of: second) == nil {
      details.append("the first run failed, the second did not: \(code)")
      if case .failure(let error) = first.result { details.append("\(error)") }
    }
    if first.isDisturbed || second.isDisturbed {
      details.append("other code of the process used the graph meanwhile")
      details += Self.advice
    } else {
      details.append("the body depends on something outside of the run: the time, unseeded random")
      details.append("numbers, what an earlier run has left behind, or other threads")
    }
    return describe(
      second, .notRepeatable, strategy, first.record.shortChoices, "found by \(strategy)",
      details + first.uncontrolled)
  }

  private func describe(
    _ outcome: Outcome, _ code: ScheduleFailure.Code, _ strategy: ScheduleStrategy,
    _ choices: [Int], _ origin: String, _ details: [String] = []
  ) -> ScheduleFailure {
    var details = details + outcome.uncontrolled
    if !outcome.uncontrolled.isEmpty { details += Self.advice }
    if code == .stuck {
      details.append("a deadlock, a lost wake-up, or a wait for something outside of the run")
    }
    var underlyingError: (any Error)?
    if code == .bodyFailed, case .failure(let error) = outcome.result {
      underlyingError = error
      details.append("\(error)")
    }
    let report = ScheduleReport(
      code: code, details: details, invocation: invocation(.replay(choices)), origin: origin,
      record: outcome.record, waiting: outcome.waiting)
    return ScheduleFailure(
      code: code, underlyingError: underlyingError, seed: configuration.seed, strategy: strategy,
      choices: choices, waitingTasks: outcome.waiting, description: report.text)
  }

  /// What to do about a run that something else has disturbed.
  private static var advice: [String] {
    [
      "if another test uses the graph: run this one alone, or in a process of its own, by",
      "#expect(processExitsWith: .success) { … }",
      "if the body waits for real time: sleep on a ScheduleClock",
      "if it waits for a queue, a thread or Task { }: start its tasks as child tasks",
    ]
  }

  private func isSameError(_ one: Outcome, _ other: Outcome) -> Bool {
    guard case .failure(let one) = one.result, case .failure(let other) = other.result else {
      return true
    }
    if let one = one as? ScheduleCheckFailed, let other = other as? ScheduleCheckFailed {
      return one.place == other.place
    }
    return type(of: one) == type(of: other)
  }

  private static func switches(_ choices: [Int]) -> String {
    let count = choices.count { $0 != 0 }
    return count == 1 ? "1 switch" : "\(count) switches"
  }
}
