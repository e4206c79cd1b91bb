import StateGraph
import Testing

extension Conformance {
  /// What a rule depends on is what it read in its last run.
  @GraphActor @Suite struct DynamicDependencies {
    @Test func `the branch that is not taken is ignored`() {  // case 86
      let log = Log()
      let condition = Stored(true)
      let a = Stored("a")
      let b = Stored("b")
      let c = log.computed("c") { condition.wrappedValue ? a.wrappedValue : b.wrappedValue }
      #expect(c.wrappedValue == "a")
      b.wrappedValue = "bb"
      #expect(c.wrappedValue == "a")
      #expect(log.take() == ["c"])
      a.wrappedValue = "aa"
      #expect(c.wrappedValue == "aa")
      #expect(log.take() == ["c"])
    }

    @Test func `a switch drops the dependencies of the old branch`() {  // case 87
      let log = Log()
      let condition = Stored(true)
      let a = Stored("a")
      let b = Stored("b")
      let c = log.computed("c") { condition.wrappedValue ? a.wrappedValue : b.wrappedValue }
      #expect(c.wrappedValue == "a")
      condition.wrappedValue = false
      #expect(c.wrappedValue == "b")
      #expect(log.take() == ["c", "c"])
      a.wrappedValue = "aa"
      #expect(c.wrappedValue == "b")
      #expect(log.take() == [])
      b.wrappedValue = "bb"
      #expect(c.wrappedValue == "bb")
      #expect(log.take() == ["c"])
    }

    @Test func `a new dependency is brought up to date before its reader ends`() {  // case 89
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue + 1 }
      let d = log.computed("d") { a.wrappedValue }
      let e = log.computed("e") { d.wrappedValue + 10 }
      let c = log.computed("c") { b.wrappedValue != 0 ? b.wrappedValue : e.wrappedValue }
      #expect([c.wrappedValue, d.wrappedValue, e.wrappedValue] == [1, 0, 10])
      #expect(log.take() == ["c", "b", "d", "e"])
      a.wrappedValue = -1
      #expect([c.wrappedValue, d.wrappedValue] == [9, -1])
      #expect(log.take() == ["b", "c", "d", "e"])
      a.wrappedValue = 0
      #expect([c.wrappedValue, d.wrappedValue] == [1, 0])
      #expect(log.take() == ["b", "c", "d"])
    }

    @Test func `an obsolete dependency leaves the edge of a sibling alone`() async {  // case 90
      let log = Log()
      let state = Stored(1)
      let toggle = Stored(true)
      let p = log.computed("p") { toggle.wrappedValue ? state.wrappedValue : 111 }
      let pp = log.computed("pp") { state.wrappedValue }
      #expect(pp.wrappedValue == 1)
      let observer = await Observer(of: p)
      #expect(log.take() == ["pp", "p"])
      toggle.wrappedValue = false
      #expect(p.wrappedValue == 111)
      #expect(log.take() == ["p"])
      state.wrappedValue = 2
      #expect(pp.wrappedValue == 2)
      #expect(log.take() == ["pp"])
      observer.end()
    }

    @Test func `a dependency that was dropped is taken up again`() async {  // case 91
      let log = Log()
      let source = Stored(1)
      let flag = Stored(true)
      let c = Computed { _ in flag.wrappedValue ? source.wrappedValue : 0 }
      let e = log.computedValues("e") { c.wrappedValue }
      let observer = await Observer(of: e)
      flag.wrappedValue = false
      source.wrappedValue = 2
      flag.wrappedValue = true
      source.wrappedValue = 3
      #expect(log.take() == ["e 1", "e 0", "e 2", "e 3"])
      observer.end()
    }

    @Test func `an observer discovers a branch`() async {  // case 92
      let log = Log()
      let condition = Stored(false)
      let a = Stored("a")
      let e = log.computedValues("e") { condition.wrappedValue ? a.wrappedValue : "other" }
      let observer = await Observer(of: e)
      #expect(log.take() == ["e other"])
      a.wrappedValue = "Hi"
      #expect(log.take() == [])
      condition.wrappedValue = true
      #expect(log.take() == ["e Hi"])
      a.wrappedValue = "World"
      #expect(log.take() == ["e World"])
      observer.end()
    }

    @Test(arguments: [false, true])
    func `a chain follows what comes and goes`(readsBetween: Bool) async {  // case 94
      let log = Log()
      let items = Stored<[Int]?>(nil)
      let isLoaded = log.computed("isLoaded") { items.wrappedValue != nil }
      let message = log.computed("message") { isLoaded.wrappedValue ? "loaded" : "not loaded" }
      let observer = readsBetween ? nil : await Observer(of: message)
      #expect(message.wrappedValue == "not loaded")
      #expect(log.take() == ["message", "isLoaded"])
      for (value, text) in [([1, 2, 3], "loaded"), ([4, 5], "loaded"), (nil, "not loaded")] {
        let isNews = message.wrappedValue != text
        items.wrappedValue = value
        if readsBetween { #expect(isLoaded.wrappedValue == (value != nil)) }
        #expect(message.wrappedValue == text)
        #expect(log.take() == (isNews ? ["isLoaded", "message"] : ["isLoaded"]))
      }
      observer?.end()
    }

    @Test func `a dependency that was dropped in the same change stays dropped`() {  // case 95
      let log = Log()
      let a = Stored(0)
      let b = Stored(0)
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computed("d") { a.wrappedValue == 0 ? b.wrappedValue : c.wrappedValue }
      #expect(d.wrappedValue == 0)
      a.wrappedValue = 1
      #expect(d.wrappedValue == 1)
      #expect(log.take() == ["d", "d", "c"])
      b.wrappedValue = 10
      #expect(d.wrappedValue == 1)
      #expect(log.take() == [])
    }

    @Test func `dependencies are checked in the order of the last run`() {  // case 96
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue % 3 != 0 }
      let c = log.computed("c") { a.wrappedValue % 3 == 2 ? "expensive" : "cheap" }
      let d = log.computed("d") { a.wrappedValue % 3 == 2 }
      let e = log.computed("e") {
        if b.wrappedValue, d.wrappedValue { return "avoided" }
        return c.wrappedValue
      }
      #expect(e.wrappedValue == "cheap")
      #expect(log.take() == ["e", "b", "c"])
      a.wrappedValue += 1
      #expect(e.wrappedValue == "cheap")
      #expect(log.take() == ["b", "e", "d", "c"])
      a.wrappedValue += 1
      #expect(e.wrappedValue == "avoided")
      #expect(log.take() == ["b", "d", "e"])
    }

    @Test func `two observers with overlapping dynamic dependencies`() async {  // case 97
      let log = Log()
      let a = Stored(1)
      let b = Stored(2)
      let c = Stored(0)
      let fx1 = log.computedValues("fx1") {
        (c.wrappedValue < 2 ? a.wrappedValue : 0) + (c.wrappedValue > 1 ? b.wrappedValue : 0)
      }
      let fx2 = log.computedValues("fx2") {
        fx1.wrappedValue + (c.wrappedValue > 1 ? a.wrappedValue : 0)
          + (c.wrappedValue < 3 ? b.wrappedValue : 0)
      }
      let observers = [await Observer(of: fx1), await Observer(of: fx2)]
      #expect(log.take() == ["fx1 1", "fx2 3"])
      b.wrappedValue = 3
      #expect(log.take() == ["fx2 4"])
      c.wrappedValue = 1
      #expect(log.take() == ["fx1 1", "fx2 4"])
      c.wrappedValue = 2
      #expect(log.take() == ["fx1 3", "fx2 7"])
      c.wrappedValue = 3
      #expect(log.take() == ["fx1 3", "fx2 4"])
      a.wrappedValue = 10
      #expect(log.take() == ["fx2 13"])
      observers.forEach { $0.end() }
    }

    @Test func `a name with an optional last part`() async {  // case 99
      let log = Log()
      let first = Stored("Ann")
      let last = Stored("Lee")
      let useLast = Stored(true)
      let name = log.computedValues("name") {
        useLast.wrappedValue ? first.wrappedValue + " " + last.wrappedValue : first.wrappedValue
      }
      let observer = await Observer(of: name)
      first.wrappedValue = "Bob"
      last.wrappedValue = "Ray"
      useLast.wrappedValue = false
      #expect(log.take() == ["name Ann Lee", "name Bob Lee", "name Bob Ray", "name Bob"])
      for part in ["X", "Y", "Z"] { last.wrappedValue = part }
      #expect(log.take() == [])
      useLast.wrappedValue = true
      #expect(log.take() == ["name Bob Z"])
      observer.end()
    }

    @Test func `a node that another one reads conditionally tells its observer`() async {
      // case 100
      let log = Log()
      let primitive = Stored<Int?>(nil)
      let derived = log.computed("derived") { primitive.wrappedValue }
      let conditional = log.computed("conditional") {
        primitive.wrappedValue == nil ? nil : derived.wrappedValue
      }
      let observers = [await Observer(of: derived), await Observer(of: conditional)]
      #expect(log.take() == ["derived", "conditional"])
      primitive.wrappedValue = 1
      #expect(log.take().sorted() == ["conditional", "derived"])
      #expect(await observers[0].next() == 1)
      primitive.wrappedValue = 2
      #expect(await observers[0].next() == 2)
      observers.forEach { $0.end() }
    }
  }
}
