import StateGraph

/// What the nodes of a rectangular graph hold.
///
/// The rules are made here, so that each type has its own, which knows what it adds.
protocol RectangularNumber: Numeric, Sendable {
  /// A rule that reads all nodes.
  @GraphActor
  static func sum(of nodes: [some GraphNode<Self>], _ runs: Tally) -> Computed<Self>

  /// A rule that reads the first node, which may say that another one is not read.
  @GraphActor
  static func choosingSum(of nodes: [some GraphNode<Self>], _ runs: Tally) -> Computed<Self>
}

extension Int: RectangularNumber {
  @GraphActor
  static func sum(of nodes: [some GraphNode<Int>], _ runs: Tally) -> Computed<Int> {
    Computed { _ in
      runs.count += 1
      var sum = 0
      for node in nodes { sum += node.wrappedValue }
      return sum
    }
  }

  @GraphActor
  static func choosingSum(of nodes: [some GraphNode<Int>], _ runs: Tally) -> Computed<Int> {
    let first = nodes[0]
    let others = Array(nodes.dropFirst())
    return Computed { _ in
      runs.count += 1
      var sum = first.wrappedValue
      let omitsOne = sum & 1 != 0
      let omitted = sum % others.count
      for index in others.indices where !(omitsOne && index == omitted) {
        sum += others[index].wrappedValue
      }
      return sum
    }
  }
}

extension Double: RectangularNumber {
  @GraphActor
  static func sum(of nodes: [some GraphNode<Double>], _ runs: Tally) -> Computed<Double> {
    Computed { _ in
      runs.count += 1
      var sum = 0.0
      for node in nodes { sum += node.wrappedValue }
      return sum
    }
  }

  @GraphActor
  static func choosingSum(of nodes: [some GraphNode<Double>], _ runs: Tally) -> Computed<Double> {
    preconditionFailure("only integers choose what they read")
  }
}
