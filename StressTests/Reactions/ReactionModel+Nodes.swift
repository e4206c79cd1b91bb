import StateGraphTesting

// Values and readings.

extension ReactionModel {
  /// The value that the running code sees; a reading, if it is tracked.
  func read(_ node: Int) -> Int {
    if vertices[node].rule != nil { enter() }
    if let staged = staged?.first(where: { $0.node == node }) { return staged.value }
    let (before, outer) = (vertices[node].changes, nodeInHand)
    nodeInHand = node
    bringUpToDate(node)
    nodeInHand = outer
    if isTracking { note(node, found: vertices[node].changes - before) }
    return value(of: node)
  }

  /// Runs a body without noting what it reads.
  func untracked<R>(_ body: () -> R) -> R {
    let outer = isTracking
    isTracking = false
    defer { isTracking = outer }
    return body()
  }

  /// The value of a node, from scratch.
  func value(of node: Int) -> Int {
    var values: [Int: Int] = [:]
    return value(of: node, &values)
  }

  private func value(of node: Int, _ values: inout [Int: Int]) -> Int {
    if let value = values[node] { return value }
    let result =
      switch vertices[node].rule {
      case nil: vertices[node].value ?? -1
      case .rule(let rule): rule.evaluate { value(of: $0, &values) }
      case .sum(let one, let other): value(of: one, &values) + value(of: other, &values)
      }
    values[node] = result
    return result
  }

  /// Notes a reading of the innermost run.
  ///
  /// - Parameters:
  ///   - node: What was read.
  ///   - found: How many changes the read itself has found out.
  private func note(_ node: Int, found: Int) {
    var run = runs.removeLast()
    defer { runs.append(run) }
    if let place = run.readings.firstIndex(where: { $0.node == node }) {
      run.readings[place].change += found
    } else if run.repeated < run.former.count, run.former[run.repeated].node == node {
      let number = run.former[run.repeated].number
      run.repeated += 1
      run.readings.append(Reading(number: number, node: node, change: vertices[node].changes))
    } else {
      readingCount += 1
      run.readings.append(
        Reading(number: readingCount, node: node, change: vertices[node].changes))
      vertices[node].dependents.append(Dependent(reading: readingCount, vertex: run.vertex))
    }
  }

  /// Begins a run.
  func begin(_ vertex: Int) {
    runs.append(Run(vertex: vertex, former: vertices[vertex].readings))
    isTracking = true
  }

  /// Ends the innermost run.
  func end() {
    let run = runs.removeLast()
    for reading in run.former[run.repeated...] { forget(reading) }
    vertices[run.vertex].readings = run.readings
  }

  /// Makes something read nothing any more.
  func forgetReadings(of vertex: Int) {
    for reading in vertices[vertex].readings { forget(reading) }
    vertices[vertex].readings = []
  }

  private func forget(_ reading: Reading) {
    vertices[reading.node].dependents.removeAll { $0.reading == reading.number }
  }
}

// MARK: - Computed nodes

extension ReactionModel {
  /// Evaluates a computed node if a reading of it is not as it was, checked in order.
  func bringUpToDate(_ node: Int) {
    guard vertices[node].rule != nil, vertices[node].checkedAt != time else { return }
    if vertices[node].value == nil || hasChanged(for: node) { evaluate(node) }
    vertices[node].checkedAt = time
    vertices[node].isStale = false
  }

  /// Whether a reading is not as it was; nothing is evaluated behind the first.
  func hasChanged(for vertex: Int) -> Bool {
    if differs(for: vertex) { return true }
    for reading in vertices[vertex].readings {
      bringUpToDate(reading.node)
      if differs(for: vertex) { return true }
    }
    return false
  }

  /// Whether a reading is known not to be as it was.
  func differs(for vertex: Int) -> Bool {
    vertices[vertex].isForced
      || vertices[vertex].readings.contains { $0.change != vertices[$0.node].changes }
  }

  /// Takes for read what has changed: that is why a run is about to begin.
  func takeNote(for vertex: Int) {
    for place in vertices[vertex].readings.indices {
      let node = vertices[vertex].readings[place].node
      vertices[vertex].readings[place].change = vertices[node].changes
    }
  }

  private func evaluate(_ node: Int) {
    let outer = isTracking
    begin(node)
    let value: Int
    switch vertices[node].rule {
    case nil: preconditionFailure("node \(node) has no rule")
    case .rule(let rule):
      value = rule.evaluate { read($0) }
      trace.append("node \(node) is \(value)")
    case .sum(let one, let other): value = read(one) + read(other)
    }
    end()
    isTracking = outer
    precondition(value == self.value(of: node), "the model contradicts itself at \(node)")
    guard vertices[node].value != value else { return }
    vertices[node].value = value
    vertices[node].changes += 1
  }
}
