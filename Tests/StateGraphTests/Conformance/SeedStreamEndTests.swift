import StateGraph
import Testing

extension Conformance {
  /// Streams whose node is released: they deliver what there is, and end.
  @GraphActor @Suite struct SeedStreamEnds {
    @Test func `a waiting consumer gets the last value and the end`() async {  // W10
      let consumer: Consumer<Int>
      do {
        let node = Stored(0)
        consumer = Consumer(node.values)
        #expect(await consumer.take() == [0])
        node.wrappedValue = 1
      }
      #expect(await consumer.rest() == [1])
    }

    @Test func `a busy consumer gets the last value and the end`() async {
      // DESIGN 5: `.latest` never loses the last value; a stream ends when its node is released.
      let node = Box<Stored<Int>?>(Stored(0))
      let consumer = Consumer(node.value.map(\.values) ?? Stored(-1).values) { _ in
        node.value?.wrappedValue = 1
        node.value = nil
      }
      #expect(await consumer.take() == [0, 1])
      #expect(consumer.hasEnded)
      await consumer.cancel()
    }

    @Test func `a busy consumer of a released node that has not changed gets the end`() async {
      let node = Box<Stored<Int>?>(Stored(0))
      let consumer = Consumer(node.value.map(\.values) ?? Stored(-1).values) { _ in
        node.value = nil
      }
      #expect(await consumer.take() == [0])
      #expect(consumer.hasEnded)
      await consumer.cancel()
    }

    @Test(arguments: [GraphBuffering.unbounded, .newest(2), .oldest(2)])
    func `buffered changes of a released node can be taken`(buffering: GraphBuffering) async {
      let node = Box<Stored<Int>?>(Stored(0))
      let changes = node.value.map { $0.changes(buffering: buffering) }
      let consumer = Consumer(changes ?? Stored(-1).changes()) { _ in
        node.value?.wrappedValue = 1
        node.value?.wrappedValue = 2
        node.value = nil
      }
      #expect(await consumer.take().map(\.value) == [0, 1, 2])
      #expect(consumer.hasEnded)
      await consumer.cancel()
    }

    @Test func `a busy consumer of a released computed node gets the end`() async {
      await #expect(processExitsWith: .success) {
        await GraphActor.run {}
        let ends = await Conformance.endsAfterRelease()
        precondition(ends)
      }
    }

    @Test func `a change of a node that has been read and released is no element`() async {
      let log = Log()
      let kept = Stored(0)
      let weakly = Box<Stored<Int>?>(Stored(10))
      let consumer = Consumer(
        GraphTrackings {
          log.record("e")
          return kept.wrappedValue + (weakly.value?.wrappedValue ?? 0)
        })
      #expect(await consumer.take() == [10])
      weakly.value?.wrappedValue = 20
      weakly.value = nil
      #expect(await consumer.take() == [0])
      kept.wrappedValue = 1
      #expect(await consumer.take() == [1])
      #expect(log.take() == ["e", "e", "e"])
      await consumer.cancel()
    }
  }

  /// Whether the stream of a computed node ends if the node changes and is released while the
  /// consumer is busy.
  @GraphActor static func endsAfterRelease() async -> Bool {
    let source = Stored(0)
    let node = Box<Computed<Int>?>(Computed { _ in source.wrappedValue * 2 })
    let consumer = Consumer(node.value.map(\.values) ?? Stored(-1).values) { _ in
      source.wrappedValue = 1
      node.value = nil
    }
    let elements = await consumer.take()
    return consumer.hasEnded && (elements == [0] || elements == [0, 2])
  }
}
