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

  private let source = Cell()
  private let runs = Tally()
  private var steps: [() -> Void] = []

  init(width: Int, height: Int) {
    for _ in 0..<width {
      var last = source
      for _ in 0..<height {
        let previous = last
        let cell = Cell()
        steps.append(Self.step(of: cell) { previous.value + 1 })
        last = cell
      }
      steps.append { [runs] in
        blackHole(last.value)
        runs.count += 1
      }
    }
  }

  func update() {
    source.value += 1
    for step in steps { step() }
  }

  /// Runs the rule, compares, and stores if the value is another.
  private static func step(of cell: Cell, _ rule: @escaping () -> Int) -> () -> Void {
    {
      let new = rule()
      if !(cell.value == new) { cell.value = new }
    }
  }
}
