import StateGraph

/// A collection that is changed in place, and what derives from it.
final class Board: Sendable {
  private let list = StoredInPlace(LargeArrayCoding.value(for: 0), name: "board")
  private let first: Computed<Int>

  init() {
    first = Computed(name: "board.first") { [list] _ in list.wrappedValue.first ?? -1 }
  }

  /// Increases each element by one.
  func step() async {
    await list.update { list in
      for place in list.indices { list[place] += 1 }
    }
  }

  /// What all elements are.
  func currentNumber() async -> Int {
    decode(LargeArrayCoding.self, await list.value, "board")
  }

  /// What all elements are, which what derives from them says, too.
  @GraphActor
  func verifiedNumber() -> Int {
    let number = decode(LargeArrayCoding.self, list.wrappedValue, "board")
    let derived = first.wrappedValue
    require(derived == number, "recomputation", "board.first is \(derived), not \(number)")
    return number
  }
}
