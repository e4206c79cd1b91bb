import StateGraph

/// How a rectangular graph is made and driven.
struct RectangularShape: Sendable {
  /// The number of nodes in a row.
  var width: Int
  /// The number of rows, the sources included.
  var rows: Int
  /// The share of the nodes that always read the same.
  var staticShare: Double
  /// How many nodes of the row before a node reads.
  var reads: Int
  /// The share of the last row that is read.
  var readShare: Double
  /// The number of writes.
  var writes: Int

  var name: String {
    let dynamic = staticShare == 1 ? "" : ", \(Int(100 * (1 - staticShare) + 0.5))% dynamic"
    let lazy = readShare == 1 ? "" : ", \(Int(100 * (1 - readShare) + 0.5))% unread"
    return "\(width) x \(rows), \(reads) reads\(dynamic)\(lazy)"
  }
}

/// Rows of rules over rows of rules, some of which choose what they read.
@GraphActor
struct RectangularGraph<Number: RectangularNumber> {
  let shape: RectangularShape
  /// How often rules have run.
  let runs = Tally()
  let sources: [Stored<Number>]
  /// Those nodes of the last row that are read.
  let leaves: [Computed<Number>]
  private let reaction: GraphCancellable

  init(_ shape: RectangularShape) {
    self.shape = shape
    let sources = (0..<shape.width).map { Stored(Number(exactly: $0) ?? 0) }
    self.sources = sources
    var random = SeededGenerator(seed: "seed")
    var row = Self.row(over: sources, shape, runs, &random)
    for _ in 2..<shape.rows { row = Self.row(over: row, shape, runs, &random) }
    let leaves = Self.leaves(of: row, shape)
    self.leaves = leaves
    reaction = react {
      for leaf in leaves { blackHole(leaf.wrappedValue) }
    }
  }

  /// The sum of the leaves, from the first to the last.
  var sum: Number { leaves.reduce(0) { $0 + $1.wrappedValue } }

  /// Writes one source after the other, and reads all leaves after every write.
  ///
  /// - Parameter value: What the write with a number assigns.
  /// - Returns: The sum of the leaves at the end.
  func drive(_ value: (Int) -> Int) -> Number {
    for turn in 0..<shape.writes {
      sources[turn % shape.width].wrappedValue = Number(exactly: value(turn)) ?? 0
      for leaf in leaves { blackHole(leaf.wrappedValue) }
    }
    return sum
  }

  private static func row(
    over previous: [some GraphNode<Number>], _ shape: RectangularShape, _ runs: Tally,
    _ random: inout SeededGenerator
  ) -> [Computed<Number>] {
    previous.indices.map { index in
      let read = (0..<shape.reads).map { previous[(index + $0) % previous.count] }
      return random.next() < shape.staticShare
        ? Number.sum(of: read, runs) : Number.choosingSum(of: read, runs)
    }
  }

  private static func leaves(
    of row: [Computed<Number>], _ shape: RectangularShape
  ) -> [Computed<Number>] {
    var random = SeededGenerator(seed: "seed")
    var leaves = row
    let removals = Int((Double(row.count) * (1 - shape.readShare)).rounded())
    for _ in 0..<removals { leaves.remove(at: Int(random.next() * Double(leaves.count))) }
    return leaves
  }
}
