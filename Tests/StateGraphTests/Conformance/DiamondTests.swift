import StateGraph
import Testing

extension Conformance {
  /// Diamonds: a node that is reached on several paths runs once, and never between two versions.
  @GraphActor @Suite struct Diamonds {
    @Test func `the tip of a diamond runs once`() {  // case 35
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computedValues("d") { b.wrappedValue + " " + c.wrappedValue }
      #expect(d.wrappedValue == "a a")
      #expect(log.take() == ["b", "c", "d a a"])
      a.wrappedValue = "aa"
      #expect(d.wrappedValue == "aa aa")
      #expect(log.take() == ["b", "c", "d aa aa"])
    }

    @Test func `the tail behind a diamond runs once`() {  // case 36
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computed("d") { b.wrappedValue + " " + c.wrappedValue }
      let e = log.computed("e") { d.wrappedValue }
      #expect(e.wrappedValue == "a a")
      #expect(log.take() == ["e", "d", "b", "c"])
      a.wrappedValue = "aa"
      #expect(e.wrappedValue == "aa aa")
      // b has changed and d runs for that, before c has been looked at.
      #expect(log.take() == ["b", "d", "c", "e"])
    }

    @Test func `a jagged diamond with two tails runs each node once`() {  // case 37
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computed("d") { c.wrappedValue }
      let e = log.computed("e") { b.wrappedValue + " " + d.wrappedValue }
      let f = log.computed("f") { e.wrappedValue }
      let g = log.computed("g") { e.wrappedValue }
      #expect([e.wrappedValue, f.wrappedValue, g.wrappedValue] == ["a a", "a a", "a a"])
      #expect(log.take() == ["e", "b", "d", "c", "f", "g"])
      for value in ["b", "c"] {
        a.wrappedValue = value
        let both = "\(value) \(value)"
        #expect([e.wrappedValue, f.wrappedValue, g.wrappedValue] == [both, both, both])
        #expect(log.take() == ["b", "e", "c", "d", "f", "g"])
      }
    }

    @Test func `an edge that skips a level does not make a second run`() {  // case 39
      let log = Log()
      let a = Stored(2)
      let b = log.computed("b") { a.wrappedValue - 1 }
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      let d = log.computed("d") { "d: \(c.wrappedValue)" }
      #expect(d.wrappedValue == "d: 3")
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 4
      #expect(d.wrappedValue == "d: 7")
      #expect(log.take() == ["c", "b", "d"])
    }

    @Test func `one constant arm`() {  // case 40
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue.isEmpty ? "" : "c" }
      let d = log.computed("d") { b.wrappedValue + " " + c.wrappedValue }
      #expect(d.wrappedValue == "a c")
      #expect(log.take() == ["d", "b", "c"])
      a.wrappedValue = "aa"
      #expect(d.wrappedValue == "aa c")
      #expect(log.take() == ["b", "d", "c"])
    }

    @Test(arguments: [false, true])
    func `with two constant arms the tip does not run`(isObserved: Bool) async {  // case 41
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue.isEmpty ? "" : "b" }
      let c = log.computed("c") { a.wrappedValue.isEmpty ? "" : "c" }
      let d = log.computed("d") { b.wrappedValue + " " + c.wrappedValue }
      let observer = isObserved ? await Observer(of: d) : nil
      #expect(d.wrappedValue == "b c")
      #expect(log.take() == ["d", "b", "c"])
      a.wrappedValue = "aa"
      #expect(d.wrappedValue == "b c")
      #expect(log.take() == ["b", "c"])
      observer?.end()
    }

    @Test func `three arms, two of them constant`() {  // case 42
      let log = Log()
      let a = Stored("a")
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue.isEmpty ? "" : "c" }
      let d = log.computed("d") { a.wrappedValue.isEmpty ? "" : "d" }
      let e = log.computed("e") { "\(b.wrappedValue) \(c.wrappedValue) \(d.wrappedValue)" }
      #expect(e.wrappedValue == "a c d")
      #expect(log.take() == ["e", "b", "c", "d"])
      a.wrappedValue = "aa"
      #expect(e.wrappedValue == "aa c d")
      #expect(log.take() == ["b", "e", "c", "d"])
    }

    @Test func `linear convergence`() {  // case 44
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      let d = log.computed("d") { a.wrappedValue + c.wrappedValue }
      #expect(d.wrappedValue == 0)
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 1
      #expect(d.wrappedValue == 3)
      #expect(log.take() == ["d", "c", "b"])
    }

    @Test func `five arms converge`() {  // case 45
      let log = Log()
      let d = Stored(0)
      let arms = (1...5).map { number in log.computed("f\(number)") { d.wrappedValue } }
      let g = log.computed("g") { arms.reduce(0) { $0 + $1.wrappedValue } }
      #expect(g.wrappedValue == 0)
      #expect(log.take() == ["g", "f1", "f2", "f3", "f4", "f5"])
      d.wrappedValue = 1
      #expect(g.wrappedValue == 5)
      #expect(log.take() == ["f1", "g", "f2", "f3", "f4", "f5"])
    }

    @Test func `exponential convergence`() {  // case 46
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { b.wrappedValue + a.wrappedValue }
      let d = log.computed("d") { c.wrappedValue + b.wrappedValue }
      let e = log.computed("e") { d.wrappedValue + c.wrappedValue }
      #expect(e.wrappedValue == 0)
      #expect(log.take() == ["e", "d", "c", "b"])
      a.wrappedValue = 1
      #expect(e.wrappedValue == 5)
      #expect(log.take() == ["c", "b", "d", "e"])
    }

    @Test func `three by three convergence`() {  // case 47
      let log = Log()
      let d = Stored(0)
      let first = (1...3).map { number in log.computed("f\(number)") { d.wrappedValue } }
      let second = (1...3).map { number in
        log.computed("g\(number)") { first.reduce(0) { $0 + $1.wrappedValue } }
      }
      let h = log.computed("h") { second.reduce(0) { $0 + $1.wrappedValue } }
      #expect(h.wrappedValue == 0)
      #expect(log.take() == ["h", "g1", "f1", "f2", "f3", "g2", "g3"])
      d.wrappedValue = 1
      #expect(h.wrappedValue == 9)
      #expect(log.take() == ["f1", "g1", "f2", "f3", "h", "g2", "g3"])
    }

    @Test func `a cross diamond runs once after two writes`() {  // case 49
      let log = Log()
      let a = Stored(1)
      let b = Stored(10)
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      let d = log.computed("d") { a.wrappedValue * b.wrappedValue }
      let e = log.computed("e") { c.wrappedValue + d.wrappedValue }
      #expect(e.wrappedValue == 21)
      #expect(log.take() == ["e", "c", "d"])
      a.wrappedValue = 2
      b.wrappedValue = 20
      #expect(e.wrappedValue == 62)
      #expect(log.take() == ["c", "e", "d"])
    }

    @Test func `stacked diamonds`() {  // case 50
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computed("d") { b.wrappedValue + c.wrappedValue }
      let e = log.computed("e") { d.wrappedValue }
      let f = log.computed("f") { d.wrappedValue }
      let g = log.computed("g") { e.wrappedValue + f.wrappedValue }
      #expect(g.wrappedValue == 4)
      #expect(log.take() == ["g", "e", "d", "b", "c", "f"])
      a.wrappedValue = 2
      #expect(g.wrappedValue == 8)
      #expect(log.take() == ["b", "d", "c", "e", "g", "f"])
    }

    @Test func `a deep and a shallow path join`() {  // case 51
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { b.wrappedValue }
      let d = log.computed("d") { c.wrappedValue }
      let e = log.computed("e") { a.wrappedValue }
      let f = log.computed("f") { d.wrappedValue + e.wrappedValue }
      #expect(f.wrappedValue == 2)
      #expect(log.take() == ["f", "d", "c", "b", "e"])
      a.wrappedValue = 2
      #expect(f.wrappedValue == 4)
      #expect(log.take() == ["b", "c", "d", "f", "e"])
    }
  }
}
