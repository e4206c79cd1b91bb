import StateGraph
import Testing

/// A node at the top level of a file.
private let topLevelCount = Stored(0)
/// A node at the top level of a file.
private let topLevelText = Stored("first")

extension Conformance {
  /// Values of models: properties, nodes in nodes, static and top-level nodes.
  ///
  /// Left out: user defaults, `weak` and `unowned` fields in a macro (SY), values that are not
  /// Sendable (SM01: `Stored` requires it).
  @GraphActor @Suite struct SeedValues {
    @Test func `a sum follows`() {  // TE01
      let a = Stored(10)
      let b = Stored(20)
      let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
      #expect(sum.wrappedValue == 30)
      a.wrappedValue = 40
      #expect(sum.wrappedValue == 60)
    }

    @Test func `nodes can be read from the end`() {  // TE02
      let log = Log()
      let a = Stored(10)
      let b = Stored(20)
      let c = log.computed("c") { a.wrappedValue + b.wrappedValue }
      let d = log.computed("d") { c.wrappedValue * 2 }
      let e = log.computed("e") { a.wrappedValue * 2 }
      #expect(d.wrappedValue == 60)
      #expect(e.wrappedValue == 20)
      #expect(log.take() == ["d", "c", "e"])
    }

    @Test func `a node can be the value of a node`() {  // TE03
      let a = Stored(10)
      let low = Stored(1)
      let high = Stored(2)
      let chosen = Computed { _ in a.wrappedValue > 10 ? high : low }
      let value = Computed { _ in chosen.wrappedValue.wrappedValue }
      #expect(chosen.wrappedValue === low)
      #expect(value.wrappedValue == 1)
      a.wrappedValue = 20
      #expect(chosen.wrappedValue === high)
      #expect(value.wrappedValue == 2)
      high.wrappedValue = 3
      #expect(value.wrappedValue == 3)
    }

    @Test func `an array of nodes is appended to in place`() {  // TE04
      let log = Log()
      let items = Stored((0..<10).map { Stored($0, name: "item \($0)") })
      let filtered = log.computed("filtered") {
        items.wrappedValue.filter { $0.id.description.hasPrefix("item") }.count
      }
      #expect(filtered.wrappedValue == 10)
      items.wrappedValue.append(Stored(10, name: "item 10"))
      #expect(filtered.wrappedValue == 11)
      items.wrappedValue.append(Stored(11, name: "other"))
      #expect(filtered.wrappedValue == 11)
      #expect(log.take() == ["filtered", "filtered", "filtered"])
    }

    @GraphActor final class Author {
      @GraphStored var name: String
      init(name: String) { self.name = name }
    }

    @GraphActor final class Book {
      @GraphStored var author: Author
      init(author: Author) { self.author = author }
    }

    @GraphActor final class Library {
      @GraphStored var books: [Book] = []
      @GraphComputed var annsBooks: [Book]
      init() {
        $annsBooks = .init { [$books] _ in $books.wrappedValue.filter { $0.author.name == "Ann" } }
      }
    }

    @Test func `a filter over models follows`() {  // TE05
      let library = Library()
      let ann = Author(name: "Ann")
      let bob = Author(name: "Bob")
      library.books.append(Book(author: ann))
      library.books.append(Book(author: bob))
      #expect([library.books.count, library.annsBooks.count] == [2, 1])
      library.books.append(Book(author: ann))
      #expect([library.books.count, library.annsBooks.count] == [3, 2])
      library.books.append(Book(author: ann))
      #expect([library.books.count, library.annsBooks.count] == [4, 3])
      bob.name = "Ann"
      #expect(library.annsBooks.count == 4)
    }

    @Test func `a node at the top level`() {  // TL01, F08
      topLevelCount.wrappedValue = 100
      #expect(topLevelCount.wrappedValue == 100)
      topLevelCount.wrappedValue = 200
      #expect(topLevelCount.wrappedValue == 200)
    }

    @Test func `a stream of a node at the top level`() async {  // TL02
      let consumer = Consumer(topLevelText.values)
      #expect(await consumer.take() == ["first"])
      topLevelText.wrappedValue = "second"
      #expect(await consumer.take() == ["second"])
      await consumer.cancel()
    }

    @GraphActor final class Settings {
      @GraphStored static var shared = 0
      @GraphStored static var observed = 0
      @GraphStored var own = 0
    }

    @Test func `a static property beside one of the instance`() {  // ST01, F08
      let settings = Settings()
      Settings.shared = 1
      settings.own = 2
      #expect([Settings.shared, settings.own] == [1, 2])
    }

    @Test func `a stream of a static property`() async {  // ST02
      let consumer = Consumer(Settings.$observed.values)
      #expect(await consumer.take() == [0])
      Settings.observed = 10
      #expect(await consumer.take() == [10])
      Settings.observed = 42
      #expect(await consumer.take() == [42])
      await consumer.cancel()
    }

    @GraphActor final class Optionals {
      @GraphStored var name: String?
      @GraphStored var count: Int? = nil
      @GraphStored private(set) var isReady = false
      private let id: Int

      init(name: String, id: Int) {
        self.id = id
        self.name = name
        isReady = true
      }

      init(id: Int, late name: String) {
        self.id = id
        self.name = name
        count = id
      }
    }

    @Test func `an optional property needs no first value`() {  // MI01, SY, F06, F07
      let first = Optionals(name: "first", id: 1)
      #expect(first.name == "first")
      #expect(first.count == nil)
      #expect(first.isReady)
      let second = Optionals(id: 2, late: "second")
      #expect(second.name == "second")
      #expect(second.count == 2)
      second.name = nil
      #expect(second.name == nil)
    }

    @GraphActor final class AnyOrder {
      @GraphStored var name: String?
      // The property is here because it is of this kind.
      // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
      @GraphStored var unwrapped: Int!
      private let id: Int

      init(name: String, id: Int) {
        self.name = name
        unwrapped = id
        self.id = id
      }
    }

    @Test func `properties can be assigned in any order`() {  // MI01, F06, F07
      let log = Log()
      let model = AnyOrder(name: "first", id: 1)
      let c = log.computedValues("c") { "\(model.name ?? "") \(model.unwrapped ?? 0)" }
      #expect(c.wrappedValue == "first 1")
      model.name = nil
      model.unwrapped = 2
      #expect(c.wrappedValue == " 2")
      #expect(log.take() == ["c first 1", "c  2"])
    }

    final class Token: Equatable, Sendable {
      let number: Int
      init(_ number: Int) { self.number = number }
      static func == (left: Token, right: Token) -> Bool { left.number == right.number }
    }

    /// Knows nothing of the type but that it can be compared.
    private func derived<Value: Equatable & Sendable>(
      from source: Stored<Value>, log: Log, _ next: @escaping @Sendable (Value) -> Value
    ) -> Computed<Value> {
      Computed { _ in
        log.record("derived")
        return next(source.wrappedValue)
      }
    }

    @Test func `an equatable class in generic code`() {  // SM01, F28
      let log = Log()
      let source = Stored(Token(1))
      let derived = derived(from: source, log: log) { Token($0.number + 1) }
      #expect(derived.wrappedValue.number == 2)
      source.wrappedValue = Token(1)
      #expect(derived.wrappedValue.number == 2)
      #expect(log.take() == ["derived"])
      source.wrappedValue = Token(2)
      #expect(derived.wrappedValue.number == 3)
      #expect(log.take() == ["derived"])
    }
  }
}
