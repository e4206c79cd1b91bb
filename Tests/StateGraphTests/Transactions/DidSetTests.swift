import StateGraph
import Testing

/// Handlers of assignments, inside and outside of transactions.
@Suite struct DidSetTests {
  @Test @GraphActor func `the handler is called for every assignment with the value before`() {
    let log = Recorder()
    let a = Stored(0)
    a.onDidSet { old, new in log.record("\(old)>\(new)") }
    a.wrappedValue = 1
    a.wrappedValue = 1
    withGraphTransaction {
      a.wrappedValue = 2
      a.wrappedValue = 2
      a.wrappedValue = 3
    }
    a.onDidSet(nil)
    a.wrappedValue = 4
    #expect(log.take() == ["0>1", "1>1", "1>2", "2>2", "2>3"])
  }

  @Test @GraphActor func `what a handler writes joins the transaction`() {
    let a = Stored(0)
    let b = Stored(0)
    a.onDidSet { _, new in b.wrappedValue = new * 2 }
    let before = Graph.shared.version
    withGraphTransaction {
      a.wrappedValue = 3
      #expect(b.wrappedValue == 6)
    }
    #expect(b.wrappedValue == 6)
    #expect(Graph.shared.version == before + 1)
  }

  @Test @GraphActor func `outside, what a handler writes is the next commit`() async {
    let a = Stored(0)
    let b = Stored(0)
    a.onDidSet { _, new in b.wrappedValue = new }
    let before = Graph.shared.version
    a.wrappedValue = 1
    #expect(b.wrappedValue == 1)
    #expect(Graph.shared.version == before + 2)
  }

  @Test @GraphActor func `a handler may open a transaction`() {
    let a = Stored(0)
    let b = Stored(0)
    let c = Stored(0)
    a.onDidSet { _, new in
      withGraphTransaction {
        b.wrappedValue = new
        c.wrappedValue = new
      }
    }
    a.wrappedValue = 5
    #expect([b.wrappedValue, c.wrappedValue] == [5, 5])
  }

  @Test @GraphActor func `a discarded transaction takes back what handlers wrote`() {
    struct Refused: Error {}
    let a = Stored(0)
    let b = Stored(0)
    a.onDidSet { _, new in b.wrappedValue = new }
    #expect(throws: Refused.self) {
      try withGraphTransaction {
        a.wrappedValue = 1
        throw Refused()
      }
    }
    #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
  }

  @Test @GraphActor func `a handler that clamps settles`() {
    let a = Stored(0)
    a.onDidSet { _, new in if new > 10 { a.wrappedValue = 10 } }
    a.wrappedValue = 50
    #expect(a.wrappedValue == 10)
    withGraphTransaction {
      a.wrappedValue = 70
      #expect(a.wrappedValue == 10)
    }
    #expect(a.wrappedValue == 10)
  }

  @Test @GraphActor func `what a handler reads is nobody's dependency`() async {
    let log = Recorder()
    let trigger = Stored(0)
    let target = Stored(0)
    let read = Stored(0)
    target.onDidSet { _, _ in _ = read.wrappedValue }
    var values = GraphTrackings {
      log.record("run")
      target.wrappedValue = trigger.wrappedValue
      return trigger.wrappedValue
    }.makeAsyncIterator()
    #expect(await values.next(isolation: GraphActor.shared) == 0)
    read.wrappedValue = 1
    trigger.wrappedValue = 1
    #expect(await values.next(isolation: GraphActor.shared) == 1)
    #expect(log.take() == ["run", "run"])
  }
}
