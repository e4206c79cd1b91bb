import StateGraph
import Testing

extension Conformance {
  /// Nodes that a rule makes for itself and drops: their end is no news, what they read still is.
  @GraphActor @Suite struct TemporaryNodes {
    @Test func `a temporary stored node does not run its rule again`() async {  // case 10
      let log = Log()
      let a = Stored(1)
      let c = log.computed("c") {
        let temporary = Stored(a.wrappedValue)
        return temporary.wrappedValue
      }
      let d = log.computed("d") { c.wrappedValue }
      for value in 1...3 {
        a.wrappedValue = value
        #expect([d.wrappedValue, d.wrappedValue] == [value, value])
        await GraphActor.run {}
        #expect([c.wrappedValue, d.wrappedValue] == [value, value])
      }
      #expect(log.take() == ["d", "c", "c", "d", "c", "d"])
    }

    @Test func `what a temporary computed node has read still counts`() async {
      let log = Log()
      let a = Stored(1)
      let c = log.computed("c") {
        let temporary = Computed { _ in a.wrappedValue * 2 }
        return temporary.wrappedValue
      }
      for value in 1...3 {
        a.wrappedValue = value
        #expect(c.wrappedValue == value * 2)
        await GraphActor.run {}
        #expect(c.wrappedValue == value * 2)
      }
      #expect(log.take() == ["c", "c", "c"])
    }

    @Test func `a node that is mapped in a rule still counts`() async {  // W18
      let log = Log()
      let a = Stored([1, 2])
      let c = log.computed("c") { a.map(\.count).wrappedValue }
      #expect(c.wrappedValue == 2)
      await GraphActor.run {}
      a.wrappedValue = [1, 2, 3]
      #expect(c.wrappedValue == 3)
      #expect(log.take() == ["c", "c"])
    }

    @Test func `an observed node hears of what its temporaries have read`() async {
      let log = Log()
      let a = Stored(1)
      let c = log.computedValues("c") {
        let first = Computed { _ in a.wrappedValue + 1 }
        let second = Computed { _ in first.wrappedValue * 10 }
        return second.wrappedValue
      }
      let observer = await Observer(of: c)
      await GraphActor.run {}
      a.wrappedValue = 2
      #expect(log.take() == ["c 20", "c 30"])
      await GraphActor.run {}
      a.wrappedValue = 3
      #expect(log.take() == ["c 40"])
      observer.end()
    }

    @Test func `temporaries in a transaction`() async {
      let log = Log()
      let a = Stored(1)
      let c = log.computedValues("c") {
        let temporary = Computed { _ in a.wrappedValue * 2 }
        return temporary.wrappedValue
      }
      #expect(c.wrappedValue == 2)
      withGraphTransaction {
        a.wrappedValue = 2
        #expect(c.wrappedValue == 4)
        a.wrappedValue = 3
        #expect(c.wrappedValue == 6)
      }
      #expect(c.wrappedValue == 6)
      a.wrappedValue = 4
      #expect(c.wrappedValue == 8)
      #expect(log.take() == ["c 2", "c 4", "c 6", "c 6", "c 8"])
    }

    @Test func `a node that a rule makes and keeps is a normal one`() async {
      let log = Log()
      let a = Stored(1)
      let kept = Box<Stored<Int>?>(nil)
      let c = log.computed("c") {
        let node = kept.value ?? Stored(100)
        kept.value = node
        return a.wrappedValue + node.wrappedValue
      }
      #expect(c.wrappedValue == 101)
      kept.value?.wrappedValue = 200
      #expect(c.wrappedValue == 201)
      #expect(log.take() == ["c", "c"])
      kept.value = nil
      #expect(c.wrappedValue == 101)
      #expect(log.take() == ["c"])
    }

    /// Reads the end of a chain of temporaries, of which each reads the one before.
    private static func readChain(of length: Int, from source: Stored<Int>) -> Int {
      var node = source.map { $0 }
      for _ in 0..<length {
        let before = node
        node = before.map { $0 + 1 }
      }
      return node.wrappedValue
    }

    @Test(arguments: [1, 2, 3, 10, 100])
    func `a rule runs once for a change, however many temporaries read each other`(
      _ length: Int
    ) async {
      let log = Log()
      let source = Stored(0)
      let node = log.computedValues("node") { Self.readChain(of: length, from: source) }
      let observer = await Observer(of: node)
      for value in 1...3 {
        await GraphActor.run {}
        source.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(log.take() == (0...3).map { "node \($0 + length)" })
      observer.end()
    }

    @Test(arguments: [GraphDelivery.immediate, .coalesced])
    func `a group runs once for a change, however many temporaries it makes`(
      _ delivery: GraphDelivery
    ) async {
      let log = Log()
      let source = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup(delivery: delivery) {
          let single = Stored(source.wrappedValue)
          log.record("\(Self.readChain(of: 5, from: source) + single.wrappedValue)")
        }
      }
      for value in 1...3 {
        await GraphActor.settle()
        source.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(log.take() == ["5", "7", "9", "11"])
      tracking.cancel()
    }

    @Test func `conditions and tracked expressions are evaluated once for a change`() async throws {
      let log = Log()
      let source = Stored(0)
      let wait = Task {
        try await graphWait {
          log.record("condition")
          return Self.readChain(of: 5, from: source) > 6
        }
      }
      let tracked = Consumer(
        GraphTrackings {
          log.record("expression")
          return Self.readChain(of: 5, from: source)
        })
      #expect(await tracked.take() == [5])
      await GraphActor.settle()
      #expect(log.take().sorted() == ["condition", "expression"])
      for value in 1...2 {
        source.wrappedValue = value
        await GraphActor.settle()
        #expect(await tracked.take() == [5 + value])
        #expect(log.take().sorted() == ["condition", "expression"])
      }
      try await wait.value
      await tracked.cancel()
    }

    @Test func `temporaries that a temporary makes are no news either`() async {
      let log = Log()
      let source = Stored(0)
      let node = log.computedValues("node") {
        Computed { _ in
          Computed { _ in Self.readChain(of: 3, from: source) }.wrappedValue
        }.wrappedValue
      }
      let observer = await Observer(of: node)
      for value in 1...3 {
        await GraphActor.run {}
        source.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(log.take() == (0...3).map { "node \($0 + 3)" })
      observer.end()
    }

    @Test func `a temporary that outlives its run for a while is no news when it goes`() async {
      let log = Log()
      let source = Stored(1)
      let kept = Box<[Computed<Int>]>([])
      let node = log.computedValues("node") {
        let first = source.map { $0 * 2 }
        let second = first.map { $0 + 1 }
        kept.value = [first, second]
        return second.wrappedValue
      }
      let observer = await Observer(of: node)
      await GraphActor.run { kept.value = [kept.value[1]] }
      await GraphActor.run { kept.value = [] }
      await GraphActor.settle()
      #expect(log.take() == ["node 3"])
      source.wrappedValue = 2
      #expect(log.take() == ["node 5"])
      observer.end()
    }

    @Test func `many temporaries of one rule go in linear time`() async {
      let count = 20_000
      let sources = (0..<count).map { Stored($0) }
      let sum = Computed { _ in
        sources.reduce(0) { $0 + $1.map { $0 + 1 }.wrappedValue }
      }
      let clock = ContinuousClock()
      let run = clock.measure { #expect(sum.wrappedValue == count * (count + 1) / 2) }
      let removal = clock.measure { Graph.shared.arrive() }
      #expect(removal < run * 20, "\(removal) for what took \(run) to make")
      sources[7].wrappedValue += 1
      #expect(sum.wrappedValue == count * (count + 1) / 2 + 1)
    }
  }
}
