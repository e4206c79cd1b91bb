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
  }
}
