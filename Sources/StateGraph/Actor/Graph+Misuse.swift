// Misuse ends the process with a message, in release builds too: going on would publish wrong
// values. `fatalError`, because the message of a precondition is lost under optimisation.

extension Graph {
  /// Stops because a node needs its own value.
  @GraphActor
  func failCycle(_ id: NodeID, from last: NodeID) -> Never {
    failCycle(core.pointee.engine.cyclePath(to: id, from: last))
  }

  /// Stops because nodes need each other's values.
  @GraphActor
  func failCycle(_ path: [NodeID]) -> Never {
    var names: [String] = []
    for (index, id) in path.enumerated() {
      let cell = cell(of: id)
      // An async node is several records, one of which reads the other.
      if index > 0, cell.isPart, names.last == cell.origin.description { continue }
      names.append(cell.origin.description)
    }
    fatalError("StateGraph: cycle: \(names.joined(separator: " -> "))")
  }

  /// The node whose rule the running code is a part of; that must only derive a value.
  @GraphActor var currentRule: NodeOrigin? {
    let running = core.pointee.engine.running
    guard running != .none else { return currentRuleRun?.origin }
    return core.pointee.engine.isWatcher(running) ? nil : cell(of: running).origin
  }

  /// Stops because a rule writes.
  @GraphActor
  func failWrite(to cell: NodeCell, inRuleOf rule: NodeOrigin) -> Never {
    fatalError(
      "StateGraph: the rule of \(rule) writes \(cell.origin); a rule must only derive a value")
  }

  /// Stops because a comparison or an in-place modification writes.
  @GraphActor
  func failWrite(to cell: NodeCell, during ban: WriteBan) -> Never {
    switch ban {
    case .comparing(let compared):
      fatalError(
        "StateGraph: the comparison of values of \(compared) writes \(cell.origin); "
          + "a comparison must only compare")
    case .modifying(let modified):
      fatalError(
        "StateGraph: \(cell.origin) is written while \(modified) is modified in place")
    case .waiting(let origin):
      fatalError(
        "StateGraph: the condition that is waited for at \(origin) writes \(cell.origin); "
          + "a condition must only read")
    case .fallingBack(let origin):
      fatalError(
        "StateGraph: the fallback of \(origin) for cycles writes \(cell.origin); "
          + "a fallback must only give a value")
    }
  }

  /// Stops if the running code must not open a transaction.
  @GraphActor
  func failIfTransactionIsMistake() {
    if let ban = core.pointee.machine.writeBan { failTransaction(during: ban) }
    if let rule = currentRule {
      fatalError(
        "StateGraph: the rule of \(rule) opens a transaction; a rule must only derive a value")
    }
  }

  /// Stops if the running code must not begin to track.
  @GraphActor
  func failIfTrackingIsMistake() {
    if let rule = currentRule {
      fatalError("StateGraph: the rule of \(rule) begins to track; a rule must only derive a value")
    }
    // What begins to track would be told of the change in the middle of it.
    if case .modifying(let modified) = core.pointee.machine.writeBan {
      fatalError("StateGraph: tracking begins while \(modified) is modified in place")
    }
  }

  /// Stops because reactions or handlers cause each other without an end.
  ///
  /// - Parameters:
  ///   - members: Who, each before the one that answers it.
  ///   - limit: How often.
  @GraphActor
  func failFeedback(of members: [NodeOrigin], limit: Int) -> Never {
    let names = members.map(\.nameAndLocation).joined(separator: " -> ")
    fatalError(
      "StateGraph: \(names) \(members.count > 1 ? "cause each other" : "causes itself") "
        + "without an end: \(limit) runs in a row; a handler has to come to rest")
  }

  /// Stops because a transaction is opened in a comparison or an in-place modification.
  @GraphActor
  func failTransaction(during ban: WriteBan) -> Never {
    switch ban {
    case .comparing(let compared):
      fatalError("StateGraph: the comparison of values of \(compared) opens a transaction")
    case .modifying(let modified):
      fatalError("StateGraph: a transaction is opened while \(modified) is modified in place")
    case .waiting(let origin):
      fatalError("StateGraph: the condition that is waited for at \(origin) opens a transaction")
    case .fallingBack(let origin):
      fatalError("StateGraph: the fallback of \(origin) for cycles opens a transaction")
    }
  }

  /// Stops because rules are nested too deeply.
  @GraphActor
  func failDepth(_ cell: NodeCell) -> Never {
    fatalError(
      "StateGraph: the first evaluation of \(cell.origin) nests deeper than the stack allows; "
        + "read the nodes once from the sources on, before the last one is read")
  }
}
