// The model follows a program.

extension ReactionModel {
  typealias Statement = ReactionProgram.Statement

  /// Does one step from outside.
  func perform(_ step: ReactionProgram.Step) {
    switch step {
    case .begin(let tracking):
      enter()
      for reaction in program.trackings[tracking] {
        if let instance = begin(reaction, variable: 0) {
          begun[tracking, default: []].append(instance)
        }
      }
    case .write(let node, let value): write(value, to: node)
    case .transaction(let writes):
      transaction { for (node, value) in writes { write(value, to: node) } }
    case .read(let node): trace.append("\(node) is read: \(read(node))")
    case .cancel(let tracking):
      for instance in (begun[tracking] ?? []).reversed() { cancel(instance) }
    case .settle: settle()
    }
  }

  /// Runs a closure.
  ///
  /// - Returns: Its variable at the end.
  @discardableResult
  func perform(_ statements: [Statement], beginningWith variable: Int) -> Int {
    var variable = variable
    perform(statements, &variable)
    return variable
  }

  private func perform(_ statements: [Statement], _ variable: inout Int) {
    for statement in statements {
      switch statement {
      case .read(let node): see(node, &variable)
      case .peek(let node): untracked { see(node, &variable) }
      case .write(let assignment):
        write(assignment.value(of: variable), to: assignment.node)
      case .transaction(let assignments):
        transaction { [variable] in
          for assignment in assignments {
            write(assignment.value(of: variable), to: assignment.node)
          }
        }
      case .branch(let node, let odd, let even):
        see(node, &variable)
        perform(variable.isMultiple(of: 2) ? even : odd, &variable)
      case .begin(let reaction): begin(reaction, variable: variable)
      case .cleanUp(_, let statements): maker?.cleanups.append((variable, statements))
      case .temporary(let temporary): use(temporary, &variable)
      }
    }
  }

  private func see(_ node: Int, _ variable: inout Int) {
    let value = read(node)
    trace.append("\(node) is seen: \(value)")
    ReactionProgram.mix(value, into: &variable)
  }
}
