package import StateGraph

/// One random graph under random operations, compared with the reference model after each.
@GraphActor
package final class ModelRun {
  /// What went wrong, in a form that reads as a list of steps.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private struct Rollback: Error {}

  /// The nodes under test, by number; rules look them up here, so that any can be dropped.
  @GraphActor
  private final class Registry {
    var stored: [Int: Stored<Int>] = [:]
    var computed: [Int: Computed<Int>] = [:]
    /// The rules that have run since the list was emptied.
    var runs: [Int] = []

    func read(_ node: Int) -> Int? {
      stored[node]?.wrappedValue ?? computed[node]?.wrappedValue
    }
  }

  private let registry = Registry()
  private var model = ReferenceModel()
  private var oracle = RunOracle()
  private var generator: SeededGenerator
  private let seed: UInt64
  private var steps: [String] = []

  /// Prepares a run.
  ///
  /// - Parameter seed: Determines the graph and the operations.
  package init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// Builds the graph and performs operations on it.
  ///
  /// - Parameter operations: How many.
  /// - Throws: `Failure`, with the seed and the steps, at the first difference.
  package func run(operations: Int) throws(Failure) {
    for _ in 0..<Int.random(in: 1...5, using: &generator) { addSource() }
    for _ in 0..<Int.random(in: 1...20, using: &generator) { addDerived() }
    for operation in 1...operations {
      try perform()
      if operation.isMultiple(of: 20) || operation == operations { try checkInvariants() }
    }
  }

  private func perform() throws(Failure) {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: write()
    case 30..<65: try read()
    case 65..<80: try transaction()
    case 80..<84: drop()
    case 84..<88: addSource()
    case 88..<94: addDerived()
    default:
      steps.append("read all")
      for node in 0..<model.count { try compare(node) }
    }
  }

  private func addSource() {
    let value = Int.random(in: 0...3, using: &generator)
    steps.append("\(model.count) = stored \(value)")
    registry.stored[model.count] = Stored(value)
    model.addSource(value)
    oracle.graphChanged(model)
  }

  private func addDerived() {
    let node = model.count
    let rule = ModelRule.random(below: node, using: &generator)
    steps.append("\(node) = computed \(rule)")
    // The registry holds the node: it must not be held in turn.
    registry.computed[node] = Computed { [unowned registry] _ in
      registry.runs.append(node)
      return rule.evaluate(registry.read)
    }
    model.addDerived(rule)
  }

  private func write() {
    guard let node = model.sources.randomElement(using: &generator) else { return }
    let value = Int.random(in: 0...3, using: &generator)
    steps.append("\(node) := \(value)")
    registry.stored[node]?.wrappedValue = value
    model.write(value, to: node)
    oracle.graphChanged(model)
  }

  private func read() throws(Failure) {
    let node = Int.random(in: 0..<model.count, using: &generator)
    steps.append("read \(node)")
    try compare(node)
  }

  private func drop() {
    let node = Int.random(in: 0..<model.count, using: &generator)
    guard !model.isGone(node) else { return }
    steps.append("drop \(node)")
    registry.stored[node] = nil
    registry.computed[node] = nil
    model.drop(node)
    oracle.graphChanged(model)
    Graph.shared.arrive()
  }

  private func transaction() throws(Failure) {
    let commits = Int.random(in: 0..<4, using: &generator) > 0
    steps.append("begin")
    model.beginTransaction()
    oracle.graphChanged(model)
    var failure: Failure?
    do {
      try withGraphTransaction {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          if Bool.random(using: &generator) {
            write()
          } else {
            do throws(Failure) { try read() } catch { failure = error }
          }
        }
        if !commits { throw Rollback() }
      }
    } catch {}
    steps.append(commits ? "commit" : "roll back")
    model.endTransaction(commits: commits)
    oracle.graphChanged(model)
    if let failure { throw failure }
  }

  /// Reads a node in both worlds and compares the values and the rules that have run.
  private func compare(_ node: Int) throws(Failure) {
    registry.runs = []
    oracle.forgetRuns()
    let actual = registry.read(node)
    let expected = model.value(of: node)
    guard oracle.read(node, in: model) == expected else {
      throw fail("the oracle and the model differ at \(node)")
    }
    guard actual == expected else {
      throw fail("\(node) is \(actual as Int?), not \(expected as Int?)")
    }
    guard registry.runs.sorted() == oracle.runs.sorted() else {
      throw fail("reading \(node) ran \(registry.runs), not \(oracle.runs)")
    }
  }

  private func checkInvariants() throws(Failure) {
    let broken = Graph.shared.brokenInvariants()
    guard broken.isEmpty else { throw fail(broken.joined(separator: "\n")) }
  }

  private func fail(_ message: String) -> Failure {
    Failure(
      description: """
        seed \(seed): \(message), after
        \(steps.joined(separator: "\n"))
        """)
  }
}
