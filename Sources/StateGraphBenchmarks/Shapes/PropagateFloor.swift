import StateGraph

/// The grid without a graph: the same closures, called from an array in topological order.
///
/// What a graph costs is what it takes longer than this.
@GraphActor
final class PropagateFloor {
  /// A value, in an object like the one that a node keeps it in.
  private final class Cell {
    var value = 0
  }

  /// A closure in a structure: an array of closures would call it through a thunk.
  private struct Step {
    let run: () -> Void
  }

  private let source = Cell()
  private let runs = Tally()
  private var steps: [Step] = []

  init(width: Int, height: Int) {
    for _ in 0..<width {
      var last = source
      for _ in 0..<height {
        let previous = last
        let cell = Cell()
        steps.append(Self.step(of: cell) { previous.value + 1 })
        last = cell
      }
      let end = last
      steps.append(
        Step { [runs] in
          blackHole(end.value)
          runs.count += 1
        })
    }
  }

  func update() {
    source.value += 1
    for step in steps { step.run() }
  }

  /// Runs the rule, compares, and stores if the value is another.
  private static func step(of cell: Cell, _ rule: @escaping () -> Int) -> Step {
    Step {
      let new = rule()
      if !(cell.value == new) { cell.value = new }
    }
  }
}
