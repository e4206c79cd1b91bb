import StateGraph
import StateGraphTesting
import Testing

/// Each anomaly that a transaction must not show, by its name, with the interleaving that shows it.
///
/// The names are those of the literature (A. Adya, "Weak Consistency", 1999; H. Berenson et al., "A Critique of ANSI SQL
/// Isolation Levels", 1995; A. Fekete et al., "A Read-Only Transaction Anomaly", 2004).
@Suite struct AnomalyTests {
  struct Failure: Error {}

  @Test func `dirty read: nobody sees what is discarded later`() async throws {
    let node = Stored(0)
    let (written, read) = (Gate("written"), Gate("read"))
    let discarded = Task {
      try await withGraphTransaction {
        node.wrappedValue = 1
        written.open()
        try await read.pass()
        throw Failure()
      }
    }
    try await written.pass()
    let seen = await node.value
    let seenInside = try await withGraphTransaction {
      await Task.yield()
      return node.wrappedValue
    }
    read.open()
    await #expect(throws: Failure.self) { try await discarded.value }
    #expect(seen == 0)
    #expect(seenInside == 0)
    #expect(await node.value == 0)
  }

  @Test func `intermediate read: nobody sees a value that is overwritten before the commit`()
    async throws
  {
    let node = Stored(0)
    let (first, read) = (Gate("first write"), Gate("read"))
    async let writer: Void = withGraphTransaction {
      node.wrappedValue = 1
      first.open()
      try await read.pass()
      node.wrappedValue = 2
    }
    try await first.pass()
    #expect(await node.value == 0)
    read.open()
    try await writer
    #expect(await node.value == 2)
  }

  @Test func `non-repeatable read: two reads of a node agree`() async throws {
    let node = Stored(0)
    let (read, written) = (Gate("read"), Gate("written"))
    let pairs = EventLog<[Int]>()
    async let reader: Void = withGraphTransaction {
      let first = node.wrappedValue
      read.open()
      try await written.pass()
      pairs.record([first, node.wrappedValue])
    }
    try await read.pass()
    await node.set(1)
    written.open()
    try await reader
    // The attempt that was overtaken saw the old value twice, and was made again.
    #expect(pairs.events == [[0, 0], [1, 1]])
  }

  @Test func `read skew: two nodes are of one version`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    let sum = Computed { _ in one.wrappedValue + two.wrappedValue }
    let (read, written) = (Gate("read"), Gate("written"))
    let seen = EventLog<[Int]>()
    async let reader: Void = withGraphTransaction {
      let first = one.wrappedValue
      read.open()
      try await written.pass()
      seen.record([first, two.wrappedValue, sum.wrappedValue])
    }
    try await read.pass()
    await withGraphTransaction {
      one.wrappedValue = 10
      two.wrappedValue = -10
    }
    written.open()
    try await reader
    #expect(seen.events == [[0, 0, 0], [10, -10, 0]])
  }

  @Test func `lost update: two increments are two`() async throws {
    let node = Stored(0)
    let (read, committed) = (Gate("read"), Gate("committed"))
    async let slow: Void = withGraphTransaction {
      let value = node.wrappedValue
      read.open()
      try await committed.pass()
      node.wrappedValue = value + 1
    }
    try await read.pass()
    try await withGraphTransaction {
      let value = node.wrappedValue
      await Task.yield()
      node.wrappedValue = value + 1
    }
    committed.open()
    try await slow
    #expect(await node.value == 2)
  }

  @Test func `write skew: a rule over two nodes holds`() async throws {
    // At least one of the two has to be on call.
    let (alice, bob) = (Stored(true), Stored(true))
    let onCall = Computed { _ in [alice, bob].filter(\.wrappedValue).count }
    let (read, committed) = (Gate("read"), Gate("committed"))
    async let slow: Void = withGraphTransaction {
      let count = onCall.wrappedValue
      read.open()
      try await committed.pass()
      if count > 1 { alice.wrappedValue = false }
    }
    try await read.pass()
    try await withGraphTransaction {
      if onCall.wrappedValue > 1 { bob.wrappedValue = false }
      await Task.yield()
    }
    committed.open()
    try await slow
    #expect(await onCall.value == 1)
    #expect(await (alice.value, bob.value) == (true, false))
  }

  @Test func `read-only skew: a reader sees no order that the writers did not have`() async throws {
    // Savings and checking; a withdrawal that overdraws the sum costs a fee of 1.
    let (savings, checking) = (Stored(0), Stored(0))
    let (read, reported) = (Gate("read"), Gate("reported"))
    async let withdrawal: Void = withGraphTransaction {
      let sum = savings.wrappedValue + checking.wrappedValue
      read.open()
      try await reported.pass()
      checking.wrappedValue = checking.wrappedValue - (sum < 10 ? 11 : 10)
    }
    try await read.pass()
    try await withGraphTransaction {
      savings.wrappedValue += 20
      await Task.yield()
    }
    let report = try await withGraphTransaction {
      let seen = (savings.wrappedValue, checking.wrappedValue)
      await Task.yield()
      return seen
    }
    reported.open()
    try await withdrawal
    // The report says that the deposit came before the withdrawal: so there is no fee.
    #expect(report == (20, 0))
    #expect(await (savings.value, checking.value) == (20, -10))
  }

  @Test func `a body that only reads is checked, too`() async throws {
    let (one, two) = (Stored(0), Stored(0))
    let (read, written) = (Gate("read"), Gate("written"))
    let attempts = EventLog<Int>()
    async let reader = withGraphTransaction {
      attempts.record(GraphTransaction.current?.attempt ?? 0)
      let first = one.wrappedValue
      read.open()
      try await written.pass()
      return [first, two.wrappedValue]
    }
    try await read.pass()
    await one.set(1)
    written.open()
    let seen = try await reader
    #expect(seen == [1, 0])
    #expect(attempts.events == [1, 2])
  }
}
