import StateGraph
import Testing

extension Conformance {
  /// Failures as values: rules do not throw, they return a `Result`.
  ///
  /// Left out, with the tracking groups to come: 195 to 197. Also left out: 199 (no owners), 200 (a
  /// rule must not write), 202 (no handlers of errors), 204 (no hooks), 205 and 206 (throwing
  /// rules). 201 is in `UntrackedReads` and `Transactions`.
  @GraphActor @Suite struct FailureValues {
    struct Failure: Error, Equatable {}
    typealias Outcome = Result<Int, Failure>

    @Test func `a failed node recovers`() {  // case 187
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue == 0 ? Outcome.failure(Failure()) : .success(1) }
      #expect(b.wrappedValue == .failure(Failure()))
      a.wrappedValue = 1
      #expect(b.wrappedValue == .success(1))
      a.wrappedValue = 0
      #expect(b.wrappedValue == .failure(Failure()))
      #expect(log.take() == ["b", "b", "b"])
    }

    @Test(arguments: [false, true])
    func `a failure is cached`(isObserved: Bool) async {  // case 189
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue < 10 ? Outcome.failure(Failure()) : .success(1) }
      let observer = isObserved ? await Observer(of: b) : nil
      #expect([b.wrappedValue, b.wrappedValue] == [.failure(Failure()), .failure(Failure())])
      #expect(log.take() == ["b"])
      a.wrappedValue = 1
      #expect(b.wrappedValue == .failure(Failure()))
      #expect(log.take() == ["b"])
      a.wrappedValue = 1
      #expect(b.wrappedValue == .failure(Failure()))
      #expect(log.take() == [])
      observer?.end()
    }

    @Test func `a failure goes through dependents and both recover`() {  // case 190
      let log = Log()
      let a = Stored(1)
      let b = log.computed("b") { a.wrappedValue == 1 ? Outcome.failure(Failure()) : .success(2) }
      let c = log.computed("c") { b.wrappedValue.map { $0 * 2 } }
      #expect([c.wrappedValue, c.wrappedValue] == [.failure(Failure()), .failure(Failure())])
      #expect(log.take() == ["c", "b"])
      a.wrappedValue = 2
      #expect([b.wrappedValue, c.wrappedValue] == [.success(2), .success(4)])
      #expect(log.take() == ["b", "c"])
    }

    @Test func `a dependent that handles the failure is a normal node`() {  // case 191
      let log = Log()
      let a = Stored(0)
      let b = log.computed("b") { a.wrappedValue < 10 ? Outcome.failure(Failure()) : .success(1) }
      let c = log.computed("c") { (try? b.wrappedValue.get()) == nil ? "ok" : "value" }
      let d = log.computed("d") { c.wrappedValue }
      #expect(d.wrappedValue == "ok")
      #expect(log.take() == ["d", "c", "b"])
      a.wrappedValue = 1
      #expect(d.wrappedValue == "ok")
      #expect(log.take() == ["b"])
    }

    @Test func `a failure in one branch leaves the others intact`() {  // case 192, 194
      let log = Log()
      let a = Stored(1)
      let bad = log.computed("bad") {
        a.wrappedValue > 0 ? Outcome.failure(Failure()) : .success(0)
      }
      let good = log.computed("good") { a.wrappedValue }
      #expect(bad.wrappedValue == .failure(Failure()))
      #expect(good.wrappedValue == 1)
      #expect(log.take() == ["bad", "good"])
      a.wrappedValue = 2
      #expect(bad.wrappedValue == .failure(Failure()))
      #expect(good.wrappedValue == 2)
      #expect(log.take() == ["bad", "good"])
    }

    @Test func `an expression that throws ends its sequence and nothing else`() async throws {
      // case 195, 196: DESIGN 5 decides, a thrown error ends the sequence and reaches the consumer.
      let a = Stored(0)
      let c = Computed { _ in a.wrappedValue * 2 }
      let trackings = GraphTrackings { () throws(Failure) in
        guard c.wrappedValue < 4 else { throw Failure() }
        return c.wrappedValue
      }
      var first = trackings.makeAsyncIterator()
      #expect(try await first.next(isolation: GraphActor.shared) == 0)
      a.wrappedValue = 2
      await #expect(throws: Failure()) { try await first.next(isolation: GraphActor.shared) }
      #expect(try await first.next(isolation: GraphActor.shared) == nil)
      a.wrappedValue = 1
      var second = trackings.makeAsyncIterator()
      #expect(try await second.next(isolation: GraphActor.shared) == 2)
      #expect(try await first.next(isolation: GraphActor.shared) == nil)
    }
  }
}
