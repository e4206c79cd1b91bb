/// Which rules have to run when a node is read, and so which must not.
///
/// A rule has to run if it has never run, or if something that it read in its latest run has
/// changed since; dependencies count in reading order, and those behind the first that changed do
/// not matter. In a transaction a rule has to run, once until the next write, if something that it
/// read in its latest committed run looks different from what it was then.
public struct RunOracle: Sendable {
  /// What is known of a rule's latest run.
  private struct Run {
    var value: Int
    /// What was read, in order, and how often it had changed by then.
    var readings: [(node: Int, change: Int)]
  }

  private var latest: [Int: Run] = [:]
  /// How often each node has changed.
  private var changes: [Int: Int] = [:]
  /// The values of the open transaction that are known.
  private var staged: [Int: Int] = [:]
  /// The committed values of the sources.
  private var sources: [Int: Int] = [:]

  /// The rules that have run since the list was emptied, by node.
  public private(set) var runs: [Int] = []

  /// Makes an oracle for an empty graph.
  public init() {}

  /// Empties the list of runs.
  public mutating func forgetRuns() { runs = [] }

  /// Notes that something has been written or dropped.
  ///
  /// - Parameter model: The model, which has been told before.
  public mutating func graphChanged(_ model: ReferenceModel) {
    staged = [:]
    guard !model.isStaging else { return }
    for node in 0..<model.count where model.isGone(node) && changes[node] != .max {
      changes[node] = .max
    }
    for node in model.sources {
      guard let value = model.value(of: node), sources[node] != value else { continue }
      sources[node] = value
      changes[node, default: 0] += 1
    }
  }

  /// Reads a node like a user.
  ///
  /// - Parameters:
  ///   - node: The number of the node.
  ///   - model: What the graph looks like.
  /// - Returns: The value, from the caches if they hold; nil if the node is gone.
  public mutating func read(_ node: Int, in model: ReferenceModel) -> Int? {
    if model.isGone(node) { return nil }
    return model.isStaging ? readStaged(node, model) : readCommitted(node, model)
  }

  private mutating func readCommitted(_ node: Int, _ model: ReferenceModel) -> Int? {
    guard let rule = model.rule(of: node) else { return model.value(of: node) }
    guard mustRun(node, model) else { return latest[node]?.value }
    runs.append(node)
    var readings: [(node: Int, change: Int)] = []
    let value = rule.evaluate { dependency in
      guard let value = read(dependency, in: model) else { return nil }
      if !readings.contains(where: { $0.node == dependency }) {
        readings.append((dependency, changes[dependency, default: 0]))
      }
      return value
    }
    if latest[node]?.value != value { changes[node, default: 0] += 1 }
    latest[node] = Run(value: value, readings: readings)
    return value
  }

  private mutating func mustRun(_ node: Int, _ model: ReferenceModel) -> Bool {
    guard let run = latest[node] else { return true }
    for reading in run.readings {
      _ = read(reading.node, in: model)
      if changes[reading.node, default: 0] != reading.change { return true }
    }
    return false
  }

  private mutating func readStaged(_ node: Int, _ model: ReferenceModel) -> Int? {
    guard let rule = model.rule(of: node) else { return model.value(of: node) }
    if let known = staged[node] { return known }
    var value = latest[node]?.value
    if value == nil || looksDifferent(node, model) {
      runs.append(node)
      value = rule.evaluate { read($0, in: model) }
    }
    staged[node] = value
    return value
  }

  private mutating func looksDifferent(_ node: Int, _ model: ReferenceModel) -> Bool {
    for reading in latest[node]?.readings ?? [] {
      if changes[reading.node, default: 0] != reading.change { return true }
      let committed = latest[reading.node]?.value ?? sources[reading.node]
      if read(reading.node, in: model) != committed { return true }
    }
    return false
  }
}
