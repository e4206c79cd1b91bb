import StateGraph
import Testing

extension Conformance {
  /// No observer sees a mix of two versions, and none is forgotten.
  @GraphActor @Suite struct Glitches {
    @Test func `a pair is never torn`() async {  // case 52
      let log = Log()
      let n = Stored(0)
      let double = Computed { _ in n.wrappedValue * 2 }
      let triple = Computed { _ in n.wrappedValue * 3 }
      let e = log.computedValues("e") { [double.wrappedValue, triple.wrappedValue] }
      let observer = await Observer(of: e)
      withGraphTransaction {
        n.wrappedValue = 1
        #expect(double.wrappedValue == 2)
      }
      #expect(log.take() == ["e [0, 0]", "e [2, 3]"])
      #expect(await observer.next() == [2, 3])
      observer.end()
    }

    @Test func `a sibling observer of the same node runs too`() async {  // case 54
      let log = Log()
      let v = Stored(1)
      let c = log.computed("c") { v.wrappedValue }
      let e1 = log.computedValues("e1") { c.wrappedValue }
      let e2 = log.computedValues("e2") { c.wrappedValue }
      let observers = [await Observer(of: e1), await Observer(of: e2)]
      #expect(log.take() == ["c", "e1 1", "e2 1"])
      v.wrappedValue = 2
      // DESIGN 5: no order between streams.
      #expect(log.take().sorted() == ["c", "e1 2", "e2 2"])
      observers.forEach { $0.end() }
    }

    @Test func `computed nodes are invalid before observers run`() async {  // case 55
      let log = Log()
      let n = Stored(0)
      let next = Computed { _ in n.wrappedValue + 1 }
      #expect(next.wrappedValue == 1)
      let e = log.computedValues("e") { n.wrappedValue < 0 ? 0 : next.wrappedValue }
      let observer = await Observer(of: e)
      n.wrappedValue = 1
      #expect(log.take() == ["e 1", "e 2"])
      observer.end()
    }

    @Test func `one of several dependencies has changed`() {  // case 56
      let log = Log()
      let s1 = Stored(1)
      let s2 = Stored(false)
      let t1 = log.computed("t1") { s1.wrappedValue > 0 }
      let t2 = log.computed("t2") { s1.wrappedValue > 0 }
      let c1 = log.computed("c1") { s1.wrappedValue }
      let t3 = log.computed("t3") { s1.wrappedValue > 0 && s2.wrappedValue }
      let c3 = log.computed("c3") {
        [t1.wrappedValue, t2.wrappedValue, c1.wrappedValue > 0, t3.wrappedValue]
      }
      #expect(c3.wrappedValue == [true, true, true, false])
      #expect(log.take() == ["c3", "t1", "t2", "c1", "t3"])
      s2.wrappedValue = true
      #expect(c3.wrappedValue == [true, true, true, true])
      #expect(log.take() == ["t3", "c3"])
      s1.wrappedValue = 2
      #expect(c3.wrappedValue == [true, true, true, true])
      #expect(log.take() == ["t1", "t2", "c1", "c3", "t3"])
    }

    @Test func `a check stops at the first dependency that has changed`() {  // case 57
      // The order is that of a lazy pull, see DESIGN 3.4.
      let log = Log()
      let s1 = Stored(0) { _, _ in false }
      let t1 = log.computed("t1") { s1.wrappedValue > 2 }
      let t2 = log.computed("t2") { s1.wrappedValue > 2 }
      let c1 = Computed(isEqual: { _, _ in false }) { _ in
        log.record("c1")
        return s1.wrappedValue
      }
      let c2 = log.computed("c2") { [t1.wrappedValue, t2.wrappedValue, c1.wrappedValue > 2] }
      #expect(c2.wrappedValue == [false, false, false])
      #expect(log.take() == ["c2", "t1", "t2", "c1"])
      s1.wrappedValue = 1
      #expect(c2.wrappedValue == [false, false, false])
      #expect(log.take() == ["t1", "t2", "c1", "c2"])
      s1.wrappedValue = 3
      #expect(c2.wrappedValue == [true, true, true])
      #expect(log.take() == ["t1", "c2", "t2", "c1"])
    }

    @Test func `a mark that a check sets on the way is honoured`() {  // case 59
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue }
      let c = log.computed("c") { b.wrappedValue }
      let d = log.computed("d") { a.wrappedValue + c.wrappedValue }
      #expect(d.wrappedValue == 0)
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 1
      #expect(c.wrappedValue == 1)
      #expect(d.wrappedValue == 2)
      #expect(log.take() == ["b", "c", "d"])
    }

    @Test func `a node runs although its first dependency is equal`() {  // case 60
      let log = Log()
      let s1 = Stored(0)
      let s2 = Stored(0)
      let c1 = log.computed("c1") { s1.wrappedValue }
      let c2 = log.computed("c2") { s1.wrappedValue % 2 + s2.wrappedValue }
      let c3 = log.computed("c3") { [c1.wrappedValue, c2.wrappedValue] }
      #expect(c3.wrappedValue == [0, 0])
      #expect(log.take() == ["c3", "c1", "c2"])
      s1.wrappedValue = 2
      #expect(c3.wrappedValue == [2, 0])
      #expect(log.take() == ["c1", "c3", "c2"])
      s2.wrappedValue = 1
      #expect(c3.wrappedValue == [2, 1])
      #expect(log.take() == ["c2", "c3"])
    }

    @Test func `a second observer of a tree loses nothing`() async {  // case 61
      let log = Log()
      let v = Stored(1)
      let d1 = log.computed("d1") { v.wrappedValue * 2 }
      let d2 = log.computed("d2") { v.wrappedValue + d1.wrappedValue }
      let d3 = log.computed("d3") { d1.wrappedValue }
      let observers = [await Observer(of: d2), await Observer(of: d3)]
      #expect(log.take() == ["d2", "d1", "d3"])
      v.wrappedValue = 2
      #expect(log.take().sorted() == ["d1", "d2", "d3"])
      #expect(await observers[1].next() == 4)
      v.wrappedValue = 3
      #expect(await observers[1].next() == 6)
      observers.forEach { $0.end() }
    }

    @Test func `a constant arm does not hide a change from a second observer`() async {  // case 62
      let log = Log()
      let v = Stored(1)
      let d1 = log.computed("d1") { v.wrappedValue * 2 }
      let d2 = log.computed("d2") { v.wrappedValue * 0 }
      let d3 = log.computed("d3") { d1.wrappedValue + d2.wrappedValue }
      let observers = [await Observer(of: d1), await Observer(of: d3)]
      #expect(log.take() == ["d1", "d3", "d2"])
      v.wrappedValue = 2
      #expect(log.take().sorted() == ["d1", "d2", "d3"])
      #expect(await observers[1].next() == 4)
      v.wrappedValue = 3
      #expect(await observers[1].next() == 6)
      observers.forEach { $0.end() }
    }

    @Test func `two sources that one transaction writes are both seen`() async {  // case 64
      let f1 = Stored(false)
      let f2 = Stored(false)
      let f3 = Computed { _ in f1.wrappedValue && f2.wrappedValue }
      let observers = [
        await Observer(of: f1), await Observer(of: f2), await Observer(of: f3),
      ]
      withGraphTransaction {
        f1.wrappedValue = true
        f2.wrappedValue = true
      }
      #expect(f3.wrappedValue)
      for observer in observers {
        #expect(await observer.next() == true)
        observer.end()
      }
    }

    @Test func `stored arrays are written together`() async {  // case 65
      let log = Log()
      let a = Stored([0])
      let b = Stored([0])
      let a0 = log.computed("a0") { a.wrappedValue[0] }
      let b0 = log.computed("b0") { b.wrappedValue[0] }
      let pair = log.computedValues("pair") { [a0.wrappedValue, b0.wrappedValue] }
      let observer = await Observer(of: pair)
      #expect(log.take() == ["a0", "b0", "pair [0, 0]"])
      withGraphTransaction {
        a.wrappedValue = [0]
        b.wrappedValue = [1]
      }
      #expect([a0.wrappedValue, b0.wrappedValue] == [0, 1])
      #expect(log.take() == ["b0", "pair [0, 1]"])
      #expect(await observer.next() == [0, 1])
      observer.end()
    }

    /// A child of kind 0 is worth 3, any other twice what all of kind 0 are worth together.
    private struct Child {
      let kind = Stored(0)
      let value: Computed<Int>

      init(totals: Box<[Computed<Int>]>) {
        value = Computed { [kind] _ in
          kind.wrappedValue == 0 ? 3 : 2 * totals.value[0].wrappedValue
        }
      }
    }

    @Test func `totals that read each other's children are not a cycle`() async {  // case 66
      let log = Log()
      let totals = Box<[Computed<Int>]>([])
      let children = (0..<3).map { _ in Child(totals: totals) }
      totals.value = (0...1).map { kind in
        log.computed("total\(kind)") {
          children.filter { $0.kind.wrappedValue == kind }.reduce(0) { $0 + $1.value.wrappedValue }
        }
      }
      let e = log.computedValues("e") { totals.value.map(\.wrappedValue) }
      let observer = await Observer(of: e)
      #expect(log.take() == ["total0", "total1", "e [9, 0]"])
      children[0].kind.wrappedValue = 1
      #expect(log.take() == ["total0", "total1", "e [6, 12]"])
      #expect(await observer.next() == [6, 12])
      observer.end()
      totals.value = []
    }
  }
}
