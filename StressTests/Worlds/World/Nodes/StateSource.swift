import StateGraph
import StateGraphTesting

/// A computed node that reads the state of an async node.
final class StateSource: Sendable {
  let name: String
  let node: Computed<String?>
  private let outcome: any Outcome
  private let token = Census.alive.token()

  init(name: String, of outcome: any Outcome) {
    self.name = name
    self.outcome = outcome
    node = Computed(name: name) { _ in outcome.settledState }
  }

  /// Verifies the value in one step.
  @GraphActor
  func verify(_ place: String) {
    let got = node.wrappedValue
    let want = outcome.settledState
    require(
      got == want, "recomputation",
      "\(name) is \(got as String?), not \(want as String?) (\(place))")
  }
}
