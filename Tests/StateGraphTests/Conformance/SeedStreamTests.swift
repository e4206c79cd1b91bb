import StateGraph
import Testing

extension Conformance {
  /// Streams of a node and of an expression.
  ///
  /// Left out: TE08 (observation). TE06, TE07, TE15 are with the maps, TE09 with the groups.
  @GraphActor @Suite struct SeedStreams {
    @Test func `a write is the second element`() async {  // NO01
      let consumer: Consumer<Int>
      do {
        let node = Stored(0)
        consumer = Consumer(node.values)
        #expect(await consumer.take() == [0])
        node.wrappedValue = 1
        #expect(await consumer.take() == [1])
      }
      // The node is gone: there is nothing else.
      #expect(await consumer.rest() == [])
    }

    @Test func `an equal write is no element`() async {  // NO02
      let node = Stored(0)
      let consumer = Consumer(node.values)
      #expect(await consumer.take() == [0])
      for (value, elements) in [(1, [1]), (2, [2]), (2, [])] {
        node.wrappedValue = value
        #expect(await consumer.take() == elements)
      }
      await consumer.cancel()
    }

    struct Point: Equatable {
      var x = 0
      var y = 0
    }

    @Test func `an equal struct is no element`() async {  // NO03
      let node = Stored(Point())
      let consumer = Consumer(node.values)
      #expect(await consumer.take() == [Point()])
      for (x, elements) in [(1, [Point(x: 1)]), (2, [Point(x: 2)]), (2, [])] {
        node.wrappedValue.x = x
        #expect(await consumer.take() == elements)
      }
      await consumer.cancel()
    }

    @Test func `two consumers get the same`() async {  // NO04
      let node = Stored(0)
      let consumers = [Consumer(node.values), Consumer(node.values)]
      for consumer in consumers { #expect(await consumer.take() == [0]) }
      for (value, elements) in [(1, [1]), (2, [2]), (2, [])] {
        node.wrappedValue = value
        for consumer in consumers { #expect(await consumer.take() == elements) }
      }
      for consumer in consumers { await consumer.cancel() }
    }

    struct Opaque {
      var content = 0
    }

    @Test func `every write of a value that cannot be compared is an element`() async {  // NO05
      let node = Stored(Opaque())
      let consumer = Consumer(node.values)
      #expect(await consumer.take().map(\.content) == [0])
      for _ in 1...2 {
        node.wrappedValue.content = 1
        #expect(await consumer.take().map(\.content) == [1])
      }
      await consumer.cancel()
    }

    final class Reference: Sendable {}

    @Test func `the same object is no element`() async {  // NO06
      let first = Reference()
      let second = Reference()
      let node = Stored(first)
      let consumer = Consumer(node.values)
      #expect(await consumer.take().first === first)
      node.wrappedValue = second
      #expect(await consumer.take().first === second)
      node.wrappedValue = second
      #expect(await consumer.take().isEmpty)
      await consumer.cancel()
    }

    final class Token: Equatable, Sendable {
      let number: Int
      init(_ number: Int) { self.number = number }
      static func == (left: Token, right: Token) -> Bool { left.number == right.number }
    }

    @Test func `for an equatable class the value counts and not the object`() async {
      // NO07, F22
      let node = Stored(Token(1))
      let consumer = Consumer(node.values)
      #expect(await consumer.take().map(\.number) == [1])
      node.wrappedValue = Token(1)
      #expect(await consumer.take().isEmpty)
      node.wrappedValue = Token(2)
      #expect(await consumer.take().map(\.number) == [2])
      await consumer.cancel()
    }

    @Test func `an expression over two nodes`() async {  // GT01
      let first = Stored("John")
      let last = Stored("Doe")
      let consumer = Consumer(
        GraphTrackings { first.wrappedValue + " " + last.wrappedValue })
      #expect(await consumer.take() == ["John Doe"])
      first.wrappedValue = "Jane"
      #expect(await consumer.take() == ["Jane Doe"])
      last.wrappedValue = "Smith"
      #expect(await consumer.take() == ["Jane Smith"])
      await consumer.cancel()
    }

    @Test func `the first element is the current value`() async {  // GT02
      let node = Stored(42)
      var elements: [Int] = []
      for await element in GraphTrackings({ node.wrappedValue }) {
        elements.append(element)
        break
      }
      #expect(elements == [42])
    }

    @Test func `an expression tracks what it reads`() async {  // GT03
      let useA = Stored(true)
      let a = Stored("A")
      let b = Stored("B")
      let consumer = Consumer(
        GraphTrackings { useA.wrappedValue ? a.wrappedValue : b.wrappedValue })
      #expect(await consumer.take() == ["A"])
      b.wrappedValue = "B2"
      #expect(await consumer.take() == [])
      useA.wrappedValue = false
      #expect(await consumer.take() == ["B2"])
      b.wrappedValue = "B3"
      #expect(await consumer.take() == ["B3"])
      a.wrappedValue = "A2"
      #expect(await consumer.take() == [])
      await consumer.cancel()
    }

    @Test func `a cancelled loop ends and gets nothing more`() async {  // GT04
      let log = Log()
      let node = Stored(0)
      let consumer = Consumer(
        GraphTrackings {
          log.record("e")
          return node.wrappedValue
        })
      #expect(await consumer.take() == [0])
      node.wrappedValue = 1
      #expect(await consumer.take() == [1])
      await consumer.cancel()
      #expect(consumer.hasEnded)
      node.wrappedValue = 2
      #expect(await consumer.take() == [])
      #expect(log.take() == ["e", "e"])
    }

    @Test func `an expression says when it is finished`() async {  // GT05, F17
      let log = Log()
      let node = Stored(0)
      let counter = Stored(0)
      let consumer = Consumer(
        GraphTrackings<Int, Never>.untilFinished {
          log.record("e")
          counter.wrappedValue += 1
          return counter.wrappedValue > 3 ? .finish : .next(node.wrappedValue)
        })
      #expect(await consumer.take() == [0])
      node.wrappedValue = 10
      #expect(await consumer.take() == [10])
      node.wrappedValue = 20
      #expect(await consumer.take() == [20])
      // What it finished with did not read the node, so its own write is all there could be.
      node.wrappedValue = 30
      #expect(await consumer.rest() == [])
      #expect(log.take() == ["e", "e", "e", "e"])
      #expect(counter.wrappedValue == 4)
    }

    @Test func `a node that is not read is no concern`() async {  // GT06
      let x = Stored(1)
      let y = Stored(2)
      let z = Stored(3)
      let consumer = Consumer(GraphTrackings { x.wrappedValue + y.wrappedValue })
      #expect(await consumer.take() == [3])
      x.wrappedValue = 5
      #expect(await consumer.take() == [7])
      z.wrappedValue = 30
      #expect(await consumer.take() == [])
      y.wrappedValue = 10
      #expect(await consumer.take() == [15])
      await consumer.cancel()
    }

    @Test func `an equal sum is no element`() async {  // TE07
      let log = Log()
      let a = Stored(5)
      let b = Stored(5)
      let sum = log.computed("sum") { a.wrappedValue + b.wrappedValue }
      let consumer = Consumer(sum.values)
      #expect(await consumer.take() == [10])
      for (left, right) in [(6, 4), (7, 3)] {
        withGraphTransaction {
          a.wrappedValue = left
          b.wrappedValue = right
        }
        #expect(await consumer.take() == [])
      }
      a.wrappedValue = 8
      #expect(await consumer.take() == [11])
      #expect(log.take() == ["sum", "sum", "sum", "sum"])
      await consumer.cancel()
    }

    @Test func `two reads of a node are one element`() async {  // TE10
      let node = Stored(1)
      let consumer = Consumer(GraphTrackings { node.wrappedValue + node.wrappedValue })
      #expect(await consumer.take() == [2])
      node.wrappedValue = 2
      #expect(await consumer.take() == [4])
      await consumer.cancel()
    }

    @Test func `a model in a model is followed`() async {  // TE11
      let model = Stored<Stored<Int>?>(Stored(1))
      let consumer = Consumer(GraphTrackings { model.wrappedValue?.wrappedValue })
      #expect(await consumer.take() == [1])
      model.wrappedValue?.wrappedValue = 2
      #expect(await consumer.take() == [2])
      model.wrappedValue = nil
      #expect(await consumer.take() == [nil])
      await consumer.cancel()
    }

    @Test func `an expression that replaces a model and reads the new one`() async {  // TE12
      let log = Log()
      let counter = Stored(1)
      let model = Stored(Stored(0))
      let consumer = Consumer(
        GraphTrackings {
          log.record("e")
          model.wrappedValue = Stored(counter.wrappedValue * 10)
          return model.wrappedValue.wrappedValue
        })
      #expect(await consumer.take() == [10])
      for value in 2...4 {
        counter.wrappedValue = value
        #expect(await consumer.take() == [value * 10])
      }
      #expect(log.take() == ["e", "e", "e", "e"])
      model.wrappedValue.wrappedValue = 0
      #expect(await consumer.take() == [40])
      await consumer.cancel()
    }

    @Test func `a stream over a counter`() async {  // TE13, TE14
      let counter = Stored(0)
      let consumer = Consumer(GraphTrackings { _ = counter.wrappedValue })
      #expect(await consumer.take().count == 1)
      for value in 1...3 {
        counter.wrappedValue = value
        #expect(await consumer.take().count == 1)
        #expect(counter.wrappedValue == value)
      }
      await consumer.cancel()
    }

    @Test func `two iterators of one sequence are independent`() async {  // TE16
      // The seed shares the elements out. DESIGN 5: each loop has its own iterator.
      let counter = Stored(0)
      let sequence = GraphTrackings { counter.wrappedValue }
      let consumers = [Consumer(sequence), Consumer(sequence)]
      for consumer in consumers { #expect(await consumer.take() == [0]) }
      for value in 1...2 {
        counter.wrappedValue = value
        for consumer in consumers { #expect(await consumer.take() == [value]) }
      }
      for consumer in consumers { await consumer.cancel() }
    }
  }
}
