// A failing program is made smaller as long as it still fails.

extension ReactionProgram {
  /// Leaves out what is not needed for a difference.
  ///
  /// - Returns: The smallest program found, and its difference.
  func reduced(
    failingWith difference: ReactionComparison.Difference
  ) async -> (ReactionProgram, ReactionComparison.Difference) {
    var (smallest, latest) = (self, difference)
    var isReduced = true
    while isReduced {
      isReduced = false
      var place = 0
      while let smaller = smallest.without(place) {
        var comparison = ReactionComparison()
        do {
          try await comparison.compare(smaller)
          place += 1
        } catch {
          (smallest, latest, isReduced) = (smaller, error, true)
        }
      }
    }
    return (smallest, latest)
  }

  /// The program without one of its parts; nil if there are not so many.
  private func without(_ place: Int) -> ReactionProgram? {
    var (program, left) = (self, place)
    if left < steps.count {
      program.steps.remove(at: left)
      return program
    }
    left -= steps.count
    for tracking in trackings.indices where left >= 0 {
      program.trackings[tracking] = trackings[tracking].without(&left)
    }
    for node in handlers.keys.sorted() where left >= 0 {
      program.handlers[node] = handlers[node]?.without(&left)
    }
    return left < 0 ? program : nil
  }
}

extension [ReactionProgram.Reaction] {
  /// Leaves out the part with a number, counting down to it; then the number is negative.
  fileprivate func without(_ left: inout Int) -> Self {
    var smaller: Self = []
    for var reaction in self {
      left -= 1
      if left == -1 { continue }
      if left >= 0 { reaction.body = reaction.body.without(&left) }
      if left >= 0 { reaction.handler = reaction.handler?.without(&left) }
      smaller.append(reaction)
    }
    return smaller
  }
}

extension [ReactionProgram.Statement] {
  /// Leaves out the part with a number, counting down to it; then the number is negative.
  fileprivate func without(_ left: inout Int) -> Self {
    var smaller: Self = []
    for statement in self {
      left -= 1
      if left == -1 { continue }
      smaller.append(left >= 0 ? statement.without(&left) : statement)
    }
    return smaller
  }
}

extension ReactionProgram.Statement {
  fileprivate func without(_ left: inout Int) -> Self {
    switch self {
    case .begin(let reaction):
      var smaller = reaction
      smaller.body = reaction.body.without(&left)
      if left >= 0 { smaller.handler = reaction.handler?.without(&left) }
      return .begin(smaller)
    case .cleanUp(let reaction, let statements):
      return .cleanUp(of: reaction, statements.without(&left))
    case .branch(let node, let odd, let even):
      let smaller = odd.without(&left)
      return .branch(on: node, odd: smaller, even: left >= 0 ? even.without(&left) : even)
    default: return self
    }
  }
}
