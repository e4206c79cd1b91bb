// Misuse ends the process with a message, in release builds too: going on would publish wrong
// values. `fatalError`, because the message of a precondition is lost under optimisation.

extension Graph {
  /// Stops because a node needs its own value.
  @GraphActor
  func failCycle(_ id: NodeID, from last: NodeID) -> Never {
    let path = core.pointee.engine.cyclePath(to: id, from: last)
    let names = path.map { cell(of: $0).origin.description }
    fatalError("StateGraph: cycle: \(names.joined(separator: " -> "))")
  }

  /// Stops because a rule writes.
  @GraphActor
  func failWrite(to cell: NodeCell, inRuleOf id: NodeID) -> Never {
    let rule = self.cell(of: id).origin
    fatalError(
      "StateGraph: the rule of \(rule) writes \(cell.origin); a rule must only derive a value")
  }

  /// Stops because a comparison or an in-place modification writes.
  @GraphActor
  func failWrite(to cell: NodeCell, during ban: GraphCore.WriteBan) -> Never {
    switch ban {
    case .comparing(let compared):
      fatalError(
        "StateGraph: the comparison of values of \(compared) writes \(cell.origin); "
          + "a comparison must only compare")
    case .modifying(let modified):
      fatalError(
        "StateGraph: \(cell.origin) is written while \(modified) is modified in place")
    }
  }

  /// Stops because a transaction is opened where writing is a mistake.
  @GraphActor
  func failTransaction(inRuleOf id: NodeID) -> Never {
    fatalError(
      "StateGraph: the rule of \(cell(of: id).origin) opens a transaction; "
        + "a rule must only derive a value")
  }

  /// Stops because a transaction is opened in a comparison or an in-place modification.
  @GraphActor
  func failTransaction(during ban: GraphCore.WriteBan) -> Never {
    switch ban {
    case .comparing(let compared):
      fatalError("StateGraph: the comparison of values of \(compared) opens a transaction")
    case .modifying(let modified):
      fatalError("StateGraph: a transaction is opened while \(modified) is modified in place")
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
