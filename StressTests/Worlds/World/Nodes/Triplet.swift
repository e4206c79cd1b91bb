import StateGraph

/// Three nodes that hold the same number after every commit, and what derives from them.
final class Triplet: Sendable {
  let number: StoredSource<IntegerCoding>
  let text: StoredSource<TextCoding>
  let list: StoredSource<LargeArrayCoding>
  /// Whether they belong together, from a rule of their own.
  let agreement: Computed<Bool>
  /// Whether they belong together, as an async rule sees it that reads one after the other.
  let asyncAgreement: AsyncComputed<Bool>
  private let name: String

  init(name: String) {
    self.name = name
    let number = StoredSource<IntegerCoding>(0, name: "\(name).number", rank: -1, grows: true)
    let text = StoredSource<TextCoding>(0, name: "\(name).text", rank: -1, grows: true)
    let list = StoredSource<LargeArrayCoding>(0, name: "\(name).list", rank: -1, grows: true)
    self.number = number
    self.text = text
    self.list = list
    agreement = Computed(name: "\(name).agreement") { _ in
      number.number == text.number && text.number == list.number
    }
    asyncAgreement = AsyncComputed(name: "\(name).asyncAgreement") {
      let first = await number.currentNumber()
      await Task.yield()
      let second = await text.currentNumber()
      return await list.currentNumber() == first && first == second
    }
  }

  subscript(part: Int) -> any Source {
    switch part {
    case 0: number
    case 1: text
    default: list
    }
  }

  /// Increases all three by one, in a transaction that is open.
  @GraphActor
  func step() {
    let value = text.number + 1
    if value.isMultiple(of: 2) {
      number.assign(value)
      text.assign(value)
      list.assign(value)
    } else {
      list.assign(value)
      text.assign(value)
      number.assign(value)
    }
  }

  /// Verifies in one step that they belong together.
  @GraphActor
  func verify(_ place: String) {
    let seen = [number.number, list.number, text.number]
    require(Set(seen).count == 1, "written together", "\(name) is \(seen) (\(place))")
    require(agreement.wrappedValue, "written together", "\(name).agreement is false (\(place))")
  }

  /// Verifies from another actor, in two visits that nothing else keeps together.
  @Elsewhere
  func verifyElsewhere() async {
    let first = await number.currentNumber()
    let second = await text.currentNumber()
    require(
      first == second, "written together",
      "\(name) is \(first) and \(second), from another actor in a transaction")
  }

  /// Verifies as a reader of some kind.
  func look(_ reader: WorldStep.Reader) async {
    switch reader {
    case .run: await GraphActor.run { verify("run") }
    case .transaction: await withGraphTransaction { verify("transaction") }
    case .asyncTransaction:
      try? await withGraphTransaction(maximumAttempts: 3) {
        verify("async transaction")
        await Task.yield()
        verify("async transaction, later")
      }
    case .snapshot:
      await withGraphSnapshot { [self] snapshot in
        expect(
          snapshot[list.node], snapshot[text.node], snapshot[number.node],
          snapshot[agreement], "snapshot")
      }
    case .values:
      let seen = await GraphSnapshot.values(of: number.node, text.node, list.node, agreement)
      expect(seen.2, seen.1, seen.0, seen.3, "values of a snapshot")
    case .committed: lookAtCommitted()
    case .value:
      guard let agrees = try? await asyncAgreement.value else { return }
      require(agrees, "written together", "\(name).asyncAgreement is false")
    }
  }

  /// Verifies from any thread that readers never go back.
  ///
  /// The nodes can be written between two reads, so that only the derived one is known.
  func lookAtCommitted() {
    _ = list.committedNumber
    _ = text.committedNumber
    require(
      agreement.committedValue != false, "written together", "\(name).agreement was committed false"
    )
  }

  private func expect(
    _ list: [Int], _ text: String, _ number: Int, _ agrees: Bool, _ place: String
  ) {
    let seen = [
      number, decode(LargeArrayCoding.self, list, name), decode(TextCoding.self, text, name),
    ]
    require(
      Set(seen).count == 1 && agrees, "written together", "\(name) is \(seen), \(agrees) (\(place))"
    )
  }
}
