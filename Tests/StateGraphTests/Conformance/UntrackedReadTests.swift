import StateGraph
import Testing

extension Conformance {
  /// Reads that make no dependency.
  ///
  /// Left out, with the tracking groups to come: 255, 257, 259. Also left out: 261 (no owners).
  @GraphActor @Suite struct UntrackedReads {
    @Test func `an observer ignores what it has read untracked`() async {  // case 250
      let log = Log()
      let a = Stored(1)
      let b = Stored(10)
      let e = Computed { context in
        let sum = a.wrappedValue + context.withoutTracking { b.wrappedValue }
        log.record("e \(sum)")
        return sum
      }
      let observer = await Observer(of: e)
      a.wrappedValue = 2
      #expect(log.take() == ["e 11", "e 12"])
      b.wrappedValue = 20
      #expect(log.take() == [])
      observer.end()
    }

    @Test func `an untracked part is as old as the last run`() {  // case 251
      let log = Log()
      let a = Stored(0)
      let b = Stored(10)
      let c = Computed { context in
        log.record("c")
        return a.wrappedValue + context.withoutTracking { b.wrappedValue }
      }
      #expect(c.wrappedValue == 10)
      a.wrappedValue = 1
      #expect(c.wrappedValue == 11)
      #expect(log.take() == ["c", "c"])
      b.wrappedValue = 20
      #expect(c.wrappedValue == 11)
      #expect(log.take() == [])
      a.wrappedValue = 2
      #expect(c.wrappedValue == 22)
      #expect(log.take() == ["c"])
    }

    @Test func `an untracked read of a stale node is fresh`() {  // case 252
      let log = Log()
      let a = Stored(1)
      let trigger = Stored(0)
      let b = log.computed("b") { a.wrappedValue * 2 }
      let c = Computed { context in
        log.record("c")
        return trigger.wrappedValue + context.withoutTracking { b.wrappedValue }
      }
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = 5
      #expect(c.wrappedValue == 2)
      #expect(log.take() == [])
      trigger.wrappedValue = 100
      #expect(c.wrappedValue == 110)
      #expect(log.take() == ["c", "b"])
    }

    @Test func `a rule that is untracked as a whole depends on nothing`() {  // case 254
      let log = Log()
      let a = Stored(1)
      let b = Computed { _ in a.wrappedValue }
      let c = Computed { context in
        context.withoutTracking {
          log.record("c")
          return a.wrappedValue + b.wrappedValue
        }
      }
      #expect(c.wrappedValue == 2)
      a.wrappedValue = 2
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c"])
    }

    @Test func `untracked in untracked stays untracked`() {  // case 255
      let log = Log()
      let a = Stored(1)
      let b = Stored(1)
      let c = Computed { context in
        log.record("c")
        let sum = context.withoutTracking {
          let first = context.withoutTracking { a.wrappedValue }
          return first + a.wrappedValue
        }
        return sum + b.wrappedValue
      }
      #expect(c.wrappedValue == 3)
      a.wrappedValue = 2
      #expect(c.wrappedValue == 3)
      #expect(log.take() == ["c"])
      b.wrappedValue = 2
      #expect(c.wrappedValue == 6)
      #expect(log.take() == ["c"])
    }

    @Test func `a node that is read untracked tracks what it reads itself`() {  // case 256
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue * 2 }
      let isTracked = Stored(false)
      let c = Computed { context in
        log.record("c")
        return isTracked.wrappedValue
          ? b.wrappedValue : context.withoutTracking { b.wrappedValue }
      }
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = 2
      #expect(b.wrappedValue == 4)
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["b"])
      isTracked.wrappedValue = true
      #expect(c.wrappedValue == 4)
      a.wrappedValue = 3
      #expect(c.wrappedValue == 6)
      #expect(log.take() == ["c", "b", "c"])
    }

    @Test func `a node that is read tracked and untracked is a dependency`() {
      let log = Log()
      let a = Stored(1)
      let c = Computed { context in
        log.record("c")
        return context.withoutTracking { a.wrappedValue } + a.wrappedValue
          + context.withoutTracking { a.wrappedValue }
      }
      #expect(c.wrappedValue == 3)
      a.wrappedValue = 2
      #expect(c.wrappedValue == 6)
      #expect(log.take() == ["c", "c"])
    }

    @Test func `tracking goes on after an untracked part that throws`() {  // case 201
      struct Failure: Error {}
      let log = Log()
      let a = Stored(1)
      let b = Stored(1)
      let c = Computed { context in
        log.record("c")
        do {
          try context.withoutTracking {
            _ = b.wrappedValue
            throw Failure()
          }
        } catch {
          return a.wrappedValue
        }
        return -1
      }
      #expect(c.wrappedValue == 1)
      b.wrappedValue = 2
      #expect(c.wrappedValue == 1)
      #expect(log.take() == ["c"])
      a.wrappedValue = 2
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c"])
    }
  }
}
