import StateGraph

/// Sums that a rule gets through nodes that it makes for itself.
enum Temporaries {
  /// One node reads the other.
  @GraphActor
  static func chain(_ sources: [any Source]) -> Int {
    let sum = Computed { _ in sources.reduce(0) { $0 + $1.number } }
    let doubled = sum.map { (value: Int) -> Int in value * 2 }
    let moved = doubled.map { (value: Int) -> Int in value + 2 }
    let halved = moved.map { (value: Int) -> Int in value / 2 }
    return halved.wrappedValue - 1
  }

  /// Each reads one of the sources, in a type of its own.
  @GraphActor
  static func several(_ sources: [any Source]) -> Int {
    let nodes = sources.map { source in Computed { _ in "\(source.number)" } }
    return nodes.reduce(0) { $0 + (Int($1.wrappedValue) ?? 0) }
  }

  /// A stored node holds the sum, and another one reads it.
  @GraphActor
  static func stored(_ sources: [any Source]) -> Int {
    let sum = Stored(sources.reduce(0) { $0 + $1.number })
    let moved = sum.map { (value: Int) -> Int in value + 1 }
    return moved.wrappedValue - 1
  }

  /// The node lives on until the next run.
  @GraphActor
  static func kept(_ sources: [any Source], _ place: Locked<(any Source)?>) -> Int {
    let node = DerivedSource<TextCoding>(name: "kept", rule: .sum, sources: sources)
    let result = node.number
    let previous = place.with { kept in
      defer { kept = node }
      return kept
    }
    _ = consume previous
    return result
  }
}
