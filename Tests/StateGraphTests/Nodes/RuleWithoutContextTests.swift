import StateGraph
import StateGraphTesting
import Testing

/// Rules that take no context.
@Suite struct RuleWithoutContextTests {
  private final class Object: Sendable {}

  @Test func `a rule needs no parameter`() async {
    let (a, b) = (Stored(1), Stored(2))
    let runs = EventLog<Int>()
    let sum = Computed { a.wrappedValue + b.wrappedValue }
    let parity = Computed { () -> Bool in
      runs.record(sum.wrappedValue)
      return sum.wrappedValue.isMultiple(of: 2)
    }
    let next = Computed {
      let value = parity.wrappedValue
      return value ? "even" : "odd"
    }
    #expect(await next.value == "odd")
    await a.set(2)
    #expect(await next.value == "even")
    await withGraphTransaction {
      a.wrappedValue = 1
      b.wrappedValue = 3
      #expect(next.wrappedValue == "even")
    }
    #expect(await next.value == "even")
    #expect(runs.events == [3, 4])
  }

  @Test func `values that cannot be compared, and a comparison of the user`() async {
    let source = Stored(0)
    let objects = Computed {
      _ = source.wrappedValue
      return Object()
    }
    let first = await objects.value
    await source.set(1)
    #expect(await objects.value !== first)
    let rounded = Computed(isEqual: { $0 / 10 == $1 / 10 }) { source.wrappedValue }
    #expect(await rounded.value == 1)
    await source.set(5)
    #expect(await rounded.value == 1)
    await source.set(10)
    #expect(await rounded.value == 10)
  }

  @GraphActor final class Model {
    @GraphStored var count = 1
    @GraphComputed var isEven: Bool
    init() { $isEven = .init { [$count] in $count.wrappedValue.isMultiple(of: 2) } }
  }

  @Test @GraphActor func `the same in a model`() {
    let model = Model()
    #expect(!model.isEven)
    model.count = 2
    #expect(model.isEven)
  }

  @Test func `an expression that is followed may leave out what equals the element before`()
    async throws
  {
    let source = Stored(0)
    let seen = EventLog<Bool>()
    let consumer = Task {
      for await isBig in GraphTrackings({ source.wrappedValue > 5 }).removingDuplicates() {
        seen.record(isBig)
        if seen.events.count == 3 { return }
      }
    }
    try await seen.wait { $0 == [false] }
    for value in [1, 2, 3] { await source.set(value) }
    await source.set(6)
    try await seen.wait { $0 == [false, true] }
    await source.set(7)
    await source.set(0)
    await consumer.value
    #expect(seen.events == [false, true, false])
  }
}
