import StateGraphTesting

// What is done from outside to a random program, and small helpers.

extension ReactionProgramGenerator {
  mutating func addStep() {
    switch number(0...9) {
    case 0...3: program.steps.append(.write(node: source(), value: number(0...3)))
    case 4:
      program.steps.append(
        .transaction((0..<number(1...4)).map { _ in (source(), number(0...3)) }))
    case 5: program.steps.append(.read(number(0...program.nodeCount - 1)))
    case 6 where isOneIn(2):
      program.steps.append(.cancel(tracking: number(0...program.trackings.count - 1)))
    default: program.steps.append(.settle)
    }
  }

  mutating func source() -> Int { number(0...program.sources.count - 1) }
}

extension ModelRule {
  /// The nodes that it may read.
  var nodes: [Int] {
    switch self {
    case .sum(let nodes), .countUntilZero(let nodes), .ignore(let nodes): nodes
    case .parity(let node): [node]
    case .choice(let condition, let odd, let even): [condition, odd, even]
    case .revisit(let first, let others): [first] + others
    }
  }

  /// The same rule with other nodes.
  func renamed(_ name: (Int) -> Int) -> ModelRule {
    switch self {
    case .sum(let nodes): .sum(nodes.map(name))
    case .parity(let node): .parity(name(node))
    case .choice(let condition, let odd, let even):
      .choice(of: name(condition), odd: name(odd), even: name(even))
    case .countUntilZero(let nodes): .countUntilZero(nodes.map(name))
    case .revisit(let first, let others): .revisit(name(first), others.map(name))
    case .ignore(let nodes): .ignore(nodes.map(name))
    }
  }
}
