import StateGraph
import StateGraphTesting
import Testing

/// A body reads the graph as of the version at which its attempt began, also in an attempt that is
/// going to be discarded.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransactionSnapshotTests {
  /// Sets two nodes to the same value, in one commit of somebody else.
  private func setBoth(_ a: Stored<Int>, _ b: Stored<Int>, to value: Int) async {
    await outside {
      await withGraphTransaction {
        a.wrappedValue = value
        b.wrappedValue = value
      }
    }
  }

  /// Runs a body once, in which others commit, and lets the conflict pass.
  private func once(_ body: @escaping @GraphActor @Sendable () async throws -> Void) async throws {
    do {
      try await withGraphTransaction(maximumAttempts: 1, body)
    } catch GraphTransactionError.conflict {}
  }

  @Test func `stored nodes`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    try await once {
      #expect(a.wrappedValue == 0)
      for value in 1...3 {
        await self.setBoth(a, b, to: value)
        #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
        #expect(await [a.value, b.value] == [0, 0])
      }
    }
    #expect(await b.value == 3)
    withExtendedLifetime(a) {}
  }

  @Test func `what was not read before others changed it`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    try await once {
      await self.setBoth(a, b, to: 1)
      #expect(sum.wrappedValue == 0)
      #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
    }
    #expect(await sum.value == 2)
  }

  @Test(arguments: ["cached", "stale", "never evaluated"])
  func `computed nodes`(state: String) async throws {
    let a = Stored(-1)
    let b = Stored(-1)
    let double = a.map { $0 * 2 }
    let sum = Computed { _ in double.wrappedValue + b.wrappedValue }
    if state != "never evaluated" { #expect(await sum.value == -3) }
    await setBoth(a, b, to: 0)
    if state == "cached" { #expect(await sum.value == 0) }
    try await once {
      if state == "cached" { #expect(double.wrappedValue == 0) }
      for value in 1...3 {
        await self.setBoth(a, b, to: value)
        #expect(sum.wrappedValue == 0)
        #expect(await outside { await sum.value } == 3 * value)
        #expect(sum.wrappedValue == 0)
        #expect(double.wrappedValue == 0)
        #expect(await sum.value == 0)
      }
    }
    #expect(await sum.value == 9)
  }

  @Test func `a stale value that others replace at the same version`() async {
    // In a process of its own: whatever else happens in the graph makes the transaction look again.
    await #expect(processExitsWith: .success) {
      let a = Stored(0)
      let double = a.map { $0 * 2 }
      let before = await double.value
      precondition(before == 0)
      try await withGraphTransaction {
        guard GraphTransaction.current?.attempt == 1 else { return }
        await outside { await a.set(1) }
        // Found out to be as in the cache, which is stale.
        precondition(double.wrappedValue == 0)
        let committed = await outside { await double.value }
        precondition(committed == 2)
        precondition(double.wrappedValue == 0, "the attempt sees two versions")
      }
    }
  }

  @Test func `computed nodes with own writes on top`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    try await once {
      a.wrappedValue = 100
      #expect(sum.wrappedValue == 100)
      await self.setBoth(a, b, to: 1)
      #expect(sum.wrappedValue == 100)
      #expect(await outside { await sum.value } == 2)
      #expect(sum.wrappedValue == 100)
      a.wrappedValue = 200
      #expect(sum.wrappedValue == 200)
    }
    #expect(await sum.value == 2)
  }

  @Test func `a written value that others have committed meanwhile`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
    #expect(await sum.value == 0)
    try await once {
      a.wrappedValue = 5
      #expect(sum.wrappedValue == 5)
      await self.setBoth(a, b, to: 5)
      #expect(await outside { await sum.value } == 10)
      #expect(sum.wrappedValue == 5)
    }
    #expect(await sum.value == 10)
  }

  @Test func `dynamic dependencies that others have run anew`() async throws {
    let flag = Stored(true)
    let a = Stored("a")
    let b = Stored("b")
    let chosen = Computed { _ in flag.wrappedValue ? a.wrappedValue : b.wrappedValue }
    let shown = chosen.map { "<\($0)>" }
    #expect(await shown.value == "<a>")
    try await once {
      await outside {
        await flag.set(false)
        await a.set("a2")
        await b.set("b2")
      }
      #expect(await outside { await shown.value } == "<b2>")
      #expect(shown.wrappedValue == "<a>")
      b.wrappedValue = "mine"
      #expect(shown.wrappedValue == "<a>")
      flag.wrappedValue = false
      #expect(shown.wrappedValue == "<mine>")
      #expect(await outside { await shown.value } == "<b2>")
      flag.wrappedValue = true
      #expect(shown.wrappedValue == "<a>")
    }
    #expect(await shown.value == "<b2>")
  }

  @Test func `two attempts at different versions`() async throws {
    let a = Stored(0)
    let b = Stored(0)
    let older = Gate("older")
    let younger = Gate("younger")
    async let first: Void = once {
      #expect(a.wrappedValue == 0)
      try await older.pass()
      #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
    }
    try await older.arrivals(1)
    await setBoth(a, b, to: 1)
    async let second: Void = once {
      #expect(a.wrappedValue == 1)
      try await younger.pass()
      #expect([a.wrappedValue, b.wrappedValue] == [1, 1])
    }
    try await younger.arrivals(1)
    for value in 2...4 { await setBoth(a, b, to: value) }
    // The older one needs what the younger one kept for both.
    younger.open()
    try await second
    older.open()
    try await first
    #expect(await [a.value, b.value] == [4, 4])
  }

  @Test func `a random graph under random commits`() async throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<60 {
      let sources = (0..<4).map { Stored($0) }
      let flags = (0..<2).map { _ in Stored(Bool.random(using: &generator)) }
      var derived: [Computed<Int>] = []
      for index in 0..<6 {
        let flag = flags[index % 2]
        let one = sources[Int.random(in: 0..<4, using: &generator)]
        let other = sources[Int.random(in: 0..<4, using: &generator)]
        let before = derived.randomElement(using: &generator)
        derived.append(
          Computed { _ in
            guard flag.wrappedValue else { return one.wrappedValue / 2 }
            return other.wrappedValue + (before?.wrappedValue ?? 0)
          })
      }
      let (all, seed) = (derived, UInt64.random(in: 0...1_000, using: &generator))
      for node in all where Bool.random(using: &generator) { _ = await node.value }
      try await once {
        var generator = SeededGenerator(seed: seed)
        // Before others commit, committed and staged values are the same.
        let expected = await GraphActor.run { all.map(\.wrappedValue) }
        for _ in 0..<8 {
          let (place, value) = (
            Int.random(in: 0..<4, using: &generator), Int.random(in: 0..<9, using: &generator)
          )
          let isTurned = Bool.random(using: &generator)
          let read = Int.random(in: 0..<6, using: &generator)
          await outside {
            await sources[place].set(value)
            if isTurned { await flags[place % 2].update { $0.toggle() } }
            _ = await all[read].value
          }
          let look = Int.random(in: 0..<6, using: &generator)
          #expect(all[look].wrappedValue == expected[look])
        }
        #expect(all.map(\.wrappedValue) == expected)
      }
    }
  }
}
