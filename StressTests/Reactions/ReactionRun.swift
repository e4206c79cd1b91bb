import StateGraph
import StateGraphTesting

/// Follows a program with the library.
@GraphActor
final class ReactionRun {
  typealias Statement = ReactionProgram.Statement

  private let program: ReactionProgram
  private var sources: [Stored<Int>] = []
  private var computed: [Computed<Int>] = []
  private var begun: [Int: GraphCancellable] = [:]
  private(set) var trace: [String] = []

  init(_ program: ReactionProgram) {
    self.program = program
    for (node, value) in program.sources.enumerated() {
      sources.append(Stored(value, name: "\(node)"))
      guard let handler = program.handlers[node] else { continue }
      sources[node].onDidSet { [unowned self] old, new in
        trace.append("handler of \(node): \(old) -> \(new)")
        perform(handler, beginningWith: new)
      }
    }
    for (index, rule) in program.rules.enumerated() {
      let node = sources.count + index
      computed.append(
        Computed(name: "\(node)") { [unowned self] _ in
          let value = rule.evaluate { self.read($0) }
          trace.append("node \(node) is \(value)")
          return value
        })
    }
  }

  private func read(_ node: Int) -> Int {
    node < sources.count
      ? sources[node].wrappedValue : computed[node - sources.count].wrappedValue
  }

  /// Does one step from outside.
  func perform(_ step: ReactionProgram.Step) async {
    switch step {
    case .begin(let tracking):
      begun[tracking] = withGraphTracking {
        for reaction in program.trackings[tracking] { begin(reaction, variable: 0) }
      }
    case .write(let node, let value): sources[node].wrappedValue = value
    case .transaction(let writes):
      withGraphTransaction {
        for (node, value) in writes { sources[node].wrappedValue = value }
      }
    case .read(let node): trace.append("\(node) is read: \(read(node))")
    case .cancel(let tracking): begun[tracking]?.cancel()
    case .settle: await GraphActor.settle()
    }
  }

  /// Ends everything, so that nothing is left for the next run.
  func end() async {
    for tracking in begun.values { tracking.cancel() }
    begun = [:]
    await GraphActor.settle()
  }
}

// MARK: - Statements

extension ReactionRun {
  @discardableResult
  private func perform(_ statements: [Statement], beginningWith variable: Int) -> Int {
    var variable = variable
    perform(statements, &variable)
    return variable
  }

  private func perform(_ statements: [Statement], _ variable: inout Int) {
    for statement in statements {
      switch statement {
      case .read(let node): see(node: node, &variable)
      case .peek(let node): GraphActor.withoutTracking { see(node: node, &variable) }
      case .write(let assignment): write(assignment, variable)
      case .transaction(let assignments):
        withGraphTransaction { [variable] in
          for assignment in assignments { write(assignment, variable) }
        }
      case .branch(let node, let odd, let even):
        see(node: node, &variable)
        perform(variable.isMultiple(of: 2) ? even : odd, &variable)
      case .begin(let reaction): begin(reaction, variable: variable)
      case .cleanUp(let number, let statements): cleanUp(number, statements, variable)
      case .temporary(let temporary): use(temporary, &variable)
      }
    }
  }

  private func see(node: Int, _ variable: inout Int) {
    let value = read(node)
    trace.append("\(node) is seen: \(value)")
    ReactionProgram.mix(value, into: &variable)
  }

  private func write(_ assignment: ReactionProgram.Assignment, _ variable: Int) {
    sources[assignment.node].wrappedValue = assignment.value(of: variable)
  }

  private func begin(_ reaction: ReactionProgram.Reaction, variable: Int) {
    let delivery: GraphDelivery = reaction.isImmediate ? .immediate : .coalesced
    let name = "reaction \(reaction.number)"
    let body = { @GraphActor [unowned self] () -> Int in
      trace.append("reaction \(reaction.number) runs")
      return perform(reaction.body, beginningWith: variable)
    }
    guard let handler = reaction.handler else {
      return withGraphTrackingGroup(delivery: delivery, name: name) { _ = body() }
    }
    withGraphTrackingMap(delivery: delivery, name: name, body) { @GraphActor [unowned self] value in
      trace.append("handler of reaction \(reaction.number): \(value)")
      perform(handler, beginningWith: value)
    }
  }

  private func cleanUp(_ number: Int, _ statements: [Statement], _ variable: Int) {
    withGraphTrackingCleanup { [unowned self] in
      trace.append("cleanup of reaction \(number)")
      perform(statements, beginningWith: variable)
    }
  }
}

// MARK: - Temporary nodes

extension ReactionRun {
  private func use(_ temporary: ReactionProgram.Temporary, _ variable: inout Int) {
    let stored = Stored(variable % 4)
    let computed = Computed { [unowned self] _ in
      stored.wrappedValue + self.read(temporary.addend)
    }
    for use in temporary.uses {
      switch use {
      case .readStored: see(stored.wrappedValue, &variable)
      case .readComputed: see(computed.wrappedValue, &variable)
      case .assign(let number): stored.wrappedValue = (variable + number) % 5
      case .assignInGroup(let number):
        withGraphTrackingGroup { [variable] in stored.wrappedValue = (variable + number) % 5 }
      case .writeInGroup(let assignment):
        withGraphTrackingGroup { [variable, unowned self] in write(assignment, variable) }
      }
    }
    extendLifetime(computed)
  }

  private func see(_ value: Int, _ variable: inout Int) {
    trace.append("a temporary is seen: \(value)")
    ReactionProgram.mix(value, into: &variable)
  }
}
