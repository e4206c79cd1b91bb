import StateGraph
import Testing

extension Conformance {
  /// What counts as equal, and what an equal write does.
  ///
  /// SC01 to SC03 are told of streams instead of Observation.
  @GraphActor @Suite struct SeedComparators {
    @Test func `an equal write is no element`() async {  // SC01
      let node = Stored(1)
      let consumer = Consumer(node.values)
      #expect(await consumer.take() == [1])
      node.wrappedValue = 1
      #expect(await consumer.take() == [])
      await consumer.cancel()
    }

    @Test func `another value is one element`() async {  // SC02
      let node = Stored(1)
      let consumer = Consumer(node.values)
      #expect(await consumer.take() == [1])
      node.wrappedValue = 2
      #expect(await consumer.take() == [2])
      #expect(await consumer.take() == [])
      await consumer.cancel()
    }

    @Test func `three equal writes are no element`() async {  // SC03
      let node = Stored("a")
      let consumer = Consumer(node.values)
      #expect(await consumer.take() == ["a"])
      for _ in 1...3 { node.wrappedValue = "a" }
      #expect(await consumer.take() == [])
      await consumer.cancel()
    }

    @Test func `an equal write does not evaluate an expression`() async {  // SC04
      let log = Log()
      let node = Stored(1)
      let consumer = Consumer(
        GraphTrackings {
          log.record("e")
          return node.wrappedValue
        })
      #expect(await consumer.take() == [1])
      node.wrappedValue = 1
      #expect(await consumer.take() == [])
      #expect(log.take() == ["e"])
      await consumer.cancel()
    }

    @Test func `an equal write runs no rule`() {  // SC05, F22
      let log = Log()
      let node = Stored(1)
      let c = log.computed("c") { node.wrappedValue }
      #expect(c.wrappedValue == 1)
      node.wrappedValue = 1
      #expect(c.wrappedValue == 1)
      #expect(log.take() == ["c"])
    }

    @Test func `an equal write twice and then another value`() async {  // SC06
      let node = Stored(10)
      let mapped = node.map { $0 * 2 }
      let consumer = Consumer(mapped.values)
      #expect(await consumer.take() == [20])
      node.wrappedValue = 10
      node.wrappedValue = 10
      #expect(await consumer.take() == [])
      node.wrappedValue = 20
      #expect(await consumer.take() == [40])
      await consumer.cancel()
    }

    struct Pair: Equatable {
      var left: Int
      var right: Int
    }

    @Test func `an equal struct runs no rule`() {  // SC07
      let log = Log()
      let node = Stored(Pair(left: 1, right: 2))
      let c = log.computed("c") { node.wrappedValue.left }
      #expect(c.wrappedValue == 1)
      #expect(log.take() == ["c"])
      node.wrappedValue = Pair(left: 1, right: 2)
      #expect(c.wrappedValue == 1)
      #expect(log.take() == [])
      node.wrappedValue = Pair(left: 3, right: 2)
      #expect(c.wrappedValue == 3)
      #expect(log.take() == ["c"])
    }

    struct Opaque {
      var content: Int
    }

    @Test func `a value that cannot be compared changes with every write`() {  // W18
      let log = Log()
      let node = Stored(Opaque(content: 1))
      let middle = Computed { _ in
        log.record("middle")
        return Opaque(content: node.wrappedValue.content)
      }
      let end = log.computed("end") { middle.wrappedValue.content }
      #expect(end.wrappedValue == 1)
      #expect(log.take() == ["end", "middle"])
      node.wrappedValue = Opaque(content: 1)
      #expect(end.wrappedValue == 1)
      #expect(log.take() == ["middle", "end"])
      #expect(end.wrappedValue == 1)
      #expect(log.take() == [])
    }

    final class Reference: Sendable {}

    @Test func `an object is compared by identity, also an optional one`() {
      let log = Log()
      let first = Reference()
      let node = Stored(first)
      let optional = Stored<Reference?>(first)
      let c = log.computed("c") { ObjectIdentifier(node.wrappedValue) }
      let d = log.computed("d") { optional.wrappedValue.map(ObjectIdentifier.init) }
      #expect(c.wrappedValue == d.wrappedValue)
      #expect(log.take() == ["c", "d"])
      node.wrappedValue = first
      optional.wrappedValue = first
      #expect(c.wrappedValue == d.wrappedValue)
      #expect(log.take() == [])
      node.wrappedValue = Reference()
      optional.wrappedValue = nil
      #expect(d.wrappedValue == nil)
      #expect(c.wrappedValue != ObjectIdentifier(first))
      #expect(log.take() == ["d", "c"])
    }

    /// Knows nothing at all of the type.
    private func node<Value: Sendable>(_ value: Value) -> Stored<Value> { Stored(value) }
    private func mapped<Value: Sendable>(_ node: Stored<Value>, log: Log) -> Computed<Value> {
      Computed { _ in
        log.record("mapped")
        return node.wrappedValue
      }
    }

    @Test func `generic code finds the equality of the type`() {  // W18, F28
      let log = Log()
      let source = node(1)
      let parity = Stored(0)
      let middle = mapped(source, log: log)
      let end = log.computed("end") { middle.wrappedValue + parity.wrappedValue }
      #expect(end.wrappedValue == 1)
      #expect(log.take() == ["end", "mapped"])
      source.wrappedValue = 1
      #expect(end.wrappedValue == 1)
      #expect(log.take() == [])
      source.wrappedValue = 2
      #expect(end.wrappedValue == 2)
      #expect(log.take() == ["mapped", "end"])
    }
  }
}
