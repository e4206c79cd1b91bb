/// The words of a failure.
struct ScheduleReport {
  let code: ScheduleFailure.Code
  /// Anything that explains the code, one line each.
  var details: [String] = []
  /// The expression that makes the run again.
  let invocation: String
  /// How the run was found.
  let origin: String
  let record: ScheduleRecord
  let waiting: [String]

  var text: String {
    var lines = [code.description] + details.map { "  " + $0 }
    if !waiting.isEmpty {
      lines.append("waiting:")
      lines += waiting.map { "  " + $0 }
    }
    lines.append("to repeat it:")
    lines.append("  try await \(invocation) { … }")
    lines.append(origin)
    lines += record.lines
    return lines.joined(separator: "\n")
  }
}

extension ScheduleRecord {
  /// How many steps are printed at the beginning and at the end of a long run.
  private static var printedSteps: Int { 60 }

  /// The steps, one line each.
  ///
  /// After an arrow, the other tasks that are ready to go on because of the step; a step that was
  /// not the first choice says which that was.
  var lines: [String] {
    var lines: [String] = []
    let left = trace.count - 2 * Self.printedSteps
    for (place, step) in trace.enumerated() {
      if left > 0, place == Self.printedSteps { lines.append("      … \(left) steps …") }
      if place >= Self.printedSteps, place < Self.printedSteps + left { continue }
      let number = String(place + 1)
      let padding = String(repeating: " ", count: max(0, 4 - number.count))
      var line = "\(padding)\(number)  \(text(step.done))"
      if !step.woken.isEmpty { line += " -> " + step.woken.map(name(of:)).joined(separator: ", ") }
      if let other = step.insteadOf { line += "   <- instead of \(text(other))" }
      lines.append(line)
      lines += step.notes.map { "          \($0)" }
    }
    return lines
  }

  private func text(_ deed: Deed) -> String { name(of: deed.task) + deed.detail }

  private func name(of task: Int) -> String {
    names.indices.contains(task) ? names[task] : "task \(task)"
  }
}
