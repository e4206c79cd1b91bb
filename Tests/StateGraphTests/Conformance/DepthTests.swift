import StateGraph
import Testing

extension Conformance {
  /// Deep graphs, where each node is read when it is made, so that no first evaluation nests.
  ///
  /// Left out: 300 (no limit of height), 301 (tracking groups to come). 299 is in `ScaleTests`.
  @GraphActor @Suite(.timeLimit(.minutes(5))) struct Depth {
    /// Layers of four nodes, each of which reads its neighbours in the layer above.
    private struct Layers {
      let sources = [Stored(1), Stored(2), Stored(3), Stored(4)]
      var last: [Computed<Int>] = []
      var observers: [Observer<Int>] = []

      @GraphActor init(count: Int, observesEach: Bool = false) async {
        last = sources.map { source in Computed { _ in source.wrappedValue } }
        for _ in 0..<count {
          let above = last
          last = [
            Computed { [node = above[1]] _ in node.wrappedValue },
            Computed { [a = above[0], b = above[2]] _ in a.wrappedValue &- b.wrappedValue },
            Computed { [a = above[1], b = above[3]] _ in a.wrappedValue &+ b.wrappedValue },
            Computed { [node = above[2]] _ in node.wrappedValue },
          ]
          for node in last {
            if observesEach { observers.append(await Observer(of: node)) }
            _ = node.wrappedValue
          }
        }
      }

      @GraphActor var values: [Int] { last.map(\.wrappedValue) }

      @GraphActor func turn() {
        for (source, value) in zip(sources, [4, 3, 2, 1]) { source.wrappedValue = value }
      }
    }

    @Test func `a thousand observed layers`() async {  // case 296
      let layers = await Layers(count: 1_000, observesEach: true)
      #expect(layers.values == [-3, -6, -2, 2])
      layers.turn()
      #expect(layers.values == [-2, -4, 2, 3])
      layers.observers.forEach { $0.end() }
    }

    @Test func `two thousand and five hundred layers`() async {  // case 297
      let layers = await Layers(count: 2_500)
      #expect(layers.values == [-3, -6, -2, 2])
      layers.turn()
      #expect(layers.values == [-2, -4, 2, 3])
    }

    @Test func `five thousand layers`() async {  // case 297
      let layers = await Layers(count: 5_000)
      #expect(layers.values == [2, 4, -1, -6])
      layers.turn()
      #expect(layers.values == [-2, 1, -4, -4])
    }

    @Test func `a thousand levels that choose between two copies`() {  // case 109, 302
      let source = Stored(1)
      let condition = Stored(true)
      var last = Computed { _ in source.wrappedValue }
      for level in 0..<1_000 {
        let isEven = level.isMultiple(of: 2)
        let copyTrue = Computed { [last] _ in last.wrappedValue }
        let copyFalse = Computed { [last] _ in last.wrappedValue }
        last = Computed { _ in
          condition.wrappedValue == isEven ? copyTrue.wrappedValue : copyFalse.wrappedValue
        }
        _ = last.wrappedValue
      }
      #expect(last.wrappedValue == 1)
      for value in 2...6 {
        condition.wrappedValue = value.isMultiple(of: 2)
        source.wrappedValue = value
        #expect(last.wrappedValue == value)
      }
    }

    @Test func `a deep chain is dropped at its top again and again`() async {  // case 304
      let log = Log()
      let source = Stored(0)
      let top = Stored<Computed<Int>?>(nil)
      let outer = log.computed("outer") { top.wrappedValue?.wrappedValue ?? -1 }
      for _ in 1...3 {
        weak var captured: Witness?
        do {
          let witness = Witness()
          captured = witness
          var last = Computed { _ in withExtendedLifetime(witness) { source.wrappedValue } }
          for _ in 0..<20_000 {
            last = Computed { [last] _ in last.wrappedValue + 1 }
            _ = last.wrappedValue
          }
          top.wrappedValue = last
        }
        #expect(outer.wrappedValue == source.wrappedValue + 20_000)
        source.wrappedValue += 1
        #expect(outer.wrappedValue == source.wrappedValue + 20_000)
        top.wrappedValue = nil
        await GraphActor.run {}
        #expect(captured == nil)
        #expect(outer.wrappedValue == -1)
        #expect(log.take() == ["outer", "outer", "outer"])
      }
    }

    @Test func `a chain of a thousand nodes`() async {  // case 305
      let log = Log()
      let source = Stored(0)
      var nodes = [log.computed("0") { source.wrappedValue + 1 }]
      for index in 1..<1_000 {
        let last = nodes[index - 1]
        nodes.append(log.computed("\(index)") { last.wrappedValue + 1 })
      }
      #expect(nodes[999].wrappedValue == 1_000)
      _ = log.take()
      source.wrappedValue = 1
      #expect(nodes[999].wrappedValue == 1_001)
      #expect(log.take() == (0..<1_000).map(String.init))
    }
  }
}
