extension WorldPlanner {
  /// Draws what is begun to be tracked, or ended.
  mutating func tracking() -> WorldStep {
    switch below(10) {
    case 0..<5: return .track(recipe())
    case 5..<7 where shapes.has(.maps):
      return .mapWithoutObject(
        node(), below(plan.stored.count / 2), to: number(), cancels: chance(70))
    default: return .end(below(100), pick(WorldStep.Ending.allCases))
    }
  }

  private mutating func recipe() -> TrackingRecipe {
    TrackingRecipe(members: (0..<1 + below(2)).map { _ in member(depth: 0, floor: -1) })
  }

  /// Draws a group or a map.
  ///
  /// - Parameters:
  ///   - depth: In how many groups it is nested.
  ///   - floor: The highest rank that these read. It writes above it: two that write what the outer
  ///     ones read would go on for ever.
  /// - Returns: The group or map.
  private mutating func member(depth: Int, floor: Int) -> TrackingRecipe.Member {
    let sources = (0..<1 + below(3)).map { _ in node() }
    let top = max(floor, sources.map(ceiling).max() ?? -1)
    let isMap = depth > 0 ? chance(30) : chance(40)
    let canNest = !isMap && depth < 2
    return TrackingRecipe.Member(
      sources: sources, isMap: isMap, isImmediate: chance(40), isElsewhere: isMap && chance(30),
      usesTransaction: chance(25),
      target: chance(50) ? above(top) : nil,
      cleanupTarget: !isMap && chance(35) ? above(top) : nil,
      cleanupEnds: !isMap && chance(15) ? below(100) : nil,
      endsItself: chance(10),
      nested: canNest && chance(40) ? [member(depth: depth + 1, floor: top)] : [])
  }
}
