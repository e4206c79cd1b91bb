import StateGraph
import Testing

extension Conformance {
  /// Who keeps whom alive: dependents and streams nobody, rules what they capture.
  ///
  /// Left out: 280 (no owners), 285 to 289 (no hooks for being watched), 291 (the same), 294 (no
  /// eviction). 281 is told of a stream instead of an effect.
  @GraphActor @Suite struct Memory {
    @Test func `a computed node goes although its source lives`() async {  // case 277, 284
      let source = Stored(1)
      weak var node: Computed<Int>?
      weak var captured: Witness?
      do {
        let witness = Witness()
        let computed = Computed { _ in
          withExtendedLifetime(witness) { source.wrappedValue }
        }
        captured = witness
        node = computed
        #expect(computed.wrappedValue == 1)
      }
      await GraphActor.run {}
      #expect(node == nil)
      #expect(captured == nil)
      source.wrappedValue = 2
    }

    @Test func `a node stays as long as somebody holds it`() async {  // case 279
      let source = Stored(1)
      weak var captured: Witness?
      let holder = Box<Computed<Int>?>(nil)
      do {
        let witness = Witness()
        captured = witness
        let inner = Computed { _ in withExtendedLifetime(witness) { source.wrappedValue } }
        // The rule of the outer node holds the inner one.
        holder.value = Computed { _ in inner.wrappedValue }
      }
      await GraphActor.run {}
      #expect(holder.value?.wrappedValue == 1)
      #expect(captured != nil)
      holder.value = nil
      await GraphActor.run {}
      #expect(captured == nil)
    }

    @Test func `a stream that has been left retains nothing`() async {  // case 281, 290
      weak var captured: Witness?
      let source = Stored(1)
      do {
        let witness = Witness()
        captured = witness
        var values = GraphTrackings { withExtendedLifetime(witness) { source.wrappedValue } }
          .makeAsyncIterator()
        #expect(await values.next(isolation: GraphActor.shared) == 1)
        source.wrappedValue = 2
      }
      await GraphActor.run {}
      #expect(captured == nil)
    }

    @Test func `what a node that a rule made captures goes with the rule's node`() async {
      // case 282
      weak var captured: Witness?
      let source = Stored(1)
      do {
        let made = Box<Computed<Int>?>(nil)
        let outer = Computed { _ in
          let witness = Witness()
          captured = witness
          let inner = Computed { _ in
            withExtendedLifetime(witness) { source.wrappedValue }
          }
          made.value = inner
          return inner.wrappedValue
        }
        #expect(outer.wrappedValue == 1)
        #expect(captured != nil)
      }
      await GraphActor.run {}
      #expect(captured == nil)
    }

    @Test func `a stream keeps no node alive`() async {  // case 284
      weak var captured: Witness?
      let source = Stored(1)
      let consumer: Consumer<GraphChange<Int>>
      do {
        let witness = Witness()
        captured = witness
        let computed = Computed { _ in withExtendedLifetime(witness) { source.wrappedValue } }
        consumer = Consumer(computed.changes(buffering: .unbounded))
        #expect(await consumer.take().map(\.value) == [1])
      }
      #expect(await consumer.rest().isEmpty)
      #expect(captured == nil)
      source.wrappedValue = 2
    }

    @Test(.timeLimit(.minutes(5)))
    func `a hundred thousand dependents come and go in linear time`() async {  // case 292
      let source = Stored(1)
      var dependents = (0..<100_000).map { index in
        Computed { _ in source.wrappedValue + index }
      }
      #expect(dependents.reduce(0) { $0 &+ $1.wrappedValue } == 5_000_050_000)
      // From the middle on: neither the oldest first nor the youngest.
      dependents.removeSubrange(25_000..<75_000)
      await GraphActor.run {}
      source.wrappedValue = 2
      #expect(dependents.last?.wrappedValue == 100_001)
      dependents = []
      await GraphActor.run {}
      source.wrappedValue = 3
      #expect(source.wrappedValue == 3)
    }

    @Test func `a chain of a hundred thousand nodes is released`() async {  // case 295
      let source = Stored(0)
      weak var captured: Witness?
      do {
        let witness = Witness()
        captured = witness
        var last = Computed { _ in withExtendedLifetime(witness) { source.wrappedValue } }
        for _ in 1..<100_000 {
          last = Computed { [last] _ in last.wrappedValue + 1 }
          _ = last.wrappedValue
        }
        #expect(last.wrappedValue == 99_999)
      }
      await GraphActor.run {}
      #expect(captured == nil)
    }
  }
}
