import StateGraph
import StateGraphTesting
import Testing

/// Members of a cycle that have fallbacks.
@Suite struct CycleFallbackTests {
  @Test @GraphActor func `a node that reads itself has its fallback, and recovers`() {
    let isCyclic = Stored(true)
    let node = Late()
    node.content = Computed(name: "a", onCycle: { _ in -1 }) { [unowned node] in
      isCyclic.wrappedValue ? node.value + 1 : 5
    }
    #expect(node.value == -1)
    isCyclic.wrappedValue = false
    #expect(node.value == 5)
    isCyclic.wrappedValue = true
    #expect(node.value == -1)
  }

  @Test @GraphActor func `each member has its own, whichever is read first, and gets its path`() {
    for entry in 0..<3 {
      let paths = EventLog<String>()
      let nodes = (0..<3).map { _ in Late() }
      for place in 0..<3 {
        nodes[place].content = Computed(
          name: "\(place)",
          onCycle: { path in
            paths.record(path.map(\.description).joined())
            return (place + 1) * 100
          }
        ) { [unowned next = nodes[(place + 1) % 3]] in next.value + 1 }
      }
      #expect(nodes[entry].value == (entry + 1) * 100)
      #expect(nodes.map(\.value) == [100, 200, 300])
      #expect(paths.events.sorted() == ["012", "120", "201"])
    }
  }

  @Test @GraphActor func `members without a fallback are derived from those that have one`() {
    for entry in 0..<4 {
      let factor = Stored(1)
      let nodes = (0..<4).map { _ in Late() }
      for place in 0..<4 {
        let rule: @GraphActor @Sendable () -> Int = { [unowned next = nodes[(place + 1) % 4]] in
          next.value * factor.wrappedValue + 1
        }
        nodes[place].content =
          place == 2 ? Computed(onCycle: { _ in 10 }, rule) : Computed(rule)
      }
      #expect(nodes[entry].value == [12, 11, 10, 13][entry])
      #expect(nodes.map(\.value) == [12, 11, 10, 13])
      factor.wrappedValue = 2
      #expect(nodes[entry].value == [43, 21, 10, 87][entry])
      #expect(nodes.map(\.value) == [43, 21, 10, 87])
    }
  }

  @Test @GraphActor func `who only reads a member is none`() {
    let node = Late()
    node.content = Computed(onCycle: { _ in -1 }) { [unowned node] in node.value }
    let reader = Computed(onCycle: { _ in -2 }) { node.value * 10 }
    #expect(reader.wrappedValue == -10)
  }

  @Test @GraphActor func `a group hears of a cycle that a change makes, and of its end`() {
    let isCyclic = Stored(false)
    let one = Late()
    let two = Late()
    one.content = Computed(onCycle: { _ in -1 }) { [unowned two] in two.value + 1 }
    two.content = Computed { [unowned one] in isCyclic.wrappedValue ? one.value : 1 }
    let seen = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { seen.record(one.value) }
    }
    isCyclic.wrappedValue = true
    isCyclic.wrappedValue = false
    #expect(seen.events == [2, -1, 2])
    tracking.cancel()
  }

  @Test @GraphActor func `a member recovers also if what it reads has the value that it had`() {
    // `two` is the fallback plus one in the cycle, and the same number without it.
    let isCyclic = Stored(true)
    let one = Late()
    let two = Late()
    one.content = Computed(onCycle: { _ in 10 }) { [unowned two] in two.value * 2 }
    two.content = Computed { [unowned one] in isCyclic.wrappedValue ? one.value + 1 : 11 }
    #expect([one.value, two.value] == [10, 11])
    isCyclic.wrappedValue = false
    #expect([one.value, two.value] == [22, 11])
  }

  @Test func `a cycle without a fallback is a mistake beside one that has some`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await GraphActor.run {
        let nodes = (0..<3).map { _ in Late() }
        nodes[0].content = Computed(name: "a", onCycle: { _ in 0 }) { nodes[1].value }
        nodes[1].content = Computed(name: "b") { nodes[0].value + nodes[2].value }
        nodes[2].content = Computed(name: "c") { nodes[1].value }
        _ = nodes[0].value
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      output.contains("cycle: b -> c -> b") || output.contains("cycle: c -> b -> c"), "\(output)")
  }

  @Test func `a fallback that writes is named with the node it writes`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let node = Late()
        let fallback: @GraphActor @Sendable ([GraphNodeID]) -> Int = { _ in
          count.wrappedValue += 1
          return 0
        }
        node.content = Computed(name: "total", onCycle: fallback) { node.value }
        _ = node.value
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("the fallback of total for cycles writes count"), "\(output)")
  }

  @Test @GraphActor func `a long cycle costs no more than a few runs of each rule`() {
    let count = 300
    let runs = EventLog<Int>()
    let factor = Stored(1)
    let nodes = (0..<count).map { _ in Late() }
    for place in 0..<count {
      let rule: @GraphActor @Sendable () -> Int = { [unowned next = nodes[(place + 1) % count]] in
        runs.record(place)
        // Twice: what is derived apart is derived once.
        return (next.value + next.value) / 2 + factor.wrappedValue
      }
      nodes[place].content =
        place == count - 1 ? Computed(onCycle: { _ in 0 }, rule) : Computed(rule)
    }
    #expect(nodes[0].value == count - 1)
    #expect(runs.take().count <= 3 * count)
    factor.wrappedValue = 2
    #expect(nodes[0].value == 2 * (count - 1))
    #expect(runs.take().count <= 3 * count)
  }

  // MARK: - Random graphs

  @Test(arguments: 0..<8)
  func `random graphs have the fallbacks of their strongly connected components`(part: UInt64) async
  {
    // In a process of its own: it keeps the actor busy.
    await #expect(processExitsWith: .success) { [part = part as UInt64] in
      for seed in part * 250..<(part + 1) * 250 {
        await GraphActor.run {
          var sheet = RandomSheet(seed: seed)
          sheet.run()
        }
      }
    }
  }
}

/// A computed node that can be named before it is made.
@GraphActor final class Late {
  var content: Computed<Int>?
  var value: Int { content?.wrappedValue ?? 0 }
}

/// Cells that add others up, as switches say, and an oracle that knows the components.
@GraphActor private struct RandomSheet {
  private let count: Int
  private let numbers: [Stored<Int>]
  private let switches: [[Stored<Bool>]]
  private let cells: [Late]
  private let hasFallback: [Bool]
  private var random: SeededGenerator
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...7, using: &random)
    self.count = count
    numbers = (0..<count).map { _ in Stored(Int.random(in: 0..<4, using: &random)) }
    let numbers = self.numbers
    switches = (0..<count).map { _ in (0..<count).map { _ in Stored(false) } }
    let switches = self.switches
    let cells = (0..<count).map { _ in Late() }
    self.cells = cells
    hasFallback = (0..<count).map { _ in Int.random(in: 0..<3, using: &random) > 0 }
    self.random = random
    for place in 0..<count {
      let rule: @GraphActor @Sendable () -> Int = {
        var sum = numbers[place].wrappedValue
        for (other, isOn) in switches[place].enumerated() where isOn.wrappedValue {
          sum += cells[other].value
        }
        return sum % 1000
      }
      cells[place].content =
        hasFallback[place]
        ? Computed(name: "\(place)", onCycle: { _ in 500 + place }, rule)
        : Computed(name: "\(place)", rule)
    }
  }

  mutating func run() {
    var trackings: [GraphCancellable] = []
    for step in 0..<16 {
      change()
      if step == 10 {
        let cells = cells
        let followed = Int.random(in: 0..<count, using: &random)
        trackings.append(
          withGraphTracking {
            withGraphTrackingGroup(delivery: .immediate) { _ = cells[followed].value }
          })
      }
      verify("step \(step)")
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      try? withGraphTransaction { () throws(RolledBack) in
        for _ in 0..<2 {
          change()
          verify("step \(step), staged")
        }
        throw RolledBack()
      }
      verify("step \(step), rolled back")
    }
    trackings.forEach { $0.cancel() }
    cells.forEach { $0.content = nil }
  }

  private struct RolledBack: Error {}

  /// Changes something such that no cycle is without a fallback.
  private mutating func change() {
    if Bool.random(using: &random) {
      numbers.randomElement(using: &random)?.wrappedValue = Int.random(in: 0..<4, using: &random)
      return
    }
    let isOn = switches[Int.random(in: 0..<count, using: &random)][
      Int.random(in: 0..<count, using: &random)]
    // In one step, so that nobody sees a cycle that is not allowed.
    withGraphTransaction {
      isOn.wrappedValue.toggle()
      if expected() == nil { isOn.wrappedValue.toggle() }
    }
  }

  private mutating func verify(_ label: String) {
    guard let expected = expected() else { return }
    for place in Array(0..<count).shuffled(using: &random).prefix(
      Int.random(in: 1...count, using: &random))
    {
      let value = cells[place].value
      #expect(value == expected[place], "seed \(seed), \(label), cell \(place)")
    }
    guard GraphTransaction.current == nil else { return }
    let broken = Graph.shared.brokenInvariants()
    #expect(broken.isEmpty, "seed \(seed), \(label): \(broken)")
  }

  /// The values; nil if there is a cycle without a fallback.
  private func expected() -> [Int]? {
    let reads = switches.map { row in row.indices.filter { row[$0].wrappedValue } }
    func reachable(from place: Int, without blocked: Set<Int> = []) -> Set<Int> {
      var seen: Set<Int> = []
      var rest = reads[place]
      while let next = rest.popLast() {
        guard !blocked.contains(next), seen.insert(next).inserted else { continue }
        rest += reads[next]
      }
      return seen
    }
    let decided = Set((0..<count).filter { hasFallback[$0] && reachable(from: $0).contains($0) })
    var values: [Int: Int] = [:]
    for place in decided { values[place] = 500 + place }
    for place in 0..<count where !decided.contains(place) {
      if reachable(from: place, without: decided).contains(place) { return nil }
    }
    func value(_ place: Int) -> Int {
      if let known = values[place] { return known }
      let sum = (numbers[place].wrappedValue + reads[place].reduce(0) { $0 + value($1) }) % 1000
      values[place] = sum
      return sum
    }
    return (0..<count).map(value)
  }
}
