import StateGraph
import Testing

/// Misuse ends the process with a message that names the nodes, in release builds too.
@Suite struct MisuseTrapTests {
  /// Whether a process ended by writing a message.
  private func expect(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(message), sourceLocation: sourceLocation)
  }

  @Test func `a rule that reads its own node prints the cycle`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        loop.first = Computed(name: "a") { _ in loop.first?.wrappedValue ?? 0 }
        _ = loop.first?.wrappedValue
      }
    }
    expect("cycle: a -> a", in: result)
  }

  @Test func `a cycle of two prints the path`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        loop.first = Computed(name: "a") { _ in loop.second?.wrappedValue ?? 0 }
        loop.second = Computed(name: "b") { _ in loop.first?.wrappedValue ?? 0 }
        _ = loop.first?.wrappedValue
      }
    }
    expect("cycle: a -> b -> a", in: result)
  }

  @Test func `a cycle that a write closes prints the path`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        let isClosed = Stored(false, name: "isClosed")
        let gate = Computed(name: "gate") { _ in isClosed.wrappedValue }
        loop.first = Computed(name: "a") { _ in
          gate.wrappedValue ? loop.second?.wrappedValue ?? 0 : 1
        }
        loop.second = Computed(name: "b") { _ in (loop.first?.wrappedValue ?? 0) + 1 }
        _ = loop.second?.wrappedValue
        isClosed.wrappedValue = true
        _ = loop.second?.wrappedValue
      }
    }
    expect("cycle: b -> a -> b", in: result)
  }

  @Test func `a cycle by an untracked read is found`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        loop.first = Computed(name: "a") { context in
          context.withoutTracking { loop.first?.wrappedValue ?? 0 }
        }
        _ = loop.first?.wrappedValue
      }
    }
    expect("cycle: a -> a", in: result)
  }

  @Test func `a cycle of staged values prints the path`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        let isClosed = Stored(false, name: "isClosed")
        loop.first = Computed(name: "a") { _ in
          isClosed.wrappedValue ? loop.second?.wrappedValue ?? 0 : 1
        }
        loop.second = Computed(name: "b") { _ in (loop.first?.wrappedValue ?? 0) + 1 }
        _ = loop.second?.wrappedValue
        withGraphTransaction {
          isClosed.wrappedValue = true
          _ = loop.second?.wrappedValue
        }
      }
    }
    expect("cycle: b -> a -> b", in: result)
  }

  @Test func `a rule that writes is named with the node it writes`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let total = Computed(name: "total") { _ in
          count.wrappedValue = 1
          return 0
        }
        _ = total.wrappedValue
      }
    }
    expect("the rule of total writes count", in: result)
  }

  @Test func `an untracked write in a rule is one too`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let total = Computed(name: "total") { context in
          context.withoutTracking { count.wrappedValue = 1 }
          return 0
        }
        _ = total.wrappedValue
      }
    }
    expect("the rule of total writes count", in: result)
  }

  @Test func `a rule that writes while staged values are read is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let total = Computed(name: "total") { _ in
          count.wrappedValue = 1
          return 0
        }
        withGraphTransaction { _ = total.wrappedValue }
      }
    }
    expect("the rule of total writes count", in: result)
  }

  @Test func `a rule that opens a transaction is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let total = Computed(name: "total") { _ in withGraphTransaction { 1 } }
        _ = total.wrappedValue
      }
    }
    expect("the rule of total opens a transaction", in: result)
  }

  @Test func `a rule that updates is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let total = Computed(name: "total") { _ in
          count.unsafeModify { $0 += 1 }
          return 0
        }
        _ = total.wrappedValue
      }
    }
    expect("the rule of total writes count", in: result)
  }

  @Test func `a comparison of stored values that writes is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let other = Stored(0, name: "other") { _, _ in
          count.wrappedValue += 1
          return false
        }
        other.wrappedValue = 1
      }
    }
    expect("the comparison of values of other writes count", in: result)
  }

  @Test func `a comparison at the end of a transaction that writes is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let other = Stored(0, name: "other") { _, _ in
          count.wrappedValue += 1
          return false
        }
        withGraphTransaction { other.wrappedValue = 1 }
      }
    }
    expect("the comparison of values of other writes count", in: result)
  }

  @Test func `a comparison of computed values that writes is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let source = Stored(0, name: "source")
        let count = Stored(0, name: "count")
        let isEqual: @GraphActor @Sendable (Int, Int) -> Bool = { _, _ in
          count.wrappedValue += 1
          return false
        }
        let total = Computed(name: "total", isEqual: isEqual) { _ in source.wrappedValue }
        _ = total.wrappedValue
        source.wrappedValue = 1
        _ = total.wrappedValue
      }
    }
    expect("writes count", in: result)
  }

  @Test func `a comparison that opens a transaction is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let other = Stored(0, name: "other") { _, _ in withGraphTransaction { false } }
        other.wrappedValue = 1
      }
    }
    expect("the comparison of values of other opens a transaction", in: result)
  }

  @Test func `a write during an in-place modification is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let count = Stored(0, name: "count")
        let other = Stored(0, name: "other")
        other.unsafeModify { _ in count.wrappedValue = 1 }
      }
    }
    expect("count is written while other is modified in place", in: result)
  }

  @Test func `a write by the body of the node's own update is named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let count = Stored(0, name: "count")
      await count.update { value in
        count.wrappedValue = 5
        value += 1
      }
    }
    expect("count is written by the body of its own update", in: result)
  }

  @Test func `a condition that writes is named by its place`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let count = Stored(0, name: "count")
      try? await graphWait {
        count.wrappedValue += 1
        return false
      }
    }
    expect("the condition that is waited for at StateGraphTests/MisuseTrapTests.swift:", in: result)
    expect("writes count", in: result)
  }

  @Test func `a condition that writes when it is told of a commit is one too`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let count = Stored(0, name: "count")
      let other = Stored(0, name: "other")
      async let wait: Void = graphWait {
        if count.wrappedValue > 0 { other.wrappedValue = 1 }
        return false
      }
      while await GraphActor.run({ Graph.shared.edgeCount }) == 0 { await Task.yield() }
      await count.set(1)
      try? await wait
    }
    expect("writes other", in: result)
  }

  @Test func `a condition that writes after a comparison is one, too`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let count = Stored(0, name: "count")
      let other = Stored(0, name: "other")
      let compared = Computed(isEqual: { $0 == $1 }) { _ in count.wrappedValue }
      _ = await compared.value
      await count.set(1)
      try? await graphWait {
        if compared.wrappedValue > 0 { other.wrappedValue = 1 }
        return true
      }
    }
    expect("writes other", in: result)
  }

  @Test func `a condition that opens a transaction is named by its place`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try? await graphWait { withGraphTransaction { false } }
    }
    expect("opens a transaction", in: result)
  }

  @Test func `a transaction without an attempt is refused`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try? await withGraphTransaction(maximumAttempts: 0) { await Task.yield() }
    }
    expect("a transaction needs at least one attempt", in: result)
  }

  @Test func `a computed property without a node is named by its place`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let model = Unassigned()
        _ = model.total
      }
    }
    expect("the computed property at total is read before its node is assigned", in: result)
  }

  @Test func `a node without a name is named by its place`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        let loop = Loop()
        loop.first = Computed { _ in loop.first?.wrappedValue ?? 0 }
        _ = loop.first?.wrappedValue
      }
    }
    expect("cycle: StateGraphTests/MisuseTrapTests.swift:", in: result)
  }

  @Test func `a buffer without room is refused`() async {
    await #expect(processExitsWith: .failure) { _ = GraphBuffering.newest(0) }
    await #expect(processExitsWith: .failure) { _ = GraphBuffering.oldest(0) }
  }

  @Test func `a first evaluation that is too deep says so`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await GraphActor.run {
        var last = Computed(name: "end") { _ in 0 }
        for _ in 0..<1_000_000 {
          let before = last
          last = Computed(name: "end") { _ in before.wrappedValue + 1 }
        }
        _ = last.wrappedValue
      }
    }
    expect("the first evaluation of end nests deeper than the stack allows", in: result)
  }
}

/// Nodes that refer to each other.
@GraphActor private final class Loop {
  var first: Computed<Int>?
  var second: Computed<Int>?
}

/// A model that forgets to assign the node of a computed property.
@GraphActor private final class Unassigned {
  @GraphComputed(name: "total") var total: Int
}
