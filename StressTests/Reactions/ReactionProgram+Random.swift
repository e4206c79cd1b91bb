import StateGraphTesting

/// Makes a program that comes to rest: what a closure writes has a greater number than all that can
/// cause the closure to run.
struct ReactionProgramGenerator {
  private var random: SeededGenerator
  var program = ReactionProgram()
  /// The greatest number of a stored node that a node is made from.
  private var latestSource: [Int] = []
  private var reactionCount = 0
  /// The nodes that are written by a closure which they cause.
  private var owned: Set<Int> = []
  /// The nodes that are written by closures which they may cause, always the same value.
  private var resting: Set<Int> = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Makes the program.
  mutating func make() -> ReactionProgram {
    for source in 0..<number(3...7) {
      program.sources.append(number(0...3))
      latestSource.append(source)
    }
    for _ in 0..<number(0...8) { addRule() }
    for source in program.sources.indices.dropLast() where isOneIn(5) {
      program.handlers[source] = []
    }
    for source in program.handlers.keys.sorted() {
      program.handlers[source] = writes(behind: source, upTo: 2)
    }
    for tracking in 0..<number(1...5) {
      program.trackings.append((0..<number(1...3)).map { _ in reaction() })
      program.steps.append(.begin(tracking: tracking))
    }
    for _ in 0..<number(3...20) { addStep() }
    program.steps.append(.settle)
    for node in 0..<program.nodeCount { program.steps.append(.read(node)) }
    return program
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  mutating func isOneIn(_ count: Int) -> Bool { number(1...count) == 1 }

  // MARK: - Nodes

  private mutating func addRule() {
    let latest = number(0...program.sources.count - 1)
    let readable = nodes(upTo: latest)
    let rule = ModelRule.random(below: readable.count, using: &random)
      .renamed { readable[$0] }
    program.rules.append(rule)
    latestSource.append(rule.nodes.map { latestSource[$0] }.max() ?? 0)
  }

  /// The nodes that are made from no stored node behind one.
  private func nodes(upTo latest: Int) -> [Int] {
    latestSource.indices.filter { latestSource[$0] <= latest }
  }

  private mutating func node(upTo latest: Int) -> Int {
    let nodes = nodes(upTo: latest)
    return nodes[number(0...nodes.count - 1)]
  }

  private mutating func assignment(to node: Int) -> ReactionProgram.Assignment {
    ReactionProgram.Assignment(
      node: node, factor: number(0...3), offset: number(0...3), modulus: number(2...5))
  }

  /// An assignment to a stored node behind one, or of the value at which another one rests.
  private mutating func assignment(behind latest: Int) -> ReactionProgram.Assignment? {
    let last = program.sources.count - 1
    guard latest < last, !isOneIn(5) else { return isOneIn(2) ? assignmentOfRest() : nil }
    return assignment(to: number(latest + 1...last))
  }

  /// All closures give a node the same value if they may be caused by it, so that it comes to rest.
  ///
  /// A handler of its assignments would be told of each, also of those that change nothing.
  private mutating func assignmentOfRest() -> ReactionProgram.Assignment? {
    let node = source()
    guard program.handlers[node] == nil, !owned.contains(node) else { return nil }
    resting.insert(node)
    return ReactionProgram.Assignment(node: node, factor: 0, offset: node % 3, modulus: 3)
  }

  private mutating func writes(
    behind latest: Int, upTo count: Int
  ) -> [ReactionProgram.Statement] {
    (0..<number(1...count)).compactMap { _ in
      guard isOneIn(4) else { return assignment(behind: latest).map { .write($0) } }
      let assignments = (0..<number(1...3)).compactMap { _ in assignment(behind: latest) }
      return assignments.isEmpty ? nil : .transaction(assignments)
    }
  }

  // MARK: - Reactions

  /// Where a statement is.
  private struct Place {
    let reaction: Int
    let depth: Int
    /// The last stored node that can cause the closure to run.
    let latest: Int
    /// Whether the closure writes that node, too: no other does that can be caused by it.
    let ownsLatest: Bool
  }

  private mutating func reaction(
    depth: Int = 0, outer: Place? = nil
  ) -> ReactionProgram.Reaction {
    let latest = number((outer?.latest ?? 0)...program.sources.count - 1)
    let isOwner =
      isOneIn(6) && latest > (outer?.latest ?? -1) && !resting.contains(latest)
      && owned.insert(latest).inserted
    let place = Place(
      reaction: reactionCount, depth: depth, latest: latest, ownsLatest: isOwner)
    reactionCount += 1
    var reaction = ReactionProgram.Reaction(
      number: place.reaction, isImmediate: isOneIn(2), body: [])
    if isOneIn(4) {
      reaction.body = (0..<number(1...3)).map { _ in .read(node(upTo: latest)) }
      reaction.handler = writes(behind: latest, upTo: 2)
    } else {
      reaction.body = body(at: place, upTo: 5)
    }
    return reaction
  }

  private mutating func body(
    at place: Place, upTo count: Int
  ) -> [ReactionProgram.Statement] {
    var body: [ReactionProgram.Statement] = []
    for _ in 0..<number(1...count) {
      switch number(0...12) {
      case 0...3: body.append(.read(readable(at: place)))
      case 4: body.append(.peek(number(0...program.nodeCount - 1)))
      case 5, 6: body += writes(behind: place.latest, upTo: 1)
      case 7 where place.depth < 3:
        let deeper = Place(
          reaction: place.reaction, depth: place.depth + 1, latest: place.latest,
          ownsLatest: place.ownsLatest)
        let (odd, even) = (self.body(at: deeper, upTo: 2), self.body(at: deeper, upTo: 2))
        body.append(.branch(on: readable(at: place), odd: odd, even: even))
      case 8 where place.depth < 3, 9 where place.depth < 3:
        body.append(.begin(reaction(depth: place.depth + 1, outer: place)))
      case 10:
        let writes = isOneIn(3) ? [] : writes(behind: place.latest, upTo: 2)
        body.append(.cleanUp(of: place.reaction, writes))
      case 11:
        guard !place.ownsLatest || place.latest > 0 else { continue }
        body.append(.temporary(temporary(at: place)))
      default:
        guard place.ownsLatest else { continue }
        body += [.read(place.latest), .write(assignment(to: place.latest))]
      }
    }
    return body
  }

  private mutating func temporary(at place: Place) -> ReactionProgram.Temporary {
    let addend = node(upTo: place.ownsLatest ? place.latest - 1 : place.latest)
    var temporary = ReactionProgram.Temporary(addend: addend, uses: [])
    for _ in 0..<number(1...5) {
      switch number(0...6) {
      case 0: temporary.uses.append(.readStored)
      case 1...3: temporary.uses.append(.readComputed)
      case 4: temporary.uses.append(.assign(number(0...3)))
      case 5: temporary.uses.append(.assignInGroup(number(0...3)))
      default:
        guard let assignment = assignment(behind: place.latest) else { continue }
        temporary.uses.append(.writeInGroup(assignment))
      }
    }
    return temporary
  }

  /// A node that a closure may read: what it writes must not come back by computed nodes.
  private mutating func readable(at place: Place) -> Int {
    guard place.ownsLatest else { return node(upTo: place.latest) }
    return place.latest == 0 || isOneIn(3) ? place.latest : node(upTo: place.latest - 1)
  }
}
