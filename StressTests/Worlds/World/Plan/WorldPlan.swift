import StateGraphTesting

/// What a world is made of and what happens in it, all from one seed.
package struct WorldPlan: Sendable {
  struct DerivedRecipe: Sendable {
    var rule: Rule
    var coding: Int
    var sources: [NodeReference]
  }

  struct OutcomeRecipe: Sendable {
    var behaviour: AsyncBehaviour
    var coding: Int
    var sources: [NodeReference]
    var awaited: Int?
    var target: Int?
  }

  /// A task or a thread.
  struct Lane: Sendable {
    var isThread: Bool
    var steps: [(number: Int, step: WorldStep)]
  }

  package let seed: UInt64
  /// The codings of the stored nodes; a node's place is its rank.
  var stored: [Int] = []
  var derived: [DerivedRecipe] = []
  var outcomes: [OutcomeRecipe] = []
  var counters: [Int] = []
  var tripletCount = 0
  /// How many nodes the actor removes in one visit.
  var removalPortion = 1_500
  var lanes: [Lane] = []

  /// The number of steps.
  package var stepCount: Int { lanes.reduce(0) { $0 + $1.steps.count } }

  /// Leaves out all steps but some.
  ///
  /// - Parameter numbers: The numbers of the steps that stay.
  package mutating func keep(_ numbers: Set<Int>) {
    for place in lanes.indices {
      lanes[place].steps.removeAll { !numbers.contains($0.number) }
    }
  }

  /// What it does, one line for each step.
  package var description: String {
    var lines = [
      "stored \(stored) counters \(counters) triplets \(tripletCount) portion \(removalPortion)"
    ]
    for (place, recipe) in derived.enumerated() { lines.append("derived \(place): \(recipe)") }
    for (place, recipe) in outcomes.enumerated() { lines.append("async \(place): \(recipe)") }
    for (place, lane) in lanes.enumerated() {
      for (number, step) in lane.steps {
        lines.append("\(number) [\(lane.isThread ? "thread" : "task") \(place)] \(step)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
