import StateGraph

/// A stored node that every commit that concerns it increases by one.
final class Counter: Sendable {
  let source: any Writable
  /// How many increments have returned.
  let increments = Tally()
  /// What does not change with what is written.
  let plateau: Plateau
  /// The number again; several, so that a commit takes a while to mark them all.
  let echoes: [Computed<Int>]

  init(_ coding: Int, name: String) {
    let source = CounterCodings.make(coding, name: name)
    self.source = source
    echoes = (0..<8).map { place in
      Computed(name: "\(name).echo\(place)") { _ in source.number }
    }
    plateau = Plateau(name: name)
  }

  /// Adds one in a commit, and verifies that whoever reads later sees it.
  func increment(_ way: WorldStep.Way) async {
    let reached: Int
    switch way {
    case .alone:
      reached = await source.update { $0 + 1 }
    case .transaction:
      reached = await withGraphTransaction {
        source.assign(source.number + 1)
        return source.number
      }
    case .asyncTransaction:
      let result = try? await withGraphTransaction(maximumAttempts: 100_000) {
        let next = await source.currentNumber() + 1
        await Task.yield()
        source.assign(next)
        return next
      }
      guard let result else { return }
      reached = result
    }
    increments.add()
    await expect(atLeast: reached)
    await plateau.step()
  }

  /// Verifies that reads of all kinds see an increment that has returned.
  private func expect(atLeast reached: Int) async {
    let committed = source.committedNumber ?? 0
    require(committed >= reached, "real time", "\(source.name): \(committed) after \(reached)")
    let value = await source.currentNumber()
    require(value >= committed, "real time", "\(source.name): \(value) after \(committed)")
    let number = await GraphActor.run { source.number }
    require(number >= value, "real time", "\(source.name): \(number) after \(value)")
  }
}

/// A computed node that stays the same whatever is written, and what reads it, which never runs
/// again.
final class Plateau: Sendable {
  private let even: Stored<Int>
  private let parity: Computed<Int>
  private let object: Computed<WorldObject>
  private let reader: Computed<Int>
  private let first = Locked<WorldObject?>(nil)

  init(name: String) {
    let even = Stored(0, name: "\(name).even")
    let parity = Computed(name: "\(name).parity") { _ in even.wrappedValue % 2 }
    let object = Computed(
      name: "\(name).object",
      isEqual: { (old: WorldObject, new: WorldObject) in
        old.number == new.number
      },
      { _ in WorldObject(even.wrappedValue % 2) })
    self.even = even
    self.parity = parity
    self.object = object
    let runs = Tally()
    reader = Computed(name: "\(name).reader") { _ in
      let sum = parity.wrappedValue + object.wrappedValue.number
      if GraphTransaction.current == nil {
        require(runs.add() == 1, "runs", "\(name).reader ran although nothing it reads changed")
      }
      return sum
    }
  }

  /// Writes, and verifies that what stays the same is the same.
  func step() async {
    await GraphActor.run {
      even.wrappedValue += 2
      require(reader.wrappedValue == 0, "recomputation", "the reader of a plateau is not 0")
      let now = object.wrappedValue
      let before = first.with { first in
        if first == nil { first = now }
        return first
      }
      require(now === before, "cutoff", "an equal result has replaced the one before")
    }
  }
}
