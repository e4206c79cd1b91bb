import Testing

/// The memory of the models allows what the C++ memory model allows, and nothing else, in the
/// programs that are used to tell memory models apart.
@Suite struct LitmusTests {
  private typealias Order = WeakMemory.Order
  private static let (x, y) = (0, 1)

  @Test(arguments: [Order.acquiringAndReleasing, .sequentiallyConsistent])
  private func `two that each store and then load may miss each other, unless consistent`(
    order: Order
  ) throws {
    let executions = Executions(
      values: [0, 0],
      threads: [(Self.x, Self.y), (Self.y, Self.x)].map { mine, other in
        { strand in
          try strand.store(1, to: mine, order)
          strand.note(try strand.load(other, order))
        }
      })
    let outcomes = try executions.outcomes()
    #expect(outcomes.contains([[0], [0]]) == (order != .sequentiallyConsistent))
    #expect(outcomes.isSuperset(of: [[[0], [1]], [[1], [0]], [[1], [1]]]))
  }

  @Test(arguments: [
    (Order.relaxed, Order.acquiring), (.releasing, .relaxed), (.releasing, .acquiring),
  ])
  private func `a flag shows what was stored before it, if released and acquired`(
    store: Order, load: Order
  ) throws {
    let executions = Executions(
      values: [0, 0],
      threads: [
        { strand in
          try strand.store(1, to: Self.x, .relaxed)
          try strand.store(1, to: Self.y, store)
        },
        { strand in
          strand.note(try strand.load(Self.y, load))
          strand.note(try strand.load(Self.x, .relaxed))
        },
      ])
    let isOrdered = store == .releasing && load == .acquiring
    #expect(try executions.outcomes().contains([[], [1, 0]]) != isOrdered)
  }

  @Test func `a flag that another thread has counted up still shows it`() throws {
    let executions = Executions(
      values: [0, 0],
      threads: [
        { strand in
          try strand.write(1, to: Self.x)
          try strand.store(1, to: Self.y, .releasing)
        },
        { strand in try strand.add(1, to: Self.y, .relaxed) },
        { strand in
          if try strand.load(Self.y, .acquiring) == 2 { strand.note(try strand.read(Self.x)) }
        },
      ])
    #expect(try executions.outcomes() == [[[], [], []], [[], [], [1]]])
  }

  @Test func `two loads of one location do not go back`() throws {
    let executions = Executions(
      values: [0],
      threads: [
        { strand in try strand.store(1, to: Self.x, .relaxed) },
        { strand in for _ in 0..<2 { strand.note(try strand.load(Self.x, .relaxed)) } },
      ])
    #expect(try executions.outcomes() == [[[], [0, 0]], [[], [0, 1]], [[], [1, 1]]])
  }

  @Test(arguments: [Order.acquiringAndReleasing, .sequentiallyConsistent])
  private func `two readers may see two writes in different orders, unless consistent`(
    order: Order
  ) throws {
    let executions = Executions(
      values: [0, 0],
      threads: [
        { strand in try strand.store(1, to: Self.x, order) },
        { strand in try strand.store(1, to: Self.y, order) },
        { strand in
          for place in [Self.x, Self.y] { strand.note(try strand.load(place, order)) }
        },
        { strand in
          for place in [Self.y, Self.x] { strand.note(try strand.load(place, order)) }
        },
      ])
    let isSeen = try executions.outcomes().contains([[], [], [1, 0], [1, 0]])
    #expect(isSeen == (order != .sequentiallyConsistent))
  }

  @Test func `increments are not lost`() throws {
    let executions = Executions(
      values: [0],
      threads: [
        { strand in try strand.add(1, to: Self.x, .relaxed) },
        { strand in try strand.add(1, to: Self.x, .relaxed) },
        { strand in
          for _ in 0..<2 { strand.note(try strand.await(Self.x, .relaxed)) }
        },
      ])
    let seen = Set(try executions.outcomes().map { $0[2] })
    #expect(seen == [[1, 1], [1, 2], [2, 2]])
  }

  @Test func `a plain access that nothing orders is a race`() {
    let executions = Executions(
      values: [0],
      threads: [
        { strand in try strand.write(1, to: Self.x) },
        { strand in _ = try strand.read(Self.x) },
      ])
    #expect(executions.fault?.description.contains("race") == true)
  }

  @Test func `a thread that waits for ever is found`() {
    let executions = Executions(
      values: [0], threads: [{ strand in _ = try strand.await(Self.x, .relaxed) }])
    #expect(executions.fault?.description == "a thread waits for ever")
  }
}
