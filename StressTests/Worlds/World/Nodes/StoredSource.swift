import StateGraph
import StateGraphTesting

/// A stored node of a world, as something that can be written.
protocol Writable: Source {
  /// Assigns a number; a commit, or staged.
  @GraphActor func assign(_ number: Int)
  /// Assigns a number, from any isolation.
  func set(_ number: Int) async
  /// Assigns a number by `update`.
  func update(_ change: @escaping @Sendable (Int) -> Int) async -> Int
  /// Changes the value by an `update` that throws, in a transaction.
  @GraphActor func failToUpdate(to number: Int)
  /// Modifies the value in place, to the same number.
  @GraphActor func touch()
  /// Assigns a number, with something that is released with the value, if it is an object.
  @GraphActor func assign(_ number: Int, last: any Sendable)
  /// Sets the handler of assignments.
  @GraphActor func observe(_ handler: (@GraphActor (_ new: Int) -> Void)?)
}

/// A stored node of a world.
final class StoredSource<Coding: NumberCoding>: Writable {
  let name: String
  let ceiling: Int
  let grows: Bool
  var reachesComparison: Bool { Coding.comparesItself }
  let node: Stored<Coding.Value>
  private let token = Census.alive.token()

  init(_ number: Int, name: String, rank: Int, grows: Bool = false) {
    self.name = name
    ceiling = rank
    self.grows = grows
    node = Coding.makeStored(number, name: name)
  }

  var number: Int { decode(Coding.self, node.wrappedValue, name) }

  /// What the node holds, or would hold if the transaction that is open were committed now.
  var expected: Int {
    let number = number
    guard GraphTransaction.current != nil else { return number }
    return Coding.outcome(of: number, over: decode(Coding.self, node.committedValue, name))
  }

  func isSame(_ told: Int, _ number: Int) -> Bool {
    Coding.outcome(of: number, over: told) == told
  }

  func currentNumber() async -> Int { decode(Coding.self, await node.value, name) }
  var committedNumber: Int? { decode(Coding.self, node.committedValue, name) }

  func assign(_ number: Int) { node.wrappedValue = Coding.value(for: number) }
  func set(_ number: Int) async { await node.set(Coding.value(for: number)) }

  func update(_ change: @escaping @Sendable (Int) -> Int) async -> Int {
    await node.update { [name] value in
      let new = change(decode(Coding.self, value, name))
      Coding.change(&value, to: new)
      return new
    }
  }

  func failToUpdate(to number: Int) {
    do {
      try node.update { value throws(WorldFailure) in
        Coding.change(&value, to: number)
        throw WorldFailure(number: number)
      }
    } catch {
      return
    }
    report("transactions", "an update of \(name) that throws has returned")
  }

  func touch() {
    node.unsafeModify { [name] value in
      Coding.change(&value, to: decode(Coding.self, value, name))
    }
  }

  func assign(_ number: Int, last: any Sendable) {
    let value: Any = WorldObject(number, last: last)
    node.wrappedValue = value as? Coding.Value ?? Coding.value(for: number)
  }

  func observe(_ handler: (@GraphActor (_ new: Int) -> Void)?) {
    guard let handler else { return node.onDidSet(nil) }
    node.onDidSet { [name] _, new in handler(decode(Coding.self, new, name)) }
  }

  static func follow(
    _ source: consuming StoredSource, _ buffering: GraphBuffering,
    _ body: @Sendable (NumberChange) async -> Bool
  ) async {
    let changes = source.node.changes(buffering: buffering)
    let name = source.name
    _ = consume source
    await followChanges(Coding.self, changes, name, body)
  }

  func begin() async -> (first: Int?, next: @Sendable () async -> Int?) {
    let stream = BegunStream(node.changes(buffering: .latest))
    let next: @Sendable () async -> Int? = { [name] in
      await stream.next().map { decode(Coding.self, $0.value, name) }
    }
    return (await next(), next)
  }

  static func followValues(
    _ source: consuming StoredSource, _ body: @Sendable (_ number: Int) async -> Bool
  ) async {
    let values = source.node.values
    let name = source.name
    _ = consume source
    for await value in values {
      if await !body(decode(Coding.self, value, name)) { return }
    }
  }
}
