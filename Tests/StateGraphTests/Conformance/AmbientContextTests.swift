import StateGraph
import Testing

extension Conformance {
  /// Whoever runs when a handler is called does not depend on what the handler reads.
  @GraphActor @Suite struct AmbientContext {
    @Test func `what a handler of assignments reads is not the writer's dependency`() async {
      // W16
      let trigger = Stored(0)
      let target = Stored(0)
      let other = Stored(0)
      target.onDidSet { _, _ in _ = other.wrappedValue }
      let consumer = Consumer(
        GraphTrackings {
          target.wrappedValue = trigger.wrappedValue + 10
          return trigger.wrappedValue
        })
      #expect(await consumer.take() == [0])
      other.wrappedValue = 1
      #expect(await consumer.take() == [])
      target.wrappedValue = 1
      #expect(await consumer.take() == [])
      trigger.wrappedValue = 1
      #expect(await consumer.take() == [1])
      await consumer.cancel()
    }

    @Test func `what a comparison reads is not the writer's dependency`() async {  // W16
      let trigger = Stored(0)
      let tolerance = Stored(0)
      let target = Stored(0) { old, new in abs(old - new) <= tolerance.wrappedValue }
      let consumer = Consumer(
        GraphTrackings {
          target.wrappedValue = trigger.wrappedValue + 10
          return trigger.wrappedValue
        })
      #expect(await consumer.take() == [0])
      tolerance.wrappedValue = 1
      #expect(await consumer.take() == [])
      await consumer.cancel()
    }

    @GraphActor final class Model {
      let other = Stored(0)
      @GraphStored var target = 0 {
        didSet { _ = other.wrappedValue }
      }
      @GraphStored var remembering = 0 {
        didSet { _ = oldValue }
      }
    }

    /// A native observer is part of the assignment: Swift runs it in the writer's code.
    @Test func `what didSet of a property reads is read by the writer`() async {  // W16
      let trigger = Stored(0)
      let model = Model()
      let consumer = Consumer(
        GraphTrackings {
          model.target = trigger.wrappedValue + 10
          return trigger.wrappedValue
        })
      #expect(await consumer.take() == [0])
      model.other.wrappedValue = 1
      #expect(await consumer.take() == [0])
      await consumer.cancel()
    }

    @Test func `the old value that didSet gets is read by the writer`() async {  // W16
      let trigger = Stored(0)
      let model = Model()
      let consumer = Consumer(
        GraphTrackings {
          model.remembering = trigger.wrappedValue + 10
          return trigger.wrappedValue
        })
      #expect(await consumer.take() == [0])
      model.$remembering.wrappedValue = 1
      #expect(await consumer.take() == [0])
      await consumer.cancel()
    }

    @Test func `what a task that a rule starts reads is no dependency`() async {  // F12
      let log = Log()
      let a = Stored(0)
      let b = Stored(0)
      let started = Box<Task<Void, Never>?>(nil)
      let c = log.computed("c") {
        started.value = Task { _ = b.wrappedValue }
        return a.wrappedValue
      }
      let observer = await Observer(of: c)
      await started.value?.value
      #expect(log.take() == ["c"])
      b.wrappedValue = 1
      #expect(c.wrappedValue == 0)
      #expect(log.take() == [])
      a.wrappedValue = 1
      #expect(log.take() == ["c"])
      observer.end()
    }

    @Test func `many changes before the consumer comes back are one run`() async {  // F13
      let log = Log()
      let node = Stored(0)
      var elements = GraphTrackings {
        log.record("e")
        return node.wrappedValue
      }.makeAsyncIterator()
      #expect(await elements.next(isolation: GraphActor.shared) == 0)
      for value in 1...100 { node.wrappedValue = value }
      #expect(log.take() == ["e"])
      #expect(await elements.next(isolation: GraphActor.shared) == 100)
      #expect(log.take() == ["e"])
      node.wrappedValue = 101
      #expect(await elements.next(isolation: GraphActor.shared) == 101)
    }

    @Test func `a change while the consumer is busy is not lost`() async {  // F15
      let node = Stored(0)
      var values = node.values.makeAsyncIterator()
      var elements = GraphTrackings { node.wrappedValue }.makeAsyncIterator()
      for value in 0...3 {
        #expect(await values.next(isolation: GraphActor.shared) == value)
        #expect(await elements.next(isolation: GraphActor.shared) == value)
        // The bodies of both loops take their time; meanwhile:
        node.wrappedValue = -1
        node.wrappedValue = value + 1
      }
    }

    @Test func `an expression that writes back what it read is not evaluated again`() async {
      // F17
      let log = Log()
      let node = Stored(1)
      let consumer = Consumer(
        GraphTrackings {
          log.record("e")
          let value = node.wrappedValue
          for _ in 1...3 { node.wrappedValue = value }
          return value
        })
      #expect(await consumer.take() == [1])
      #expect(log.take() == ["e"])
      node.wrappedValue = 2
      #expect(await consumer.take() == [2])
      #expect(log.take() == ["e"])
      await consumer.cancel()
    }
  }
}
