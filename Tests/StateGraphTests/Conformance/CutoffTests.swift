import StateGraph
import Testing

extension Conformance {
  /// An equal value is no change.
  ///
  /// Left out: 82 (throwing comparison); 80 as far as it is about errors (throwing rules).
  @GraphActor @Suite struct Cutoff {
    @Test func `an equal write does nothing`() async {  // case 67
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue }
      let observer = await Observer(of: b)
      #expect(log.take() == ["b"])
      a.wrappedValue = 1
      #expect(b.wrappedValue == 1)
      #expect(log.take() == [])
      a.wrappedValue = 2
      #expect(log.take() == ["b"])
      #expect(await observer.next() == 2)
      observer.end()
    }

    @Test func `a rule that returns the same value again stops the wave`() {  // case 69
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue.isEmpty ? "" : "foo" }
      let c = log.computed("c") { b.wrappedValue }
      #expect(c.wrappedValue == "foo")
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = "aa"
      #expect(c.wrappedValue == "foo")
      #expect(log.take() == ["b"])
    }

    @Test func `the wave stops in the middle of a chain`() {  // case 70
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue > 0 ? 1 : 0 }
      let c = log.computed("c") { b.wrappedValue }
      let d = log.computed("d") { c.wrappedValue }
      #expect(d.wrappedValue == 0)
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 1
      #expect(d.wrappedValue == 1)
      #expect(log.take() == ["b", "c", "d"])
      a.wrappedValue = 2
      #expect(d.wrappedValue == 1)
      #expect(log.take() == ["b"])
    }

    @Test(arguments: [false, true])
    func `a constant in the middle, observed and not`(isObserved: Bool) async {  // case 71
      let log = Log()
      let s = Stored(0)
      let c1 = log.computed("c1") { s.wrappedValue }
      let c2 = log.computed("c2") { c1.wrappedValue < 0 ? 0 : 5 }
      let c3 = log.computed("c3") { c2.wrappedValue }
      let observer = isObserved ? await Observer(of: c3) : nil
      #expect(c3.wrappedValue == 5)
      #expect(log.take() == ["c3", "c2", "c1"])
      for value in 1...2 {
        s.wrappedValue = value
        #expect(c3.wrappedValue == 5)
        #expect(log.take() == ["c1", "c2"])
      }
      observer?.end()
    }

    @Test func `an observer behind constants does not run`() async {  // case 72
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue < 0 ? 0 : 1 }
      let c = log.computed("c") { a.wrappedValue < 0 ? 0 : 2 }
      let e = log.computed("e") { b.wrappedValue + c.wrappedValue }
      let observer = await Observer(of: e)
      #expect(log.take() == ["e", "b", "c"])
      a.wrappedValue = 1
      a.wrappedValue = 2
      #expect(log.take() == ["b", "c", "b", "c"])
      observer.end()
    }

    @Test func `parity`() async {  // case 74
      let log = Log()
      let source = Stored(0)
      let c1 = log.computed("c1") { source.wrappedValue % 2 }
      let c2 = log.computed("c2") { c1.wrappedValue + 1 }
      let e = log.computed("e") { c2.wrappedValue }
      let observer = await Observer(of: e)
      #expect(log.take() == ["e", "c2", "c1"])
      for even in [2, 4, 6] { source.wrappedValue = even }
      #expect(log.take() == ["c1", "c1", "c1"])
      source.wrappedValue = 1
      #expect(log.take() == ["c1", "c2", "e"])
      #expect(await observer.next() == 2)
      observer.end()
    }

    @Test func `only the first of two writes changes the parity`() async {  // case 75
      let log = Log()
      let source = Stored(0)
      let parity = Computed { _ in source.wrappedValue % 2 }
      let e = log.computedValues("e") { parity.wrappedValue }
      let observer = await Observer(of: e)
      source.wrappedValue = 3
      source.wrappedValue = 5
      #expect(log.take() == ["e 0", "e 1"])
      observer.end()
    }

    @Test func `not-a-number is not equal to itself`() {  // case 76
      // The case leaves it open; for Double `==` decides, and it says unequal.
      let log = Log()
      let a = Stored(Double.nan)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { b.wrappedValue.isNaN }
      #expect(c.wrappedValue)
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = .nan
      #expect(c.wrappedValue)
      #expect(log.take() == ["b", "c"])
    }

    @Test func `not-a-number is equal to itself where the comparison says so`() {  // case 76
      let log = Log()
      let isEqual: @GraphActor @Sendable (Double, Double) -> Bool = {
        $0 == $1 || ($0.isNaN && $1.isNaN)
      }
      let a = Stored(Double.nan, isEqual: isEqual)
      let s = Stored(0)
      let b = Computed(isEqual: isEqual) { _ in
        log.record("b")
        return a.wrappedValue * Double(s.wrappedValue)
      }
      let c = log.computed("c") { b.wrappedValue.isNaN }
      #expect(c.wrappedValue)
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = .nan
      #expect(c.wrappedValue)
      #expect(log.take() == [])
      s.wrappedValue = 1
      #expect(c.wrappedValue)
      #expect(log.take() == ["b"])
    }

    @Test func `a comparison of one's own decides for every write`() {  // case 77
      let log = Log()
      let answer = Box(true)
      let s = Stored(1) { _, _ in answer.value }
      let c = log.computed("c") { s.wrappedValue }
      #expect(c.wrappedValue == 1)
      #expect(log.take() == ["c"])
      s.wrappedValue = 2
      #expect([s.wrappedValue, c.wrappedValue] == [1, 1])
      #expect(log.take() == [])
      answer.value = false
      s.wrappedValue = 2
      #expect([s.wrappedValue, c.wrappedValue] == [2, 2])
      #expect(log.take() == ["c"])
      s.wrappedValue = 2
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c"])
    }

    @Test func `a comparison gets the old value and the new one`() {  // case 77
      let s = Stored(5) { old, new in old > new }
      s.wrappedValue = 3
      #expect(s.wrappedValue == 5)
      s.wrappedValue = 7
      #expect(s.wrappedValue == 7)
    }

    @Test func `the first run of a rule compares nothing`() {  // case 79
      let log = Log()
      let s = Stored("a")
      let c = Computed<String>(isEqual: { old, new in
        log.record("\(old) \(new)")
        return old == new
      }) { _ in
        s.wrappedValue + "b"
      }
      #expect(c.wrappedValue == "ab")
      #expect(log.take() == [])
      s.wrappedValue = "c"
      #expect(c.wrappedValue == "cb")
      #expect(log.take() == ["ab cb"])
    }

    @Test func `nothing is compared when an observer goes and another comes`() async {
      // case 80, 85
      let log = Log()
      let s = Stored(1)
      let c = Computed<Int>(isEqual: { old, new in
        log.record("\(old) \(new)")
        return old == new
      }) { _ in
        log.record("c")
        return s.wrappedValue
      }
      let e = log.computed("e") { c.wrappedValue }
      let first = await Observer(of: e)
      #expect(log.take() == ["e", "c"])
      first.end()
      s.wrappedValue = 1
      let second = await Observer(of: e)
      #expect(log.take() == [])
      s.wrappedValue = 2
      #expect(log.take() == ["c", "1 2", "e"])
      #expect(await second.next() == 2)
      second.end()
    }

    @Test func `what a comparison reads is nobody's dependency`() {  // case 81
      // The case makes it a dependency of the compared node. Here comparisons are untracked.
      let log = Log()
      let exact = Stored(1.0)
      let epsilon = Stored(0.1)
      let counter = Stored(1)
      let inner = Computed<Double>(isEqual: { old, new in
        log.record("equals")
        return abs(old - new) < epsilon.wrappedValue
      }) { _ in
        log.record("inner")
        return exact.wrappedValue
      }
      let outer = log.computed("outer") { Double(counter.wrappedValue) + inner.wrappedValue }
      #expect(outer.wrappedValue == 2)
      #expect(log.take() == ["outer", "inner"])
      exact.wrappedValue = 2
      counter.wrappedValue = 2
      #expect(outer.wrappedValue == 4)
      #expect(log.take() == ["outer", "inner", "equals"])
      epsilon.wrappedValue = 0.2
      #expect(outer.wrappedValue == 4)
      #expect(log.take() == [])
    }

    @Test func `an equal result leaves dependents as they were`() {  // case 84
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue / 10 }
      let c = log.computed("c") { b.wrappedValue }
      let d = log.computed("d") { c.wrappedValue }
      #expect(d.wrappedValue == 0)
      #expect(log.take() == ["d", "c", "b"])
      for value in [2, 3, 4] {
        a.wrappedValue = value
        #expect(b.wrappedValue == 0)
      }
      #expect(d.wrappedValue == 0)
      #expect(log.take() == ["b", "b", "b"])
      a.wrappedValue = 10
      #expect(d.wrappedValue == 1)
      #expect(log.take() == ["b", "c", "d"])
    }
  }
}
