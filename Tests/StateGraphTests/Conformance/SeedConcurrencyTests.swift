import StateGraph
import Testing

extension Conformance {
  /// Reads and writes from many tasks.
  ///
  /// CO03 is in `SeedWeaknesses`. DL01 as it stands does not compile: a property of the actor cannot
  /// be modified across a suspension.
  @Suite(.timeLimit(.minutes(5))) struct SeedConcurrency {
    @Test func `half of the tasks write, half read`() async {  // CO01
      let source = Stored(0)
      let double = Computed { _ in source.wrappedValue * 2 }
      await withTaskGroup { group in
        for index in 0..<100 {
          group.addTask {
            if index.isMultiple(of: 2) {
              await source.set(index)
            } else {
              let value = await double.value
              #expect(value.isMultiple(of: 4))
            }
          }
        }
      }
      let (one, two) = await GraphActor.run { (source.wrappedValue, double.wrappedValue) }
      #expect(two == 2 * one)
    }

    @Test func `tracking follows a switch`() async {  // CO02
      let usesFirst = Stored(true)
      let first = Stored(10)
      let second = Stored(20)
      let chosen = Computed { _ in
        usesFirst.wrappedValue ? first.wrappedValue : second.wrappedValue
      }
      #expect(await chosen.value == 10)
      await withTaskGroup { group in
        group.addTask { await usesFirst.set(false) }
        group.addTask { await first.set(11) }
        group.addTask {
          let value = await chosen.value
          #expect([10, 11, 20].contains(value))
        }
      }
      await second.set(30)
      #expect(await chosen.value == 30)
    }

    @Test func `five nodes after two writes at once`() async {  // CO04
      let a = Stored(1)
      let b = Stored(2)
      let c = Computed { _ in a.wrappedValue + b.wrappedValue }
      let d = Computed { _ in b.wrappedValue * 2 }
      let e = Computed { _ in c.wrappedValue + d.wrappedValue }
      #expect(await e.value == 7)
      await withTaskGroup { group in
        group.addTask { await a.set(10) }
        group.addTask { await b.set(20) }
      }
      #expect(await c.value == 30)
      #expect(await d.value == 40)
      #expect(await e.value == 70)
    }

    @Test func `ten writes and one read are one run with the last value`() async {  // CO05
      let log = Log()
      let source = Stored(0)
      let c = log.computedValues("c") { source.wrappedValue }
      for value in 1...10 { await source.set(value) }
      #expect(await c.value == 10)
      #expect(await log.take() == ["c 10"])
    }

    @Test func `a thousand tasks on ten sources`() async {  // CO06
      let sources = (0..<10).map { Stored($0) }
      let sum = Computed { _ in sources.reduce(0) { $0 + $1.wrappedValue } }
      #expect(await sum.value == 45)
      await withTaskGroup { group in
        for index in 0..<1_000 {
          group.addTask {
            await sources[index * 7 % 10].set(index)
            if index.isMultiple(of: 3) { _ = await sum.value }
          }
        }
      }
      let (total, parts) = await GraphActor.run {
        (sum.wrappedValue, sources.map(\.wrappedValue))
      }
      #expect(total == parts.reduce(0, +))
    }

    @Test func `nobody sees half of two writes`() async {  // CO07, W14
      let a = Stored(0)
      let b = Stored(0)
      let sum = Computed { _ in a.wrappedValue + b.wrappedValue }
      await withTaskGroup { group in
        for index in 0..<1_000 {
          group.addTask {
            await withGraphTransaction {
              a.wrappedValue = index
              b.wrappedValue = index
            }
          }
          group.addTask {
            let total = await sum.value
            #expect(total.isMultiple(of: 2))
            let (one, two, both) = await GraphActor.run {
              (a.wrappedValue, b.wrappedValue, sum.wrappedValue)
            }
            #expect(one == two)
            #expect(both == one + two)
          }
        }
      }
      let last = await a.value
      #expect(await sum.value == last * 2)
    }

    @Test func `a diamond under concurrent writes is never torn`() async {  // CO08, W14
      let source = Stored(1)
      let double = Computed { _ in source.wrappedValue * 2 }
      let plus = Computed { _ in source.wrappedValue + 10 }
      let final = Computed { _ in [double.wrappedValue, plus.wrappedValue] }
      await source.set(5)
      #expect(await final.value == [10, 15])
      await withTaskGroup { group in
        for index in 0..<100 {
          group.addTask { await source.set(index) }
          group.addTask {
            let pair = await final.value
            #expect(pair[0] == 2 * (pair[1] - 10))
          }
        }
      }
      let last = await source.value
      #expect(await final.value == [last * 2, last + 10])
    }

    @Test func `an observer of a diamond never sees a mix`() async {  // W14
      let source = Stored(0)
      let double = Computed { _ in source.wrappedValue * 2 }
      let triple = Computed { _ in source.wrappedValue * 3 }
      let collector = Task {
        for await pair in GraphTrackings({ [double.wrappedValue, triple.wrappedValue] }) {
          #expect(pair[0] * 3 == pair[1] * 2)
          if pair[0] == 2_000 { return }
        }
      }
      for value in 1...1_000 { await source.set(value) }
      await collector.value
    }

    @Test func `nodes are made and dropped by many tasks`() async {
      let source = Stored(1)
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            for index in 0..<100 {
              let inner = Computed { _ in source.wrappedValue + index }
              let outer = Computed { [weak inner] _ in inner?.wrappedValue ?? -1 }
              if index.isMultiple(of: 10) { await source.set(index) }
              #expect(await outer.value >= index)
              withExtendedLifetime(inner) {}
            }
          }
        }
      }
    }

    struct Steps: Equatable {
      var count = 0
      mutating func advance() async {
        count += 1
        await Task.yield()
        count += 1
        await Task.yield()
        count += 1
      }
    }

    @GraphActor final class Model {
      @GraphStored var steps = Steps()
    }

    @Test @GraphActor func `an async mutation of a copy is one write`() async {  // DL01, DL02, F11
      let log = Log()
      let model = Model()
      let c = log.computedValues("c") { [node = model.$steps] in node.wrappedValue.count }
      #expect(c.wrappedValue == 0)
      var steps = model.steps
      await steps.advance()
      #expect(c.wrappedValue == 0)
      model.steps = steps
      #expect(c.wrappedValue == 3)
      #expect(log.take() == ["c 0", "c 3"])
    }

    @Test @GraphActor func `three mutations in an update are one write`() async {  // DL02
      let log = Log()
      let node = Stored(Steps())
      let c = log.computedValues("c") { node.wrappedValue.count }
      let observer = await Observer(of: c)
      await node.update { steps in
        for _ in 1...3 { steps.count += 1 }
      }
      #expect(log.take() == ["c 0", "c 3"])
      observer.end()
    }

    @Test @GraphActor func `three assignments and one read are one run`() {  // DL03
      let log = Log()
      let node = Stored(0)
      let c = log.computedValues("c") { node.wrappedValue }
      #expect(c.wrappedValue == 0)
      for value in 1...3 { node.wrappedValue = value }
      #expect(c.wrappedValue == 3)
      #expect(log.take() == ["c 0", "c 3"])
    }

    @Test @GraphActor func `two assignments, each read, are two runs`() {  // DL04
      let log = Log()
      let node = Stored(0)
      let c = log.computedValues("c") { node.wrappedValue }
      #expect(c.wrappedValue == 0)
      for value in 1...2 {
        node.wrappedValue = value
        #expect(c.wrappedValue == value)
      }
      #expect(log.take() == ["c 0", "c 1", "c 2"])
    }
  }
}
