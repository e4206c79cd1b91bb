import StateGraph
import Testing

extension Conformance {
  /// Dependencies that change their order, their number or their place in the graph.
  ///
  /// Left out: 109 (the same as 302, see `Depth`).
  @GraphActor @Suite struct DynamicOrder {
    @Test func `another order of dependencies does not run a stable node`() async {  // case 101
      let log = Log()
      let root = Stored(false)
      let count = Stored(0)
      let stable = Computed { _ in root.wrappedValue ? 1 : 1 }
      let sum = log.computed("sum") { stable.wrappedValue + 1 + count.wrappedValue }
      let new = log.computed("new") {
        root.wrappedValue || count.wrappedValue > 0 ? sum.wrappedValue : stable.wrappedValue
      }
      let observers = [await Observer(of: sum), await Observer(of: new)]
      #expect(log.take() == ["sum", "new"])
      root.wrappedValue = true
      #expect(new.wrappedValue == 2)
      #expect(log.take() == ["new"])
      root.wrappedValue = false
      #expect(log.take() == ["new"])
      count.wrappedValue = 1
      #expect(new.wrappedValue == 3)
      #expect(log.take().sorted() == ["new", "sum"])
      observers.forEach { $0.end() }
    }

    @Test func `a read in a transaction does not lose a later change`() async {  // case 102
      let log = Log()
      let isActive = Stored(false)
      let count = Stored(0)
      let activeCount = log.computedValues("activeCount") {
        isActive.wrappedValue ? count.wrappedValue : nil
      }
      let observer = await Observer(of: activeCount)
      withGraphTransaction {
        isActive.wrappedValue = true
        #expect(activeCount.wrappedValue == 0)
      }
      count.wrappedValue = 1
      #expect(activeCount.wrappedValue == 1)
      // Once inside for the staged value, see DESIGN 4.
      #expect(
        log.take() == [
          "activeCount nil", "activeCount Optional(0)", "activeCount Optional(0)",
          "activeCount Optional(1)",
        ])
      observer.end()
    }

    @Test func `fewer reads of the same node are no change of the dependencies`() async {
      // case 104
      let log = Log()
      let a = Stored(1)
      let b = Stored(1)
      let c = log.computed("c") { a.wrappedValue < 0 ? 0 : 3 }
      let e = log.computedValues("e") {
        var sum = a.wrappedValue + c.wrappedValue + a.wrappedValue
        if b.wrappedValue == 1 { sum += a.wrappedValue }
        return sum + a.wrappedValue
      }
      let observer = await Observer(of: e)
      #expect(log.take() == ["c", "e 7"])
      b.wrappedValue = 2
      #expect(log.take() == ["e 6"])
      a.wrappedValue = 2
      #expect(log.take() == ["c", "e 9"])
      b.wrappedValue = 3
      #expect(log.take() == ["e 9"])
      observer.end()
    }

    @Test func `a switch to what lies above the old branch runs nothing again`() async {
      // case 105
      let log = Log()
      let v = Stored(1)
      let condition = Stored(true)
      let below = log.computed("below") { v.wrappedValue }
      let above = log.computed("above") { below.wrappedValue }
      let e = Computed { _ in condition.wrappedValue ? above.wrappedValue : below.wrappedValue }
      let observer = await Observer(of: e)
      #expect(log.take() == ["above", "below"])
      condition.wrappedValue = false
      #expect(log.take() == [])
      observer.end()
      v.wrappedValue = 14
      #expect(log.take() == [])
      #expect(e.wrappedValue == 14)
      #expect(log.take() == ["below"])
    }

    @Test func `nodes that the old run made do not run again`() {  // case 106
      let log = Log()
      let key = Stored(1)
      let v = Stored(10)
      let made = Box<[Computed<Int>]>([])
      let outer = log.computed("outer") {
        let number = key.wrappedValue
        let inner = log.computed("inner\(number)") { v.wrappedValue * number }
        made.value.append(inner)
        return inner.wrappedValue
      }
      #expect(outer.wrappedValue == 10)
      #expect(log.take() == ["outer", "inner1"])
      withGraphTransaction {
        v.wrappedValue = 20
        key.wrappedValue = 2
      }
      #expect(outer.wrappedValue == 40)
      #expect(log.take() == ["outer", "inner2"])
      v.wrappedValue = 30
      #expect(outer.wrappedValue == 60)
      // It is told that inner2 has changed, and makes a third one.
      #expect(log.take() == ["inner2", "outer", "inner2"])
      made.value = []
    }

    @Test func `the end of a branch that is not taken is no news`() {  // case 107
      let log = Log()
      let condition = Stored(true)
      let other = Stored(2)
      let branch = Box<Stored<Int>?>(Stored(1))
      let c = log.computed("c") {
        condition.wrappedValue ? branch.value?.wrappedValue ?? -1 : other.wrappedValue
      }
      #expect(c.wrappedValue == 1)
      condition.wrappedValue = false
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c", "c"])
      branch.value = nil
      #expect(c.wrappedValue == 2)
      #expect(log.take() == [])
    }

    @Test func `a rule that has stopped reading is never run again`() async {  // case 110
      let log = Log()
      let s1 = Stored(1)
      let s2 = Stored(2)
      let isStopped = Box(false)
      let c = log.computedValues("c") {
        isStopped.value ? 3 : s1.wrappedValue + s2.wrappedValue
      }
      let observer = await Observer(of: c)
      #expect(log.take() == ["c 3"])
      isStopped.value = true
      s1.wrappedValue = 10
      #expect(log.take() == ["c 3"])
      s1.wrappedValue = 20
      s2.wrappedValue = 20
      #expect(c.wrappedValue == 3)
      #expect(log.take() == [])
      observer.end()
    }
  }
}
