import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Properties that are nodes.
@Suite struct PropertyTests {
  @Test @GraphActor func `native observers see the value before and after`() {
    let model = Observed()
    model.count = 1
    model.count = 3
    model.count = 3
    #expect(model.log == ["will 0 1", "did 0 1", "will 1 3", "did 1 3", "will 3 3", "did 3 3"])
  }

  @Test @GraphActor func `native observers in a transaction see staged values`() {
    let model = Observed()
    withGraphTransaction {
      model.count = 1
      model.count = 2
    }
    #expect(model.log == ["will 0 1", "did 0 1", "will 1 2", "did 1 2"])
    #expect(model.count == 2)
  }

  @Test @GraphActor func `an optional property starts as nil and can be assigned in any order`() {
    #expect(Optionals(name: nil, age: 3).name == nil)
    let model = Optionals(name: "a", age: 3)
    #expect(model.name == "a")
    #expect(model.nickname == nil)
    #expect(model.age == 3)
    model.nickname = "b"
    #expect(model.nickname == "b")
  }

  @Test @GraphActor func `two models share a node`() {
    let first = Observed()
    let second = Sharing(first)
    second.count = 5
    #expect(first.count == 5)
    first.count = 6
    #expect(second.double == 12)
    #expect(first.$count === second.$count)
  }

  @Test @GraphActor func `a private setter keeps the property readable`() {
    let model = Restricted()
    model.increment()
    #expect(model.count == 1)
  }

  @Test @GraphActor func `a static property is a node`() {
    let double = Computed { _ in Statics.count * 2 }
    #expect(double.wrappedValue == 0)
    Statics.count = 4
    #expect(double.wrappedValue == 8)
  }

  @Test func `a node at the top level of a file is one`() async {
    let double = topLevelCount.map { $0 * 2 }
    #expect(await double.value == 2)
    await topLevelCount.set(21)
    #expect(await double.value == 42)
  }

  @Test func `properties are reached from outside by awaiting them`() async {
    let model = await Observed()
    await model.$count.set(4)
    #expect(await model.count == 4)
    await withGraphTransaction { model.count += 1 }
    #expect(await model.isEven == false)
  }

  @Test @GraphActor
  func `an observer that corrects what was assigned makes two commits, or one in a transaction`() {
    let model = Corrected()
    let seen = EventLog<Int>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { seen.record(model.count) }
    }
    model.count = 20
    #expect(seen.events == [0, 20, 10])
    withGraphTransaction { model.count = 5 }
    withGraphTransaction { model.count = 30 }
    #expect(seen.events == [0, 20, 10, 5, 10])
    // The corrections are told to the observer, too.
    #expect(model.calls == 5)
    tracking.cancel()
  }

  @Test func `an update that changes an object in place changes nothing, another object does`()
    async
  {
    let node = Stored(Sheet(1))
    let seen = EventLog<Int>()
    let tracking = await withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { seen.record(node.wrappedValue.number.value) }
    }
    await node.update { $0.number.value = 2 }
    #expect(seen.events == [1])
    #expect(node.committedValue.number.value == 2)
    await node.update { $0 = Sheet(3) }
    #expect(seen.events == [1, 3])
    tracking.cancel()
  }

  @Test @GraphActor func `a modification that nobody is told of is seen by those who run again`()
    async
  {
    let node = Stored([1])
    let other = Stored(0)
    let first = Computed { node.wrappedValue.count }
    let second = Computed { node.wrappedValue.count + other.wrappedValue }
    #expect(first.wrappedValue + second.wrappedValue == 2)
    node.unsafeModify { $0.append(2) }
    #expect(node.wrappedValue == [1, 2] && node.committedValue == [1, 2])
    #expect(first.wrappedValue == 1)
    #expect(second.wrappedValue == 1)
    other.wrappedValue = 10
    #expect(first.wrappedValue == 1)
    #expect(second.wrappedValue == 12)
    // Equal to the modified value: no change.
    node.wrappedValue = [1, 2]
    #expect(first.wrappedValue == 1)
    node.wrappedValue = [1, 2, 3]
    #expect(first.wrappedValue == 3)
  }

  @Test func `a model that is not isolated holds its nodes`() async {
    final class Model: Sendable {
      let count = Stored(0)
      let double: Computed<Int>
      init() { double = count.map { $0 * 2 } }
    }
    let model = Model()
    await model.count.set(2)
    #expect(await model.double.value == 4)
  }
}

@GraphActor private final class Observed {
  var log: [String] = []
  @GraphStored var count = 0 {
    willSet { log.append("will \(count) \(newValue)") }
    didSet { log.append("did \(oldValue) \(count)") }
  }
  @GraphComputed var isEven: Bool

  init() {
    $isEven = .init { [$count] _ in $count.wrappedValue.isMultiple(of: 2) }
  }
}

/// An object that can be changed from anywhere.
private final class Sheet: Sendable {
  final class Number: Sendable {
    private let state: Mutex<Int>
    init(_ value: Int) { state = Mutex(value) }
    var value: Int {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  let number: Number
  init(_ value: Int) { number = Number(value) }
}

@GraphActor private final class Corrected {
  private(set) var calls = 0
  @GraphStored var count = 0 {
    didSet {
      calls += 1
      if count > 10 { count = 10 }
    }
  }
}

@GraphActor private final class Optionals {
  @GraphStored var name: String?
  @GraphStored var nickname: String?
  let age: Int

  init(name: String?, age: Int) {
    self.name = name
    self.age = age
  }
}

@GraphActor private final class Sharing {
  @GraphStored var count = 0
  @GraphComputed var double: Int

  init(_ other: Observed) {
    $count = other.$count
    $double = .init { [$count] _ in $count.wrappedValue * 2 }
  }
}

@GraphActor private final class Restricted {
  @GraphStored private(set) var count = 0

  func increment() { count += 1 }
}

@GraphActor private enum Statics {
  @GraphStored static var count = 0
}

private let topLevelCount = Stored(1)
