import StateGraph
import Testing

extension Conformance {
  /// Stored and computed values.
  ///
  /// Left out: 11 (a rule is not given its previous value), 12 (does not compile).
  @GraphActor @Suite struct Values {
    @Test func `a stored node holds what was written last`() {  // case 1
      let a = Stored(0)
      #expect(a.wrappedValue == 0)
      a.wrappedValue = 10
      #expect(a.wrappedValue == 10)
    }

    @Test func `an update starts from the latest value`() async {  // case 2
      let a = Stored(5)
      await a.update { $0 += 5 }
      #expect(a.wrappedValue == 10)
      a.wrappedValue += 1
      a.wrappedValue += 1
      await a.update { $0 += 1 }
      await a.update { $0 += 1 }
      #expect(a.wrappedValue == 14)
    }

    @Test func `a computed node follows two sources`() {  // case 4
      let log = Log()
      let a = Stored("a")
      let b = Stored("b")
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      #expect(c.wrappedValue == "ab")
      a.wrappedValue = "aa"
      #expect(c.wrappedValue == "aab")
      #expect(log.take() == ["c", "c"])
    }

    @Test func `a chain of three follows its source`() {  // case 5
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue + 1 }
      let c = log.computed("c") { b.wrappedValue + 1 }
      let d = log.computed("d") { c.wrappedValue + 1 }
      #expect(d.wrappedValue == 3)
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 10
      #expect(d.wrappedValue == 13)
      #expect([b.wrappedValue, c.wrappedValue] == [11, 12])
      #expect(log.take() == ["b", "c", "d"])
    }

    @Test func `the order in which a stale chain is read does not matter`() {  // case 6
      let log = Log()
      let a = Stored(0)
      let b = Stored(0)
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      let d = log.computed("d") { c.wrappedValue * 2 }
      let e = log.computed("e") { d.wrappedValue + 1 }
      #expect([e.wrappedValue, d.wrappedValue, c.wrappedValue] == [1, 0, 0])
      #expect(log.take() == ["e", "d", "c"])
      a.wrappedValue = 5
      #expect([c.wrappedValue, d.wrappedValue, e.wrappedValue] == [5, 10, 11])
      #expect(log.take() == ["c", "d", "e"])
      b.wrappedValue = 1
      #expect([e.wrappedValue, d.wrappedValue, c.wrappedValue] == [13, 12, 6])
      #expect(log.take() == ["c", "d", "e"])
    }

    @Test func `a value is cached while the sources stay as they are`() {  // case 7
      let log = Log()
      let a = Stored(1)
      let c = log.computed("c") { a.wrappedValue }
      #expect([c.wrappedValue, c.wrappedValue, c.wrappedValue] == [1, 1, 1])
      #expect(log.take() == ["c"])
      a.wrappedValue = 0
      #expect([c.wrappedValue, c.wrappedValue] == [0, 0])
      #expect(log.take() == ["c"])
    }

    @Test func `nil is a value that is cached`() {  // case 9
      let log = Log()
      let a = Stored(0)
      let c = log.computed("c") { a.wrappedValue == 0 ? nil : a.wrappedValue }
      #expect([c.wrappedValue, c.wrappedValue] == [nil, nil])
      a.wrappedValue = 1
      #expect(c.wrappedValue == 1)
      a.wrappedValue = 0
      #expect([c.wrappedValue, c.wrappedValue] == [nil, nil])
      #expect(log.take() == ["c", "c", "c"])
    }

    @Test func `a rule that reads nothing and returns nil runs once`() {  // case 9
      let log = Log()
      let c = log.computed("c") { Int?.none }
      #expect([c.wrappedValue, c.wrappedValue] == [nil, nil])
      #expect(log.take() == ["c"])
    }

    @Test func `a rule may make a stored node for itself`() {  // case 10
      let log = Log()
      let a = Stored(0)
      let c = log.computed("c") {
        let inner = Stored(a.wrappedValue * 10)
        return inner.wrappedValue
      }
      #expect([c.wrappedValue, c.wrappedValue] == [0, 0])
      a.wrappedValue = 3
      #expect([c.wrappedValue, c.wrappedValue] == [30, 30])
      #expect(log.take() == ["c", "c"])
    }

    @Test func `a source that is read a thousand times is one dependency`() async {  // case 14
      let log = Log()
      let a = Stored(0)
      let e = log.computedValues("e") { (0..<1_000).reduce(0) { sum, _ in sum + a.wrappedValue } }
      let observer = await Observer(of: e)
      #expect(log.take() == ["e 0"])
      a.wrappedValue = 1
      #expect(log.take() == ["e 1000"])
      observer.end()
      a.wrappedValue = 2
      #expect(log.take() == [])
      #expect(e.wrappedValue == 2_000)
    }

    @Test func `a read outside of any rule leaves no trace`() async {  // case 15
      let log = Log()
      let a = Stored(1)
      let b = Stored(1)
      let c = log.computed("c") { a.wrappedValue }
      #expect(b.wrappedValue + c.wrappedValue + b.wrappedValue == 3)
      b.wrappedValue = 2
      #expect(c.wrappedValue == 1)
      #expect(await b.value == 2)
      #expect(log.take() == ["c"])
    }

    @Test func `a dependent that is made late is a normal one`() {  // case 16
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue * 2 }
      #expect(b.wrappedValue == 0)
      a.wrappedValue = 5
      let c = log.computed("c") { b.wrappedValue + 1 }
      #expect(c.wrappedValue == 11)
      a.wrappedValue = 10
      #expect(c.wrappedValue == 21)
      #expect(log.take() == ["b", "c", "b", "b", "c"])
    }
  }
}
