import StateGraph
import StateGraphTesting
import Testing

/// Reads that do not enter the actor.
@Suite struct PublishedReadTests {
  // MARK: - Without the actor

  // In processes of their own: nobody else may need the actor meanwhile, and a release anywhere sends
  // readers of computed nodes to it.

  @Test func `a stored node is read while the actor is busy`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let plain = Stored(1)
      let written = Stored(1)
      let text = Stored("one")
      await written.set(2)
      await text.set("two")
      let wasInTime = await BusyActor.during {
        let values = (await plain.value, await written.value, await text.value)
        precondition(values == (1, 2, "two"))
        precondition(written.committedValue == 2)
        precondition(text.committedValue == "two")
      }
      precondition(wasInTime)
    }
  }

  @Test func `a computed node is read without the actor once it is published`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let count = Stored(1)
      let double = Computed { _ in count.wrappedValue * 2 }
      let constant = Computed(constant: "always")
      let wasInTime = await BusyActor.during(afterReading: double, constant) {
        for _ in 0..<100 {
          let value = await double.value
          precondition(value == 2)
        }
        precondition(double.committedValue == 2)
        let always = await constant.value
        precondition(always == "always")
      }
      precondition(wasInTime)
    }
  }

  @Test func `several published nodes are read at one version without the actor`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let name = Stored("a")
      let count = Stored(1)
      let double = Computed { _ in count.wrappedValue * 2 }
      let wasInTime = await BusyActor.during(afterReading: double) {
        let values = await GraphSnapshot.values(of: name, count, double)
        precondition(values == ("a", 1, 2))
      }
      precondition(wasInTime)
    }
  }

  @Test func `a read that needs the actor waits for it`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let count = Stored(1)
      let double = Computed { _ in count.wrappedValue * 2 }
      let order = EventLog<String>()
      let wasInTime = await BusyActor.during {
        Task { @MainActor in
          let value = await double.value
          precondition(value == 2)
          order.record("read")
        }
        for _ in 0..<10 { await Task.yield() }
        order.record("released")
      }
      precondition(wasInTime)
      try await order.wait { $0.count == 2 }
      precondition(order.events == ["released", "read"])
    }
  }

  // MARK: - What is read

  @Test func `a write that has returned is seen by every later read`() async {
    let count = Stored(0)
    let double = Computed { _ in count.wrappedValue * 2 }
    for round in 1...1_000 {
      await count.set(round)
      #expect(count.committedValue == round)
      #expect(await count.value == round)
      #expect(await GraphSnapshot.values(of: double, count) == (round * 2, round))
      #expect(await double.value == round * 2)
    }
  }

  @Test func `a constant has its committed value from the start`() async {
    let constant = Computed(constant: "always")
    #expect(constant.committedValue == "always")
    #expect(await constant.value == "always")
    #expect(await GraphSnapshot.values(of: constant, constant) == ("always", "always"))
  }

  @Test func `a computed node has no committed value until it has been computed`() async {
    let count = Stored(1)
    let double = Computed { _ in count.wrappedValue * 2 }
    #expect(double.committedValue == nil)
    #expect(await double.value == 2)
    #expect(double.committedValue == 2)
    await count.set(2)
    #expect(double.committedValue == nil)
    #expect(await double.value == 4)
    #expect(double.committedValue == 4)
  }

  @Test func `a computed node that is asked for its committed value publishes every result`() async
  {
    let count = Stored(1)
    let double = Computed { _ in count.wrappedValue * 2 }
    _ = double.committedValue
    await GraphActor.run { #expect(double.wrappedValue == 2) }
    #expect(double.committedValue == 2)
    await GraphActor.run {
      count.wrappedValue = 5
      #expect(double.committedValue == nil)
      #expect(double.wrappedValue == 10)
      #expect(double.committedValue == 10)
    }
  }

  @Test func `a result that is older than the first use is published soon after it`() async {
    let count = Stored(1)
    let double = Computed { _ in count.wrappedValue * 2 }
    await GraphActor.run { #expect(double.wrappedValue == 2) }
    while double.committedValue != 2 { await Task.yield() }
  }

  @Test func `a write that is cut off upstream takes the value away until it is checked`()
    async
  {
    let count = Stored(1)
    let isEven = Computed { _ in count.wrappedValue.isMultiple(of: 2) }
    let runs = EventLog<Bool>()
    let label = Computed { _ in
      runs.record(isEven.wrappedValue)
      return isEven.wrappedValue ? "even" : "odd"
    }
    #expect(await label.value == "odd")
    await count.set(3)
    #expect(label.committedValue == nil)
    #expect(await label.value == "odd")
    #expect(label.committedValue == "odd")
    #expect(runs.events == [false])
  }

  @Test func `the release of a dependency takes the published value away`() async {
    let count = Stored(1)
    weak var weakDouble: Computed<Int>?
    var double: Computed<Int>? = Computed { _ in count.wrappedValue * 2 }
    weakDouble = double
    let sum = Computed { [weak weakDouble] _ in (weakDouble?.wrappedValue ?? -1) + 1 }
    #expect(await sum.value == 3)
    double = nil
    await GraphActor.settle()
    #expect(sum.committedValue == nil)
    #expect(await sum.value == 0)
  }

  // MARK: - Views of their own

  @Test func `in a transaction a read sees the transaction, and the committed value does not`()
    async throws
  {
    let count = Stored(1)
    let double = Computed { _ in count.wrappedValue * 2 }
    _ = await double.value
    try await withGraphTransaction {
      count.wrappedValue = 5
      #expect(await count.value == 5)
      #expect(await double.value == 10)
      #expect(await GraphSnapshot.values(of: count, double) == (5, 10))
      #expect(count.committedValue == 1)
      #expect(double.committedValue == 2)
      await withGraphSnapshot {
        #expect($0[count] == 5)
        #expect($0[double] == 10)
      }
    }
    #expect(count.committedValue == 5)
  }

  @Test func `a task that outlives its transaction reads what is committed`() async throws {
    let count = Stored(1)
    let gate = Gate("in the transaction")
    let late = try await withGraphTransaction {
      count.wrappedValue = 2
      await Task.yield()
      return Task {
        try await gate.pass()
        return await count.value
      }
    }
    await count.set(3)
    gate.open()
    #expect(try await late.value == 3)
  }

  @Test func `an async rule depends on what it reads, published or not`() async throws {
    let count = Stored(1)
    let double = Computed { _ in count.wrappedValue * 2 }
    _ = await double.value
    let sum = AsyncComputed { await double.value + count.value }
    #expect(try await sum.value == 3)
    await count.set(2)
    #expect(try await sum.value == 6)
    let both = AsyncComputed { await withGraphSnapshot { $0[count] + $0[double] } }
    #expect(try await both.value == 6)
    await count.set(3)
    #expect(try await both.value == 9)
  }
}
