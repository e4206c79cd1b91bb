import StateGraph
import Testing

extension Conformance {
  /// Maps: what the seeds' suites for maps, comparisons and isolation assert.
  @GraphActor @Suite struct SeedMaps {
    /// The values that a map has given to its handler.
    final class Values<Value> {
      private(set) var all: [Value] = []

      func add(_ value: Value) { all.append(value) }
    }

    @Test func `the handler is called for what its own map has read`() async {  // TE06
      let log = Log()
      let one = Stored(5)
      let two = Stored(5)
      let tracking = withGraphTracking {
        let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
        withGraphTrackingMap {
          sum.wrappedValue
        } onChange: {
          log.record("sum \($0)")
        }
        withGraphTrackingMap {
          one.wrappedValue
        } onChange: {
          log.record("one \($0)")
        }
      }
      #expect(log.take() == ["sum 10", "one 5"])
      one.wrappedValue = 6
      await GraphActor.settle()
      #expect(log.take().sorted() == ["one 6", "sum 11"])
      two.wrappedValue = 6
      await GraphActor.settle()
      #expect(log.take() == ["sum 12"])
      tracking.cancel()
    }

    @Test func `an equal result is no change`() async {  // TE07
      let log = Log()
      let one = Stored(5)
      let two = Stored(5)
      let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          sum.wrappedValue
        } onChange: {
          log.record("\($0)")
        }
      }
      for (left, right) in [(6, 4), (7, 3)] {
        withGraphTransaction {
          one.wrappedValue = left
          two.wrappedValue = right
        }
        await GraphActor.settle()
      }
      one.wrappedValue = 8
      await GraphActor.settle()
      #expect(log.take() == ["10", "11"])
      tracking.cancel()
    }

    @Test func `an equal write does not reach the handler`() async {  // SC06, GM02
      let values = Values<Int>()
      let node = Stored(10)
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          node.wrappedValue
        } onChange: {
          values.add($0)
        }
      }
      #expect(values.all == [10])
      for value in [20, 20, 30] {
        node.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(values.all == [10, 20, 30])
      tracking.cancel()
    }

    @Test func `a joined string follows both of its parts`() async {  // GM01
      let values = Values<String>()
      let first = Stored("John")
      let last = Stored("Doe")
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          "\(first.wrappedValue) \(last.wrappedValue)"
        } onChange: {
          values.add($0)
        }
      }
      first.wrappedValue = "Jane"
      await GraphActor.settle()
      last.wrappedValue = "Smith"
      await GraphActor.settle()
      #expect(values.all == ["John Doe", "Jane Doe", "Jane Smith"])
      tracking.cancel()
    }

    @Test func `a node that is not read causes nothing`() async {  // GM03
      let values = Values<Int>()
      let (x, y, z) = (Stored(1), Stored(2), Stored(3))
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          x.wrappedValue + y.wrappedValue
        } onChange: {
          values.add($0)
        }
      }
      for (node, value) in [(x, 5), (y, 10), (z, 100)] {
        node.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(values.all == [3, 7, 15])
      tracking.cancel()
    }

    @Test func `the branch that is taken decides what is tracked`() async {  // GM04
      let values = Values<String>()
      let (first, nickname, usesFullName) = (Stored("John"), Stored("JD"), Stored(true))
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          usesFullName.wrappedValue ? "\(first.wrappedValue) Doe" : nickname.wrappedValue
        } onChange: {
          values.add($0)
        }
      }
      let steps: [@GraphActor () -> Void] = [
        { first.wrappedValue = "Jane" }, { nickname.wrappedValue = "JJ" },
        { usesFullName.wrappedValue = false }, { nickname.wrappedValue = "Jay" },
        { first.wrappedValue = "Jim" },
      ]
      for step in steps {
        step()
        await GraphActor.settle()
      }
      #expect(values.all == ["John Doe", "Jane Doe", "JJ", "Jay"])
      tracking.cancel()
    }

    /// Lets values through that are far from the one before.
    struct Threshold: GraphFilter {
      var last: Int?

      mutating func send(_ value: Int) -> Int? {
        if let last, abs(value - last) < 5 { return nil }
        last = value
        return value
      }
    }

    @Test func `a filter keeps its state`() async {  // GM05
      let values = Values<Int>()
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingMap(filter: Threshold()) {
          node.wrappedValue
        } onChange: {
          values.add($0)
        }
      }
      for value in [3, 6, 8, 15] {
        node.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(values.all == [0, 6, 15])
      tracking.cancel()
    }

    @Test func `the filter that lets all through hears of commits only`() async {  // GM06
      let values = Values<Int>()
      let node = Stored(10)
      let other = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingMap(filter: GraphPassthroughFilter()) {
          _ = other.wrappedValue
          return node.wrappedValue
        } onChange: {
          values.add($0)
        }
      }
      node.wrappedValue = 20
      await GraphActor.settle()
      node.wrappedValue = 20
      await GraphActor.settle()
      #expect(values.all == [10, 20])
      other.wrappedValue = 1
      await GraphActor.settle()
      #expect(values.all == [10, 20, 20])
      tracking.cancel()
    }

    @MainActor final class MainLog {
      var values: [Int] = []

      nonisolated init() {}
    }

    @Test func `a handler elsewhere gets every value, in order`() async {  // TE13, TE15
      let log = MainLog()
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingMap(delivery: .immediate) {
          node.wrappedValue
        } onChange: {
          @MainActor value in
          log.values.append(value)
        }
      }
      for value in 1...1_000 { node.wrappedValue = value }
      await GraphActor.settle()
      #expect(await log.values == Array(0...1_000))
      tracking.cancel()
    }

    @Test func `the handler runs where it is isolated`() async {  // AI01, AI02
      let log = MainLog()
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingMap {
          node.wrappedValue
        } onChange: { @MainActor value in
          MainActor.preconditionIsolated()
          log.values.append(value)
        }
      }
      await GraphActor.settle()
      await Task.detached { await node.set(1) }.value
      await GraphActor.settle()
      #expect(await log.values == [0, 1])
      tracking.cancel()
    }
  }
}
