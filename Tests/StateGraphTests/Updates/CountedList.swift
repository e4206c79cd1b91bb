import StateGraph
import Synchronization

/// A list that copies on write like an array, and counts the copies.
struct CountedList: Sendable, Equatable {
  final class Count: Sendable {
    private let copies = Atomic(0)

    var value: Int { copies.load(ordering: .sequentiallyConsistent) }

    func add() {
      copies.add(1, ordering: .sequentiallyConsistent)
    }
  }

  // SAFETY: Changed only while the list is its single owner.
  private final class Storage: @unchecked Sendable {
    var elements: [Int]

    init(_ elements: [Int]) {
      self.elements = elements
    }
  }

  private var storage: Storage
  private let copies: Count

  init(_ elements: [Int] = Array(0..<100), copies: Count) {
    storage = Storage(elements)
    self.copies = copies
  }

  var elements: [Int] { storage.elements }
  var count: Int { storage.elements.count }

  mutating func append(_ element: Int) {
    if !isKnownUniquelyReferenced(&storage) {
      copies.add()
      storage = Storage(storage.elements)
    }
    storage.elements.append(element)
  }

  static func == (left: CountedList, right: CountedList) -> Bool {
    left.elements == right.elements
  }
}

/// A node that can be written, of either kind.
protocol WritableNode<Value>: GraphNode {
  @GraphActor var wrappedValue: Value { get set }
  func set(_ newValue: Value) async
  func update<R: Sendable, E: Error>(
    _ body: @GraphActor @Sendable (inout Value) throws(E) -> R
  ) async throws(E) -> R
  @GraphActor func update<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R
  @GraphActor func unsafeModify<R>(_ body: (inout Value) throws -> R) rethrows -> R
}

extension Stored: WritableNode {}
extension StoredInPlace: WritableNode {}
