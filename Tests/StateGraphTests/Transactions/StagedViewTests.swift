import StateGraph
import Testing

/// Computed nodes as a transaction sees them.
@Suite struct StagedViewTests {
  @Test @GraphActor func `a staged value is kept until the next staged write`() {
    let log = Recorder()
    let a = Stored(1)
    let b = Computed { _ in
      log.record("b")
      return a.wrappedValue * 2
    }
    #expect(b.wrappedValue == 2)
    withGraphTransaction {
      a.wrappedValue = 2
      #expect(b.wrappedValue == 4)
      #expect(b.wrappedValue == 4)
      #expect(log.take() == ["b", "b"])
      a.wrappedValue = 3
      #expect(b.wrappedValue == 6)
      #expect(log.take() == ["b"])
    }
    #expect(b.wrappedValue == 6)
    #expect(log.take() == ["b"])
  }

  @Test @GraphActor
  func `a staged value that counts as unchanged does not reach rules`() async throws {
    for isAsync in [false, true] {
      let a = Stored(0, isEqual: { $0 / 2 == $1 / 2 })
      let (cached, fresh) = (a.map { $0 }, a.map { $0 })
      #expect(cached.wrappedValue == 0)
      let body: @GraphActor @Sendable () -> [Int] = {
        a.wrappedValue = 1
        let first = [a.wrappedValue, cached.wrappedValue, fresh.wrappedValue]
        a.wrappedValue = 2
        return first + [a.wrappedValue, cached.wrappedValue, fresh.wrappedValue]
      }
      let seen =
        isAsync
        ? try await withGraphTransaction {
          await Task.yield()
          return body()
        }
        : withGraphTransaction { body() }
      // Code of the transaction reads what it has assigned.
      #expect(seen == [1, 0, 0, 2, 2, 2])
      #expect([a.wrappedValue, cached.wrappedValue, fresh.wrappedValue] == [2, 2, 2])
    }
  }

  @Test @GraphActor func `a node that no staged write reaches is served from the cache`() {
    let log = Recorder()
    let a = Stored(1)
    let apart = Stored(1)
    let b = Computed { _ in
      log.record("b")
      return apart.wrappedValue
    }
    #expect(b.wrappedValue == 1)
    _ = log.take()
    withGraphTransaction {
      a.wrappedValue = 2
      #expect(b.wrappedValue == 1)
    }
    #expect(log.take() == [])
  }

  @Test @GraphActor func `an unchanged intermediate node spares its dependents inside too`() {
    let log = Recorder()
    let a = Stored(1)
    let parity = a.map { $0 % 2 }
    let b = Computed { _ in
      log.record("b")
      return parity.wrappedValue
    }
    #expect(b.wrappedValue == 1)
    _ = log.take()
    withGraphTransaction {
      a.wrappedValue = 3
      #expect(b.wrappedValue == 1)
    }
    #expect(b.wrappedValue == 1)
    #expect(log.take() == [])
  }

  @Test @GraphActor func `a staged check stops at the first dependency that changed`() {
    let log = Recorder()
    let list = Stored([1, 2, 3, 4, 5, 6])
    let item = Computed { _ in
      log.record("item")
      return list.wrappedValue[5]
    }
    let shown = Computed { _ in list.wrappedValue.count > 5 ? item.wrappedValue : nil }
    #expect(shown.wrappedValue == 6)
    _ = log.take()
    withGraphTransaction {
      list.wrappedValue = [1]
      #expect(shown.wrappedValue == nil)
    }
    #expect(log.take() == [])
  }

  @Test @GraphActor func `neither the cache nor the edges are touched`() {
    struct Refused: Error {}
    let log = Recorder()
    let flag = Stored(true)
    let a = Stored("a")
    let b = Stored("b")
    let chosen = Computed { _ in
      log.record("run")
      return flag.wrappedValue ? a.wrappedValue : b.wrappedValue
    }
    #expect(chosen.wrappedValue == "a")
    #expect(throws: Refused.self) {
      try withGraphTransaction {
        flag.wrappedValue = false
        #expect(chosen.wrappedValue == "b")
        throw Refused()
      }
    }
    _ = log.take()
    #expect(chosen.wrappedValue == "a")
    b.wrappedValue = "b2"
    #expect(chosen.wrappedValue == "a")
    #expect(log.take() == [])
    a.wrappedValue = "a2"
    #expect(chosen.wrappedValue == "a2")
    #expect(log.take() == ["run"])
  }

  @Test @GraphActor func `a node that has never been read is evaluated from the staged values`() {
    let log = Recorder()
    let a = Stored(1)
    let b = Computed { _ in
      log.record("b")
      return a.wrappedValue
    }
    let value = withGraphTransaction {
      a.wrappedValue = 5
      return b.wrappedValue
    }
    #expect(value == 5)
    #expect(log.take() == ["b"])
    #expect(b.wrappedValue == 5)
    #expect(log.take() == ["b"])
  }

  @Test @GraphActor func `a stale node is evaluated from the staged values only`() {
    let log = Recorder()
    let a = Stored(1)
    let other = Stored(0)
    let b = Computed { _ in
      log.record("b")
      return a.wrappedValue + other.wrappedValue
    }
    #expect(b.wrappedValue == 1)
    a.wrappedValue = 2
    _ = log.take()
    withGraphTransaction {
      other.wrappedValue = 10
      #expect(b.wrappedValue == 12)
      #expect(b.wrappedValue == 12)
    }
    #expect(log.take() == ["b"])
  }

  @Test @GraphActor func `a node made in the body takes part`() {
    let a = Stored(1)
    let sum = withGraphTransaction { () -> Computed<Int> in
      a.wrappedValue = 2
      let made = Stored(10)
      made.wrappedValue = 20
      let sum = Computed { _ in a.wrappedValue + made.wrappedValue }
      #expect(sum.wrappedValue == 22)
      return sum
    }
    #expect(sum.wrappedValue == 22)
  }

  @Test @GraphActor func `a comparison in the commit sees all staged values`() {
    let tolerance = Stored(0)
    let a = Stored(0) { old, new in abs(old - new) <= tolerance.wrappedValue }
    withGraphTransaction {
      a.wrappedValue = 5
      tolerance.wrappedValue = 10
    }
    #expect(a.wrappedValue == 0)
  }

  @Test @GraphActor func `nil is a staged value`() {
    let a = Stored<Int?>(1)
    withGraphTransaction {
      a.wrappedValue = nil
      #expect(a.wrappedValue == nil)
    }
    #expect(a.wrappedValue == nil)
  }

  @Test @GraphActor func `a node released in the body is committed without harm`() {
    let a = Stored(0)
    withGraphTransaction {
      let temporary = Stored(0)
      temporary.wrappedValue = 1
      a.wrappedValue = 1
    }
    #expect(a.wrappedValue == 1)
    #expect(Graph.shared.brokenInvariants() == [])
  }
}
