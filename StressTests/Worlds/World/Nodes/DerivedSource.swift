import StateGraph
import StateGraphTesting

/// A computed node of a world.
final class DerivedSource<Coding: NumberCoding>: Source {
  let name: String
  let ceiling: Int
  let grows: Bool
  let reachesComparison: Bool
  let node: Computed<Coding.Value>
  private let rule: Rule
  private let sources: [any Source]
  private let token = Census.alive.token()

  init(name: String, rule: Rule, sources: [any Source]) {
    self.name = name
    self.rule = rule
    self.sources = sources
    ceiling = sources.map(\.ceiling).max() ?? -1
    reachesComparison = sources.contains(where: \.reachesComparison)
    // A sum of what grows tells each change of it.
    grows = rule == .sum && sources.allSatisfy(\.grows)
    guard rule != .constant else {
      node = Computed(constant: Coding.value(for: 42), name: name)
      return
    }
    let runs = RunRecord(
      name: name, isMonotone: rule != .environment && sources.allSatisfy(\.grows))
    let kept = Locked<(any Source)?>(nil)
    node = Coding.makeComputed(name: name) { context in
      runs.begin()
      let result = Self.run(rule, sources, kept, runs, &context)
      runs.end()
      return result
    }
  }

  var number: Int { decode(Coding.self, node.wrappedValue, name) }
  func currentNumber() async -> Int { decode(Coding.self, await node.value, name) }
  var committedNumber: Int? {
    node.committedValue.map { decode(Coding.self, $0, name) }
  }

  var expected: Int {
    rule.apply(
      { sources[$0].expected }, count: sources.count,
      environment: { GraphActor.environment[Weather.self] })
  }

  @GraphActor
  private static func run(
    _ rule: Rule, _ sources: [any Source], _ kept: Locked<(any Source)?>, _ runs: RunRecord,
    _ context: inout GraphContext
  ) -> Int {
    let read = { (place: Int) in
      let number = sources[place].number
      runs.note(number)
      return number
    }
    switch rule {
    case .untracked:
      if let last = sources.last { _ = context.withoutTracking { last.number } }
    case .environment:
      let environment = context.environment
      return read(0) + environment[Weather.self]
    case .chainOfTemporaries: return Temporaries.chain(sources)
    case .severalTemporaries: return Temporaries.several(sources)
    case .storedTemporary: return Temporaries.stored(sources)
    case .keptTemporary: return Temporaries.kept(sources, kept)
    default: break
    }
    return rule.apply(read, count: sources.count, environment: { 0 })
  }

  static func follow(
    _ source: consuming DerivedSource, _ buffering: GraphBuffering,
    _ body: @Sendable (NumberChange) async -> Bool
  ) async {
    let changes = source.node.changes(buffering: buffering)
    let name = source.name
    _ = consume source
    await followChanges(Coding.self, changes, name, body)
  }

  func begin() async -> (first: Int?, next: @Sendable () async -> Int?) {
    let stream = BegunStream(node.changes(buffering: .latest))
    let next: @Sendable () async -> Int? = { [name] in
      await stream.next().map { decode(Coding.self, $0.value, name) }
    }
    return (await next(), next)
  }

  static func followValues(
    _ source: consuming DerivedSource, _ body: @Sendable (_ number: Int) async -> Bool
  ) async {
    let values = source.node.values
    let name = source.name
    _ = consume source
    for await value in values {
      if await !body(decode(Coding.self, value, name)) { return }
    }
  }
}
