import StateGraph

/// Lets the library and the model follow a program, and compares what happens.
struct ReactionComparison {
  /// What is different.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  /// How many closures of reactions have run.
  private(set) var runCount = 0

  /// Compares step by step.
  ///
  /// - Throws: `Difference` at the first.
  @GraphActor
  mutating func compare(_ program: ReactionProgram) async throws(Difference) {
    let model = ReactionModel(program)
    let run = ReactionRun(program)
    var seen = 0
    var difference: Difference?
    for (place, step) in program.steps.enumerated() {
      model.perform(step)
      await run.perform(step)
      difference = Self.difference(from: seen, expected: model.trace, actual: run.trace)
      if difference != nil {
        difference?.description += "\nin step \(place): \(step)"
        break
      }
      seen = model.trace.count
    }
    await run.end()
    if let difference { throw difference }
    runCount += model.trace.count { $0.hasPrefix("reaction") }
  }

  private static func difference(
    from start: Int, expected: [String], actual: [String]
  ) -> Difference? {
    let count = max(expected.count, actual.count)
    let place = (start..<count).first { place in
      place >= expected.count || place >= actual.count || expected[place] != actual[place]
    }
    guard let place else { return nil }
    let common = expected[max(start, place - 12)..<place].map { "  = \($0)" }
    let wanted = expected.dropFirst(place).prefix(6).map { "  expected \($0)" }
    let found = actual.dropFirst(place).prefix(6).map { "  actual   \($0)" }
    return Difference(
      description: (common + wanted + found).joined(separator: "\n"))
  }
}
