import StateGraph
import Testing

extension Conformance {
  /// Scenarios of public reports: stale values.
  ///
  /// A1 is case 120, A2 case 52, A11 case 61, A16 case 100. Left out: A20, A25 (async nodes, fixed
  /// points).
  @GraphActor @Suite struct StaleValueReports {
    @Test func `two nodes of which one reads the other are read together`() async {  // A4
      let source = Stored(0)
      let m1 = Computed(isEqual: { _, _ in false }) { _ in source.wrappedValue }
      let m2 = Computed(isEqual: { _, _ in false }) { _ in m1.wrappedValue }
      let log = Log()
      let e = log.computedValues("e") {
        let first = m1.wrappedValue
        return [first, m2.wrappedValue]
      }
      let observer = await Observer(of: e)
      source.wrappedValue = 1
      source.wrappedValue = 2
      #expect(log.take() == ["e [0, 0]", "e [1, 1]", "e [2, 2]"])
      observer.end()
    }

    @Test func `a clean node in the middle does not hide a later change`() {  // A5
      let log = Log()
      let source = Stored(0)
      let c1 = log.computed("c1") { source.wrappedValue % 2 }
      let c2 = log.computed("c2") { c1.wrappedValue }
      let c3 = log.computed("c3") { c2.wrappedValue }
      #expect(c3.wrappedValue == 0)
      #expect(log.take() == ["c3", "c2", "c1"])
      source.wrappedValue = 1
      #expect(c2.wrappedValue == 1)
      #expect(log.take() == ["c1", "c2"])
      source.wrappedValue = 3
      #expect(c3.wrappedValue == 1)
      // c3 knows already that c2 has changed.
      #expect(log.take() == ["c3", "c1"])
    }

    @Test func `an observer that comes after the write`() async {  // A7
      let s = Stored(0)
      let c = Computed { _ in s.wrappedValue }
      #expect(c.wrappedValue == 0)
      s.wrappedValue = 1
      let observer = await Observer(of: c)
      #expect(c.wrappedValue == 1)
      s.wrappedValue = 2
      observer.end()
      #expect(c.wrappedValue == 2)
      s.wrappedValue = 3
      #expect(c.wrappedValue == 3)
    }

    @Test func `a node that is made and read in a transaction`() {  // A8
      let box = Stored(0)
      let made = withGraphTransaction {
        let c = Computed { _ in box.wrappedValue }
        #expect(c.wrappedValue == 0)
        box.wrappedValue = 1
        #expect(c.wrappedValue == 1)
        return c
      }
      #expect(made.wrappedValue == 1)
      box.wrappedValue = 2
      #expect(made.wrappedValue == 2)
    }

    @Test func `an expression that changes what it read sees the next change`() async {  // A10
      let a = Stored(3)
      let b = Stored(4)
      let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
      let consumer = Consumer(
        GraphTrackings {
          let value = sum.wrappedValue
          b.wrappedValue = 5
          return value
        })
      #expect(await consumer.take() == [7, 8])
      a.wrappedValue = 6
      #expect(await consumer.take() == [11])
      await consumer.cancel()
    }

    @Test func `a conditional dependent gets the sibling of its own version`() async {  // A13
      let log = Log()
      let hasFilter = Stored(false)
      let data = Stored([1])
      let filtered = Computed { _ in hasFilter.wrappedValue ? [] : data.wrappedValue }
      let stage = log.computedValues("stage") {
        guard hasFilter.wrappedValue else { return "no-filter" }
        return filtered.wrappedValue.isEmpty ? "is-empty" : "has-data"
      }
      let observers = (await Observer(of: filtered), await Observer(of: stage))
      #expect(log.take() == ["stage no-filter"])
      hasFilter.wrappedValue = true
      #expect(log.take() == ["stage is-empty"])
      observers.0.end()
      observers.1.end()
    }

    @Test func `a derived read between two writes of a transaction is new`() {  // A14
      let log = Log()
      let names = Stored(["a", "b"])
      let id = Stored(0)
      let other = Stored("")
      let selected = log.computed("selected") { names.wrappedValue[id.wrappedValue] }
      #expect(selected.wrappedValue == "a")
      withGraphTransaction {
        id.wrappedValue = 1
        other.wrappedValue = selected.wrappedValue
      }
      #expect(other.wrappedValue == "b")
      #expect(selected.wrappedValue == "b")
      #expect(log.take() == ["selected", "selected", "selected"])
    }

    @Test func `a rule that makes the source it reads when it first needs it`() {  // A17
      let source = Box<Stored<Int>?>(nil)
      let flag = Stored(false)
      let c1 = Computed { _ in
        let node = source.value ?? Stored(0)
        source.value = node
        return node.wrappedValue == 999 ? "yes" : "no"
      }
      let c2 = Computed { _ in flag.wrappedValue ? c1.wrappedValue : "no" }
      let c3 = Computed { _ in c2.wrappedValue }
      #expect(c3.wrappedValue == "no")
      flag.wrappedValue = true
      #expect(c3.wrappedValue == "no")
      source.value?.wrappedValue = 999
      #expect(c3.wrappedValue == "yes")
    }

    @Test(arguments: [false, true])
    func `the order of readers does not decide about an equal write`(mapsFirst: Bool) async {
      // A19
      let log = Log()
      let g = Stored(0) { _, _ in false }
      let m = log.computed("m") { g.wrappedValue }
      let mapped = log.computed("mapped") { m.wrappedValue }
      if mapsFirst { #expect(mapped.wrappedValue == 0) }
      #expect(m.wrappedValue == 0)
      #expect(mapped.wrappedValue == 0)
      _ = log.take()
      for _ in 1...2 {
        g.wrappedValue = 0
        #expect(mapped.wrappedValue == 0)
        #expect(m.wrappedValue == 0)
        #expect(log.take() == ["m"])
      }
    }

    @Test func `a reader of a source and of its derivative runs once`() async {  // A22
      let log = Log()
      let count = Stored(1)
      let countPlusOne = Computed { _ in count.wrappedValue + 1 }
      let twoCounts = log.computedValues("twoCounts") {
        [count.wrappedValue, countPlusOne.wrappedValue]
      }
      let observer = await Observer(of: twoCounts)
      count.wrappedValue = 2
      #expect(log.take() == ["twoCounts [1, 2]", "twoCounts [2, 3]"])
      observer.end()
    }

    @Test func `a derived node does not lag behind`() async {  // A23
      let apple = Stored(1)
      let banana = Stored(1)
      let fruit = Computed { _ in apple.wrappedValue + banana.wrappedValue }
      let observer = await Observer(of: fruit)
      apple.wrappedValue = 2
      banana.wrappedValue = 3
      apple.wrappedValue = 20
      banana.wrappedValue = 30
      #expect(fruit.wrappedValue == 50)
      for value in [3, 5, 23, 50] { #expect(await observer.next() == value) }
      observer.end()
    }
  }
}
