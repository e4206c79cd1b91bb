import StateGraph

/// What is known of the runs of one rule, for the bound on their number.
///
/// Runs on behalf of a transaction see a graph of their own, and are not counted.
final class RunRecord: Sendable {
  private struct State {
    var inputs: [Int] = []
    var last: [Int]?
  }

  private let name: String
  /// Whether equal inputs mean that nothing has changed.
  private let isMonotone: Bool
  private let state = Locked(State())

  init(name: String, isMonotone: Bool) {
    self.name = name
    self.isMonotone = isMonotone
  }

  /// Notes that a run begins.
  @GraphActor
  func begin() {
    guard GraphTransaction.current == nil else { return }
    state.with { $0.inputs = [] }
  }

  /// Notes what the run has read.
  @GraphActor
  func note(_ number: Int) {
    guard isMonotone, GraphTransaction.current == nil else { return }
    state.with { $0.inputs.append(number) }
  }

  /// Notes that a run has ended.
  @GraphActor
  func end() {
    guard GraphTransaction.current == nil else { return }
    let complaint = state.with { state -> String? in
      defer { state.last = state.inputs }
      if isMonotone, !state.inputs.isEmpty, state.last == state.inputs {
        return "\(name) ran again although nothing had changed: \(state.inputs)"
      }
      return nil
    }
    if let complaint { report("runs", complaint) }
  }
}
