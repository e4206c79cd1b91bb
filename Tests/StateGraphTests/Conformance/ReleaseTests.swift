import StateGraph
import Testing

extension Conformance {
  /// Nodes that lose their last owner while others have read them.
  @GraphActor @Suite struct Releases {
    @Test func `a released upstream node is missed by its dependent`() async {  // NL01, F27
      let log = Log()
      let trigger = Stored(0)
      weak var weakUpstream: Computed<Int>?
      weak var captured: Witness?
      var downstream: Computed<Int>?
      do {
        let witness = Witness()
        captured = witness
        let upstream = Computed { _ in
          withExtendedLifetime(witness) { trigger.wrappedValue + 10 }
        }
        weakUpstream = upstream
        downstream = log.computed("downstream") { [weak upstream] in
          trigger.wrappedValue + (upstream?.wrappedValue ?? 0)
        }
        #expect(downstream?.wrappedValue == 10)
      }
      await GraphActor.run {}
      #expect(weakUpstream == nil)
      #expect(captured == nil)
      trigger.wrappedValue = 1
      #expect(downstream?.wrappedValue == 1)
      #expect(log.take() == ["downstream", "downstream"])
      downstream = nil
    }

    @Test func `a source that is written and released keeps its news`() async {  // W8
      let log = Log()
      let source = Box<Stored<Int>?>(Stored(1))
      let reader = log.computed("reader") { source.value?.wrappedValue ?? -1 }
      #expect(reader.wrappedValue == 1)
      source.value?.wrappedValue = 2
      source.value = nil
      #expect(reader.wrappedValue == -1)
      #expect(log.take() == ["reader", "reader"])
    }

    @Test func `the release of an unchanged source is news`() async {  // W8
      let log = Log()
      let source = Box<Stored<Int>?>(Stored(1))
      let middle = log.computed("middle") { source.value?.wrappedValue ?? -1 }
      let reader = log.computed("reader") { middle.wrappedValue }
      #expect(reader.wrappedValue == 1)
      #expect(log.take() == ["reader", "middle"])
      source.value = nil
      #expect(reader.wrappedValue == -1)
      #expect(log.take() == ["middle", "reader"])
    }

    @Test func `an observed reader hears of a release`() async {  // W8
      let log = Log()
      let source = Box<Stored<Int>?>(Stored(1))
      let reader = log.computedValues("reader") { source.value?.wrappedValue ?? -1 }
      let observer = await Observer(of: reader)
      source.value = nil
      await GraphActor.run {}
      #expect(log.take() == ["reader 1", "reader -1"])
      #expect(await observer.next() == -1)
      observer.end()
    }

    @Test func `a released node does not keep its dependents from others`() async {  // F27
      let log = Log()
      let a = Stored(1)
      var b: Stored<Int>? = Stored(2)
      let c = log.computed("c") { [weak b] in a.wrappedValue + (b?.wrappedValue ?? 0) }
      #expect(c.wrappedValue == 3)
      b = nil
      #expect(c.wrappedValue == 1)
      await GraphActor.run {}
      #expect(c.wrappedValue == 1)
      a.wrappedValue = 5
      #expect(c.wrappedValue == 5)
      #expect(log.take() == ["c", "c", "c"])
    }

    @Test(arguments: [false, true])
    func `a rule that releases what it has read runs again`(isKnown: Bool) async {
      let log = Log()
      let source = Box<Stored<Int>?>(Stored(1))
      // Known: another rule has read the source before.
      let other = Computed { _ in source.value?.wrappedValue ?? -1 }
      if isKnown { #expect(other.wrappedValue == 1) }
      let c = log.computed("c") {
        let value = source.value?.wrappedValue ?? -1
        source.value = nil
        return value
      }
      #expect(c.wrappedValue == 1)
      #expect(c.wrappedValue == -1)
      #expect(c.wrappedValue == -1)
      #expect(log.take() == ["c", "c"])
    }

    @Test func `a replaced model takes its nodes with it`() async {
      let log = Log()
      let holder = Stored([Stored(1)])
      let c = log.computed("c") { holder.wrappedValue.reduce(0) { $0 + $1.wrappedValue } }
      #expect(c.wrappedValue == 1)
      holder.wrappedValue = [Stored(2), Stored(3)]
      await GraphActor.run {}
      #expect(c.wrappedValue == 5)
      await GraphActor.run {}
      #expect(c.wrappedValue == 5)
      #expect(log.take() == ["c", "c"])
    }

    /// A model that equals every other model with the same id.
    private struct Model: Equatable, Sendable {
      let id: Int
      let count: Stored<Int>

      nonisolated static func == (left: Model, right: Model) -> Bool { left.id == right.id }
    }

    @Test func `an equal model does not replace the one that is there`() async {
      let log = Log()
      let holder = Stored(Model(id: 1, count: Stored(10)))
      let c = log.computed("c") { holder.wrappedValue.count.wrappedValue }
      #expect(c.wrappedValue == 10)
      holder.wrappedValue = Model(id: 1, count: Stored(20))
      await GraphActor.run {}
      #expect(c.wrappedValue == 10)
      #expect(log.take() == ["c"])
      holder.wrappedValue.count.wrappedValue = 11
      #expect(c.wrappedValue == 11)
      #expect(log.take() == ["c"])
    }
  }
}
