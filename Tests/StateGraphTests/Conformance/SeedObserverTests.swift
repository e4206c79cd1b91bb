import StateGraph
import Testing

extension Conformance {
  /// Handlers of assignments, and the observers that properties have by themselves.
  ///
  /// Left out: DS03, DS07 (user defaults).
  @GraphActor @Suite struct SeedObservers {
    @Test func `the handler is told old and new at once`() {  // OD01
      let log = Log()
      let node = Stored(0)
      node.onDidSet { log.record("\($0) \($1)") }
      node.wrappedValue = 42
      #expect(log.take() == ["0 42"])
    }

    @Test func `each old value is the new one before`() {  // OD02
      let log = Log()
      let node = Stored(0)
      node.onDidSet { log.record("\($0) \($1)") }
      node.wrappedValue = 1
      node.wrappedValue = 2
      #expect(log.take() == ["0 1", "1 2"])
    }

    @Test func `an equal assignment counts`() {  // OD03
      let log = Log()
      let node = Stored(0)
      node.onDidSet { log.record("\($0) \($1)") }
      node.wrappedValue = 1
      node.wrappedValue = 1
      #expect(log.take() == ["0 1", "1 1"])
    }

    @Test func `a new handler replaces the old one`() {  // OD04
      let log = Log()
      let node = Stored(0)
      node.onDidSet { _, _ in log.record("first") }
      node.onDidSet { _, _ in log.record("second") }
      node.wrappedValue = 1
      #expect(log.take() == ["second"])
      node.onDidSet(nil)
      node.wrappedValue = 2
      #expect(log.take() == [])
    }

    @Test func `writes from outside and updates are told too`() async {
      let log = Log()
      let node = Stored(0)
      node.onDidSet { log.record("\($0) \($1)") }
      await node.set(1)
      await node.update { $0 += 1 }
      withGraphTransaction { node.wrappedValue = 3 }
      #expect(log.take() == ["0 1", "1 2", "2 3"])
    }

    @Test func `a handler may write and open a transaction`() {
      let log = Log()
      let node = Stored(0)
      let a = Stored(0)
      let b = Stored(0)
      let sum = log.computedValues("sum") { node.wrappedValue + a.wrappedValue + b.wrappedValue }
      node.onDidSet { _, new in
        log.record("handler, sum \(sum.wrappedValue)")
        withGraphTransaction {
          a.wrappedValue = new * 10
          b.wrappedValue = new * 100
        }
      }
      node.wrappedValue = 1
      #expect(sum.wrappedValue == 111)
      #expect(log.take() == ["sum 1", "handler, sum 1", "sum 111"])
    }

    @GraphActor final class Model {
      let log = Log()
      @GraphStored var did = 0 {
        didSet { log.record("did \(oldValue) \(did)") }
      }
      @GraphStored var named = 10 {
        didSet(previous) { log.record("did \(previous) \(named)") }
      }
      @GraphStored var will = 0 {
        willSet { log.record("will \(will) \(newValue)") }
      }
      @GraphStored var namedWill = 5 {
        willSet(next) { log.record("will \(namedWill) \(next)") }
      }
      @GraphStored var both = 0 {
        willSet { log.record("will \(both) \(newValue)") }
        didSet { log.record("did \(oldValue) \(both)") }
      }
    }

    @Test func `didSet runs after the assignment`() {  // DS01, F24
      let model = Model()
      model.did = 1
      model.did = 3
      #expect(model.log.take() == ["did 0 1", "did 1 3"])
    }

    @Test func `didSet with a name of its own`() {  // DS02
      let model = Model()
      model.named = 12
      #expect(model.log.take() == ["did 10 12"])
    }

    @Test func `willSet runs before the assignment`() {  // DS04
      let model = Model()
      model.will = 2
      #expect(model.log.take() == ["will 0 2"])
      #expect(model.will == 2)
    }

    @Test func `willSet with a name of its own`() {  // DS05
      let model = Model()
      model.namedWill = 8
      #expect(model.log.take() == ["will 5 8"])
      #expect(model.namedWill == 8)
    }

    @Test func `willSet comes before didSet`() {  // DS06
      let model = Model()
      model.both = 4
      #expect(model.log.take() == ["will 0 4", "did 0 4"])
    }

    @Test func `observers of a property run for an equal assignment`() {  // DESIGN 4
      let model = Model()
      model.both = 0
      #expect(model.log.take() == ["will 0 0", "did 0 0"])
    }

    @Test func `observers of a property run for each staged assignment`() {  // DESIGN 4
      let model = Model()
      withGraphTransaction {
        model.both = 1
        model.both = 2
      }
      #expect(model.log.take() == ["will 0 1", "did 0 1", "will 1 2", "did 1 2"])
      #expect(model.both == 2)
    }
  }
}
