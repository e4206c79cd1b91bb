import StateGraph
import StateGraphTesting
import Testing

/// Random programs of updates, against plain arrays: both kinds of stored nodes.
@Suite struct UpdateModelTests {
  private struct Refused: Error {}

  /// What is done to one node.
  private enum Change: Sendable {
    case set([Int]), append(Int), removeLast, nothing
    case appendAndThrow(Int)

    static func random(_ random: inout SeededGenerator) -> Change {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: .set(Array(0..<Int.random(in: 0..<400, using: &random)))
      case 1, 2, 3: .append(Int.random(in: 0..<100, using: &random))
      case 4, 5: .removeLast
      case 6: .nothing
      default: .appendAndThrow(Int.random(in: 0..<100, using: &random))
      }
    }

    func apply(_ value: inout [Int]) throws(Refused) {
      switch self {
      case .set(let new): value = new
      case .append(let number): value.append(number)
      case .removeLast: if !value.isEmpty { value.removeLast() }
      case .nothing: break
      case .appendAndThrow(let number):
        value.append(number)
        throw Refused()
      }
    }
  }

  /// A node of either kind.
  private struct Node: Sendable {
    let isInPlace: Bool
    let read: @Sendable () async -> [Int]
    let current: @GraphActor @Sendable () -> [Int]
    let change: @Sendable (Change) async -> Void
    let changeOnActor: @GraphActor @Sendable (Change) -> Void
    let changes: GraphChanges<[Int]>

    init(_ node: some WritableNode<[Int]>) {
      isInPlace = node is StoredInPlace<[Int]>
      read = { await node.value }
      current = { node.wrappedValue }
      change = { change in
        switch change {
        case .set(let new): await node.set(new)
        case .appendAndThrow:
          try? await node.update { (value) throws(Refused) in try change.apply(&value) }
        default: await node.update { try? change.apply(&$0) }
        }
      }
      changeOnActor = { change in
        switch change {
        case .set(let new): node.wrappedValue = new
        case .appendAndThrow:
          try? node.update { (value) throws(Refused) in try change.apply(&value) }
        case .append(let number): node.wrappedValue.append(number)
        default: node.update { try? change.apply(&$0) }
        }
      }
      changes = node.changes(buffering: .unbounded)
    }
  }

  /// What a node has to be, and what its stream has to deliver.
  private struct Model {
    let isInPlace: Bool
    var value: [Int]
    var deliveries: [[Int]]
    var staged: [Int]?

    init(_ node: Node, _ value: [Int]) {
      isInPlace = node.isInPlace
      self.value = value
      deliveries = [value]
    }

    /// The outcome of a change, and whether anything was assigned.
    private func changed(_ value: [Int], by change: Change) -> [Int]? {
      var new = value
      do {
        try change.apply(&new)
        return new
      } catch {
        return isInPlace ? new : nil
      }
    }

    mutating func stage(_ change: Change) {
      staged = changed(staged ?? value, by: change) ?? staged
    }

    mutating func commit() {
      if let staged, isInPlace || staged != value {
        value = staged
        deliveries.append(staged)
      }
      staged = nil
    }
  }

  @Test(arguments: 0..<60)
  func `random updates come to what plain arrays come to`(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let size = [0, 1, 255, 300][seed % 4]
    let first = Array(0..<size)
    let nodes = [
      Node(Stored(first)), Node(StoredInPlace(first)), Node(Stored(first)),
      Node(StoredInPlace(first)),
    ]
    let sum = Computed { _ in nodes.reduce(0) { $0 + $1.current().count } }
    var models = nodes.map { Model($0, first) }
    var streams = nodes.map { $0.changes.makeAsyncIterator() }
    for (place, model) in models.enumerated() {
      #expect(await streams[place].next(isolation: nil)?.value == model.value)
    }
    for _ in 0..<40 {
      let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (Int.random(in: 0..<nodes.count, using: &random), Change.random(&random))
      }
      for (place, change) in steps { models[place].stage(change) }
      let isRefused = Int.random(in: 0..<4, using: &random) == 0
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let (place, change) = steps[0]
        for place in models.indices { models[place].staged = nil }
        models[place].stage(change)
        models[place].commit()
        await nodes[place].change(change)
      case 1:
        let (place, change) = steps[0]
        for place in models.indices { models[place].staged = nil }
        models[place].stage(change)
        models[place].commit()
        await GraphActor.run { nodes[place].changeOnActor(change) }
      case 2:
        let staged = models.map { $0.staged ?? $0.value }
        try? await withGraphTransaction { () throws in
          for (place, change) in steps { nodes[place].changeOnActor(change) }
          #expect(nodes.map { $0.current() } == staged)
          #expect(sum.wrappedValue == staged.reduce(0) { $0 + $1.count })
          if isRefused { throw Refused() }
        }
        Self.end(&models, isRefused)
      default:
        let staged = models.map { $0.staged ?? $0.value }
        try? await withGraphTransaction {
          for (place, change) in steps { await nodes[place].change(change) }
          #expect(nodes.map { $0.current() } == staged)
          #expect(sum.wrappedValue == staged.reduce(0) { $0 + $1.count })
          await Task.yield()
          if isRefused { throw Refused() }
        }
        Self.end(&models, isRefused)
      }
      for (node, model) in zip(nodes, models) { #expect(await node.read() == model.value) }
      #expect(await sum.value == models.reduce(0) { $0 + $1.value.count })
      let snapshot = await withGraphSnapshot { $0[sum] }
      #expect(snapshot == models.reduce(0) { $0 + $1.value.count })
    }
    for (place, model) in models.enumerated() {
      for value in model.deliveries.dropFirst() {
        #expect(await streams[place].next(isolation: nil)?.value == value)
      }
      // Nothing else has been delivered: the next element is the next commit.
      await nodes[place].change(.set([-1]))
      #expect(await streams[place].next(isolation: nil)?.value == [-1])
    }
  }

  private static func end(_ models: inout [Model], _ isRefused: Bool) {
    for place in models.indices {
      if isRefused { models[place].staged = nil }
      models[place].commit()
    }
  }
}
