import StateGraph
import Testing

extension Conformance {
  /// Broad graphs.
  ///
  /// Left out: 312 (no nodes by key).
  @GraphActor @Suite struct Breadth {
    @Test func `one source and six pairs of a node and its observer`() async {  // case 306
      let log = Log()
      let source = Stored(0)
      var observers: [Observer<Int>] = []
      for index in 0..<6 {
        let c = Computed { _ in source.wrappedValue + index }
        let e = log.computedValues("e") { c.wrappedValue }
        observers.append(await Observer(of: e))
      }
      #expect(log.take() == (0..<6).map { "e \($0)" })
      source.wrappedValue = 1
      #expect(log.take().sorted() == (1...6).map { "e \($0)" })
      source.wrappedValue = 2
      #expect(log.take().sorted() == (2...7).map { "e \($0)" })
      observers.forEach { $0.end() }
    }

    @Test func `one source and a thousand observers`() async {  // case 307
      let log = Log()
      let source = Stored(0)
      let nodes = (0..<1_000).map { _ in log.computed("e") { source.wrappedValue } }
      var observers: [Observer<Int>] = []
      for node in nodes { observers.append(await Observer(of: node)) }
      #expect(log.take().count == 1_000)
      source.wrappedValue = 1
      #expect(log.take().count == 1_000)
      observers.forEach { $0.end() }
      source.wrappedValue = 2
      #expect(log.take() == [])
    }

    @Test func `a thousand nodes and their sum`() {  // case 309
      let log = Log()
      let source = Stored(0)
      let nodes = (0..<1_000).map { _ in log.computed("c") { source.wrappedValue } }
      let sum = log.computed("sum") { nodes.reduce(0) { $0 + $1.wrappedValue } }
      #expect(sum.wrappedValue == 0)
      #expect(log.take().count == 1_001)
      source.wrappedValue += 1
      #expect(sum.wrappedValue == 1_000)
      let events = log.take()
      #expect(events.prefix(3) == ["c", "sum", "c"])
      #expect(events.count == 1_001)
    }

    @Test func `fifty chains with an observer each`() async {  // case 310
      let log = Log()
      let source = Stored(0)
      var observers: [Observer<Int>] = []
      for index in 0..<50 {
        let first = Computed { _ in source.wrappedValue + index }
        let second = Computed { _ in first.wrappedValue + 1 }
        let e = log.computedValues("e\(index)") { second.wrappedValue }
        observers.append(await Observer(of: e))
      }
      #expect(log.take().last == "e49 50")
      var runs = 0
      for value in 1...50 {
        source.wrappedValue = value
        let events = log.take()
        #expect(events.contains("e49 \(value + 50)"))
        runs += events.count
      }
      #expect(runs == 2_500)
      observers.forEach { $0.end() }
    }

    @Test func `a hundred sources are collected and split again`() async {  // case 311
      let log = Log()
      let sources = (0..<100).map { Stored($0) }
      let collector = log.computed("collector") { sources.map(\.wrappedValue) }
      let splits = (0..<100).map { index in
        log.computed("split") { collector.wrappedValue[index] }
      }
      let plusOnes = splits.map { split in log.computed("plus") { split.wrappedValue + 1 } }
      var observers: [Observer<Int>] = []
      for node in plusOnes { observers.append(await Observer(of: node)) }
      #expect(log.take().count == 201)
      sources[10].wrappedValue = 1_000
      let events = log.take()
      #expect(events.first == "collector")
      #expect(events.count { $0 == "collector" } == 1)
      #expect(events.count { $0 == "split" } == 100)
      #expect(events.count { $0 == "plus" } == 1)
      #expect(await observers[10].next() == 1_001)
      observers.forEach { $0.end() }
    }

    @Test func `a longer list runs only the sum again`() {  // case 314
      let log = Log()
      let items = Stored((0..<1_000).map { Stored($0) })
      let doubles = Stored<[Computed<Int>]>([])
      doubles.wrappedValue = items.wrappedValue.map { item in
        log.computed("double") { item.wrappedValue * 2 }
      }
      let sum = log.computed("sum") { items.wrappedValue.reduce(0) { $0 + $1.wrappedValue } }
      let total = log.computed("total") { doubles.wrappedValue.reduce(0) { $0 + $1.wrappedValue } }
      #expect([sum.wrappedValue, total.wrappedValue] == [499_500, 999_000])
      #expect(log.take().count == 1_002)
      let added = Stored(1_000)
      items.wrappedValue.append(added)
      doubles.wrappedValue.append(log.computed("double") { added.wrappedValue * 2 })
      #expect([sum.wrappedValue, total.wrappedValue] == [500_500, 1_001_000])
      #expect(log.take() == ["sum", "total", "double"])
      added.wrappedValue = 0
      #expect([sum.wrappedValue, total.wrappedValue] == [499_500, 999_000])
      #expect(log.take() == ["sum", "double", "total"])
    }
  }
}
