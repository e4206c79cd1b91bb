import StateGraph
import Testing

extension Conformance {
  /// Scenarios in which other graphs go wrong: edges too many, checks too many, news lost.
  ///
  /// W8 and F27 are in `Releases`, W2 in `Memory`, W14 in `SeedConcurrency`, W18 also in
  /// `SeedComparators`. Left out, with the tracking groups to come: W11 to W13, W22, F14, F18 to F21,
  /// F25, F26, F31 to F33. Later work: W17, W19 to W21, F09, F10, F16, F23, F29, F30. Without a
  /// counterpart here: W1, W3 (costs), W15, F04 (locks), F05. F03 is `UntrackedReads`.
  @GraphActor @Suite struct SeedWeaknesses {
    @Test func `a reader of a stale node gets no edge to what lies above`() {  // W4
      let log = Log()
      let s = Stored(1)
      let upper = log.computed("upper") { s.wrappedValue }
      let d = log.computed("d") { upper.wrappedValue > 0 }
      #expect(d.wrappedValue)
      s.wrappedValue = 2
      let x = log.computed("x") { d.wrappedValue }
      #expect(x.wrappedValue)
      #expect(log.take() == ["d", "upper", "x", "upper", "d"])
      s.wrappedValue = 3
      #expect(x.wrappedValue)
      #expect(log.take() == ["upper", "d"])
    }

    @Test func `an item beyond the end of a shrunk list is not evaluated`() async {  // W5
      let log = Log()
      let list = Stored(Array(0..<10))
      let item = log.computed("item") { list.wrappedValue[5] }
      let x = log.computed("x") { list.wrappedValue.count > 5 ? item.wrappedValue : nil }
      #expect(x.wrappedValue == 5)
      list.wrappedValue = [0]
      #expect(x.wrappedValue == nil)
      #expect(log.take() == ["x", "item", "x"])
      list.wrappedValue = Array(10..<20)
      #expect(x.wrappedValue == 15)
      #expect(log.take() == ["x", "item"])
      let observer = await Observer(of: x)
      list.wrappedValue = []
      #expect(log.take() == ["x"])
      observer.end()
    }

    @Test func `an item beyond the end is not evaluated behind a computed count`() {  // W5
      let log = Log()
      let list = Stored(Array(0..<10))
      let isLong = log.computed("isLong") { list.wrappedValue.count > 5 }
      let item = log.computed("item") { list.wrappedValue[5] }
      let x = log.computed("x") { isLong.wrappedValue ? item.wrappedValue : nil }
      let y = log.computed("y") { x.wrappedValue }
      #expect(y.wrappedValue == 5)
      #expect(log.take() == ["y", "x", "isLong", "item"])
      list.wrappedValue = [0]
      #expect(y.wrappedValue == nil)
      #expect(log.take() == ["isLong", "x", "y"])
      withGraphTransaction {
        list.wrappedValue = Array(10..<20)
        #expect(y.wrappedValue == 15)
        list.wrappedValue = [1]
        #expect(y.wrappedValue == nil)
      }
    }

    /// Two temperatures, each of which is the source of the other one or not.
    private struct Temperatures {
      let isCelsius = Stored(true)
      let given = Stored(100.0)
      let fahrenheit: Computed<Double>
      let celsius: Computed<Double>

      @GraphActor init(log: Log, hasDerivedFlag: Bool) {
        let flag: any GraphNode<Bool> =
          if hasDerivedFlag { isCelsius.map { $0 } } else { isCelsius }
        let other = Box<Computed<Double>?>(nil)
        fahrenheit = log.computed("fahrenheit") { [given] in
          flag.wrappedValue ? (other.value?.wrappedValue ?? 0) * 1.8 + 32 : given.wrappedValue
        }
        celsius = log.computed("celsius") { [given, fahrenheit] in
          flag.wrappedValue ? given.wrappedValue : (fahrenheit.wrappedValue - 32) / 1.8
        }
        other.value = celsius
      }
    }

    @Test(arguments: [false, true])
    func `two nodes refer to each other under opposite conditions`(isDerived: Bool) {  // W6
      let log = Log()
      let model = Temperatures(log: log, hasDerivedFlag: isDerived)
      #expect(model.fahrenheit.wrappedValue == 212)
      #expect(log.take() == ["fahrenheit", "celsius"])
      withGraphTransaction {
        model.isCelsius.wrappedValue = false
        model.given.wrappedValue = 32
        #expect(model.celsius.wrappedValue == 0)
        #expect(model.fahrenheit.wrappedValue == 32)
      }
      _ = log.take()
      #expect(model.celsius.wrappedValue == 0)
      #expect(model.fahrenheit.wrappedValue == 32)
      #expect(log.take() == ["celsius", "fahrenheit"])
      model.isCelsius.wrappedValue = true
      #expect(model.celsius.wrappedValue == 32)
      #expect(model.fahrenheit.wrappedValue == 89.6)
      #expect(log.take() == ["celsius", "fahrenheit"])
    }

    @Test func `a rule that writes its own dependency ends the process`() async {  // W7, CO03
      await #expect(processExitsWith: .failure) {
        await GraphActor.run {
          let trigger = Stored(1)
          let count = Stored(0)
          let c = Computed { _ in
            if trigger.wrappedValue > 0, count.wrappedValue < 5 { count.wrappedValue += 1 }
            return count.wrappedValue
          }
          _ = c.wrappedValue
        }
      }
    }

    @Test func `a hot node leaves nothing behind in a cold one`() async {  // W9
      let log = Log()
      let hot = Stored(0)
      let cold = Stored(0)
      let sum = Computed { _ in hot.wrappedValue + cold.wrappedValue }
      let e = Computed { _ in
        log.record("e")
        return sum.wrappedValue + cold.wrappedValue
      }
      let observer = await Observer(of: e)
      var elements = GraphTrackings {
        log.record("tracking")
        return hot.wrappedValue + cold.wrappedValue
      }.makeAsyncIterator()
      #expect(await elements.next(isolation: GraphActor.shared) == 0)
      #expect(log.take() == ["e", "tracking"])
      for value in 1...100_000 {
        hot.wrappedValue = value
        _ = await elements.next(isolation: GraphActor.shared)
      }
      #expect(log.take().count == 200_000)
      cold.wrappedValue = 1
      #expect(await elements.next(isolation: GraphActor.shared) == 100_001)
      #expect(log.take() == ["e", "tracking"])
      observer.end()
    }

    @Test func `a stream keeps no node alive, followed or left`() async {  // W10, F01
      weak var captured: Witness?
      let consumer: Consumer<Int>
      do {
        let witness = Witness()
        captured = witness
        let source = Stored(0)
        let node = Computed { _ in withExtendedLifetime(witness) { source.wrappedValue } }
        consumer = Consumer(node.values)
        #expect(await consumer.take() == [0])
        let left = Consumer(node.values)
        #expect(await left.take() == [0])
        await left.cancel()
      }
      #expect(await consumer.rest() == [])
      #expect(captured == nil)
    }

    @Test func `a sequence of an expression keeps alive what it reads`() async {  // F02
      let source = Stored(1)
      let consumer: Consumer<Int>
      do {
        let node = Computed { _ in source.wrappedValue * 2 }
        consumer = Consumer(GraphTrackings { node.wrappedValue })
      }
      #expect(await consumer.take() == [2])
      source.wrappedValue = 2
      #expect(await consumer.take() == [4])
      await consumer.cancel()
    }

    @Test func `a mapped node is cached`() {  // W18
      let log = Log()
      let source = Stored([1, 2, 3])
      let count = source.map { list in
        log.record("map")
        return list.count
      }
      let end = log.computed("end") { count.wrappedValue }
      #expect([end.wrappedValue, count.wrappedValue, count.wrappedValue] == [3, 3, 3])
      #expect(log.take() == ["end", "map"])
      source.wrappedValue = [4, 5, 6]
      #expect([end.wrappedValue, count.wrappedValue] == [3, 3])
      #expect(log.take() == ["map"])
    }
  }
}
