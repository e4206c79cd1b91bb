import StateGraph
import Testing

extension Conformance {
  /// What DESIGN 4 says about transactions beyond the cases.
  @GraphActor @Suite struct StagedReads {
    struct Failure: Error, Equatable {}

    @Test func `a nested transaction joins the outer one`() async {
      let log = Log()
      let a = Stored(0)
      let e = log.computedValues("e") { a.wrappedValue }
      let observer = await Observer(of: e)
      withGraphTransaction {
        a.wrappedValue = 1
        withGraphTransaction { a.wrappedValue += 1 }
        #expect(log.take() == ["e 0"])
        a.wrappedValue += 1
      }
      #expect(log.take() == ["e 3"])
      observer.end()
    }

    @Test func `an error that the outer body catches leaves the inner writes`() {
      let a = Stored(0)
      let b = Stored(0)
      withGraphTransaction {
        a.wrappedValue = 1
        try? withGraphTransaction {
          b.wrappedValue = 2
          throw Failure()
        }
      }
      #expect([a.wrappedValue, b.wrappedValue] == [1, 2])
    }

    @Test func `an error that leaves the outermost body discards everything`() {
      let a = Stored(0)
      let b = Stored(0)
      #expect(throws: Failure()) {
        try withGraphTransaction {
          a.wrappedValue = 1
          try withGraphTransaction {
            b.wrappedValue = 2
            throw Failure()
          }
        }
      }
      #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
    }

    @Test func `a computed node that no staged write reaches is served from the cache`() {
      let log = Log()
      let a = Stored(1)
      let b = Stored(1)
      let c = log.computed("c") { a.wrappedValue }
      let d = log.computed("d") { b.wrappedValue }
      let e = log.computed("e") { c.wrappedValue + d.wrappedValue }
      #expect(e.wrappedValue == 2)
      #expect(log.take() == ["e", "c", "d"])
      withGraphTransaction {
        a.wrappedValue = 2
        #expect(d.wrappedValue == 1)
        #expect(log.take() == [])
        #expect(e.wrappedValue == 3)
        #expect(log.take() == ["c", "e"])
      }
    }

    @Test func `a staged value that is cut off runs nothing downstream`() {
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue / 10 }
      let c = log.computed("c") { b.wrappedValue }
      #expect(c.wrappedValue == 0)
      #expect(log.take() == ["c", "b"])
      withGraphTransaction {
        a.wrappedValue = 2
        #expect(c.wrappedValue == 0)
        #expect(log.take() == ["b"])
      }
      #expect(c.wrappedValue == 0)
      #expect(log.take() == ["b"])
    }

    @Test func `a node that is first read in a transaction is computed from staged values`() {
      let log = Log()
      let a = Stored(1)
      let c = log.computedValues("c") { a.wrappedValue }
      withGraphTransaction {
        a.wrappedValue = 2
        #expect([c.wrappedValue, c.wrappedValue] == [2, 2])
        #expect(log.take() == ["c 2"])
      }
      #expect([c.wrappedValue, c.wrappedValue] == [2, 2])
      #expect(log.take() == ["c 2"])
    }

    @Test func `a discarded transaction leaves the cache as it was`() {
      let log = Log()
      let a = Stored(1)
      let flag = Stored(false)
      let b = Stored(5)
      let c = log.computedValues("c") { flag.wrappedValue ? b.wrappedValue : a.wrappedValue }
      #expect(c.wrappedValue == 1)
      try? withGraphTransaction {
        flag.wrappedValue = true
        #expect(c.wrappedValue == 5)
        throw Failure()
      }
      #expect(c.wrappedValue == 1)
      b.wrappedValue = 6
      #expect(c.wrappedValue == 1)
      #expect(log.take() == ["c 1", "c 5"])
      a.wrappedValue = 2
      #expect(c.wrappedValue == 2)
      #expect(log.take() == ["c 2"])
    }

    @Test func `a read in a transaction keeps a later change alive`() {
      let a = Stored(1)
      let b = Computed { _ in a.wrappedValue * 2 }
      #expect(b.wrappedValue == 2)
      a.wrappedValue = 2
      withGraphTransaction { #expect(b.wrappedValue == 4) }
      #expect(b.wrappedValue == 4)
      a.wrappedValue = 3
      #expect(b.wrappedValue == 6)
    }

    @Test func `each node is compared once, old value against last staged value`() {
      let log = Log()
      let a = Stored(0) { old, new in
        log.record("a \(old) \(new)")
        return old == new
      }
      let b = Stored(0) { old, new in
        log.record("b \(old) \(new)")
        return old == new
      }
      withGraphTransaction {
        a.wrappedValue = 1
        b.wrappedValue = 5
        a.wrappedValue = 2
        #expect(log.take() == [])
      }
      #expect(log.take() == ["a 0 2", "b 0 5"])
    }

    @Test func `a staged nil is a value`() {
      let a = Stored<Int?>(1)
      let c = Computed { _ in a.wrappedValue ?? -1 }
      #expect(c.wrappedValue == 1)
      withGraphTransaction {
        a.wrappedValue = nil
        #expect(a.wrappedValue == nil)
        #expect(c.wrappedValue == -1)
      }
      #expect([a.wrappedValue, c.wrappedValue] == [nil, -1])
    }

    @Test func `the handler of assignments is told of each staged one and joins`() {
      let log = Log()
      let a = Stored(0)
      let b = Stored(0)
      a.onDidSet { old, new in
        log.record("\(old) \(new)")
        b.wrappedValue = new * 10
      }
      try? withGraphTransaction {
        a.wrappedValue = 1
        a.wrappedValue = 1
        a.wrappedValue = 2
        #expect(b.wrappedValue == 20)
        throw Failure()
      }
      #expect(log.take() == ["0 1", "1 1", "1 2"])
      #expect([a.wrappedValue, b.wrappedValue] == [0, 0])
    }

    @Test func `a node that is released in the body is no obstacle`() {
      let a = Stored(0)
      withGraphTransaction {
        var temporary: Stored<Int>? = Stored(0)
        temporary?.wrappedValue = 1
        temporary = nil
        a.wrappedValue = 1
      }
      #expect(a.wrappedValue == 1)
    }

    @Test func `a transaction is one commit of the nodes that differ`() async throws {
      let a = Stored(0, name: "transaction a")
      let b = Stored(0, name: "transaction b")
      let c = Stored(0, name: "transaction c")
      var commits = GraphActor.commits().makeAsyncIterator()
      withGraphTransaction {
        b.wrappedValue = 1
        c.wrappedValue = 1
        a.wrappedValue = 1
        c.wrappedValue = 0
      }
      // Other tests commit to the same graph.
      var commit = try #require(await commits.next(isolation: GraphActor.shared))
      while !commit.changedNodes.contains(a.id) {
        commit = try #require(await commits.next(isolation: GraphActor.shared))
      }
      #expect(commit.changedNodes == [b.id, a.id])
    }
  }
}
