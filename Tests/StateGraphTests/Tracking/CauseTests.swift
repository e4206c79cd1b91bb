import StateGraph
import StateGraphTesting
import Testing

/// What is news to a group, and what causes what.
@GraphActor @Suite struct CauseTests {
  private let recorder = Recorder()

  nonisolated static let deliveries: [GraphDelivery] = [.coalesced, .immediate]

  // MARK: - Own writes

  @Test(arguments: deliveries, deliveries)
  func `what a nested group writes is news to the outer one, its first run included`(
    _ outer: GraphDelivery, _ inner: GraphDelivery
  ) async {
    let (a, y) = (Stored(1), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: outer) {
        recorder.record("\(y.wrappedValue)")
        withGraphTrackingGroup(delivery: inner) { y.wrappedValue = a.wrappedValue * 2 }
      }
    }
    await GraphActor.settle()
    #expect(recorder.take() == ["0", "2"])
    a.wrappedValue = 5
    await GraphActor.settle()
    #expect(recorder.take() == ["10"])
    tracking.cancel()
  }

  @Test(arguments: deliveries, deliveries)
  func `a group waits for the outer one that its cleanup concerns`(
    _ outer: GraphDelivery, _ inner: GraphDelivery
  ) async {
    let (x, y) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: outer) { [recorder] in
        recorder.record("outer \(x.wrappedValue)")
        withGraphTrackingGroup(delivery: inner) {
          recorder.record("inner \(y.wrappedValue)")
          withGraphTrackingCleanup { x.wrappedValue = 1 }
        }
      }
    }
    y.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["outer 0", "inner 0", "outer 1", "inner 1"])
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `what a nested group writes is news through computed nodes, too`(
    _ delivery: GraphDelivery
  ) async {
    let (a, y) = (Stored(1), Stored(0))
    let double = y.map { $0 * 2 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("\(double.wrappedValue)")
        withGraphTrackingGroup {
          y.wrappedValue = a.wrappedValue
          // It is up to date when the outer run ends.
          _ = double.wrappedValue
        }
      }
    }
    await GraphActor.settle()
    #expect(recorder.take() == ["0", "2"])
    tracking.cancel()
  }

  /// What writes on behalf of a group, and is not the closure of the group.
  enum Writer: CaseIterable, Sendable {
    case handlerOfAssignments, handlerOfCommit, handlerOfRollback, destructor, cleanup, map, filter
  }

  @GraphActor private final class Destructor {
    private let node: Stored<Int>
    private let value: Int

    init(_ node: Stored<Int>, _ value: Int) {
      self.node = node
      self.value = value
    }

    isolated deinit { node.wrappedValue = value }
  }

  private struct WritingFilter: GraphFilter {
    let node: Stored<Int>

    func send(_ value: Int) -> Int? {
      node.wrappedValue = value * 2
      return value
    }
  }

  @Test(arguments: deliveries, Writer.allCases)
  func `what others write in the run of a group is news to it`(
    _ delivery: GraphDelivery, _ writer: Writer
  ) async {
    let (a, x, y) = (Stored(1), Stored(0), Stored(0))
    let held = Stored<Destructor?>(nil)
    if writer == .handlerOfAssignments { x.onDidSet { y.wrappedValue = $1 * 2 } }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("\(y.wrappedValue)")
        let value = a.wrappedValue
        switch writer {
        case .handlerOfAssignments:
          x.wrappedValue = value
        case .handlerOfCommit:
          withGraphTransaction {
            GraphTransaction.current?.onCommit { y.wrappedValue = value * 2 }
          }
        case .handlerOfRollback:
          try? withGraphTransaction {
            GraphTransaction.current?.onRollback { y.wrappedValue = value * 2 }
            throw CancellationError()
          }
        case .destructor:
          if y.wrappedValue != value * 2 {
            held.wrappedValue = Destructor(y, value * 2)
            held.wrappedValue = nil
          }
        case .cleanup:
          withGraphTracking {
            withGraphTrackingGroup { withGraphTrackingCleanup { y.wrappedValue = value * 2 } }
          }
          .cancel()
        case .map:
          withGraphTrackingMap {
            a.wrappedValue
          } onChange: { @GraphActor in
            y.wrappedValue = $0 * 2
          }
        case .filter:
          withGraphTrackingMap(filter: WritingFilter(node: y)) {
            a.wrappedValue
          } onChange: { @GraphActor _ in
          }
        }
      }
    }
    await GraphActor.settle()
    #expect(recorder.take().last == "2")
    a.wrappedValue = 5
    await GraphActor.settle()
    #expect(recorder.take().last == "10")
    #expect(y.wrappedValue == 10)
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a group's own writes are no news, also in an untracked block`(
    _ delivery: GraphDelivery
  ) async {
    let (a, y) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("\(a.wrappedValue) \(y.wrappedValue)")
        y.wrappedValue += 1
        GraphActor.withoutTracking { y.wrappedValue += 1 }
        withGraphTransaction { y.wrappedValue += 1 }
      }
    }
    a.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["0 0", "1 3"])
    y.wrappedValue = 10
    await GraphActor.settle()
    #expect(recorder.take() == ["1 10"])
    tracking.cancel()
  }

  @Test func `a node that a group reads after it was written in its run is no news`() async {
    let (a, y) = (Stored(1), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        let value = a.wrappedValue
        withGraphTrackingGroup { y.wrappedValue = value }
        recorder.record("\(y.wrappedValue)")
      }
    }
    for value in 2...3 {
      a.wrappedValue = value
      await GraphActor.settle()
    }
    #expect(recorder.take() == ["1", "2", "3"])
    tracking.cancel()
  }

  // MARK: - Nodes that a run makes

  /// How a run changes what it has made.
  enum Draft: CaseIterable, Sendable {
    case plainly, inTransaction, inNestedGroup, afterReading, inUntrackedBlock
  }

  private func fillIn(_ draft: Draft, from source: Stored<Int>) -> Int {
    let amount = Stored(source.wrappedValue)
    let total = amount.map { $0 * 10 }
    switch draft {
    case .plainly:
      amount.wrappedValue += 1
      _ = total.wrappedValue
      amount.wrappedValue += 1
    case .inTransaction:
      withGraphTransaction {
        amount.wrappedValue += 1
        _ = total.wrappedValue
        amount.wrappedValue += 1
        _ = total.wrappedValue
      }
    case .inNestedGroup:
      _ = total.wrappedValue
      withGraphTrackingGroup { amount.wrappedValue = 2 + source.wrappedValue }
    case .afterReading:
      _ = total.wrappedValue
      amount.wrappedValue += 2
    case .inUntrackedBlock:
      _ = total.wrappedValue
      GraphActor.withoutTracking { amount.wrappedValue += 2 }
    }
    return GraphActor.withoutTracking { total.wrappedValue }
  }

  @Test(arguments: deliveries, Draft.allCases)
  func `what a group does to nodes that it has made is no news to it`(
    _ delivery: GraphDelivery, _ draft: Draft
  ) async {
    let source = Stored(1)
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("\(fillIn(draft, from: source))")
      }
    }
    for value in 2...3 {
      await GraphActor.settle()
      source.wrappedValue = value
      await GraphActor.settle()
    }
    #expect(recorder.take() == ["30", "40", "50"])
    #expect(Graph.shared.brokenInvariants() == [])
    tracking.cancel()
  }

  @Test(arguments: Draft.allCases.filter { $0 != .inNestedGroup })
  func `what a tracked expression does to nodes that it has made is no news to it`(
    _ draft: Draft
  ) async {
    let source = Stored(1)
    let totals = Conformance.Consumer(
      GraphTrackings { [recorder] in
        recorder.record("run")
        return fillIn(draft, from: source)
      })
    for value in 1...3 {
      source.wrappedValue = value
      await GraphActor.settle()
      #expect(await totals.take() == [value * 10 + 20])
    }
    #expect(recorder.take() == ["run", "run", "run"])
    await totals.cancel()
  }

  @Test func `what others do meanwhile to what depends on a made node is news`() async {
    let (a, factor) = (Stored(1), Stored(10))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        let amount = Stored(a.wrappedValue)
        let total = Computed { _ in amount.wrappedValue * factor.wrappedValue }
        let seen = total.wrappedValue
        amount.wrappedValue += 1
        withGraphTrackingGroup { factor.wrappedValue = 20 }
        recorder.record("\(seen)")
      }
    }
    await GraphActor.settle()
    #expect(recorder.take() == ["10", "20"])
    tracking.cancel()
  }

  // MARK: - Staged values that a run has seen

  @Test(arguments: deliveries)
  func `a group that reads what it has staged runs once for a change`(
    _ delivery: GraphDelivery
  ) async {
    let (a, b) = (Stored(0), Stored(0))
    let double = b.map { $0 * 2 }
    let further = double.map { $0 + 1 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        withGraphTransaction {
          b.wrappedValue = a.wrappedValue
          recorder.record("\(further.wrappedValue)")
        }
      }
    }
    for value in 1...3 {
      a.wrappedValue = value
      await GraphActor.settle()
    }
    #expect(recorder.take() == ["1", "3", "5", "7"])
    b.wrappedValue = 10
    await GraphActor.settle()
    // It has read the node, and puts it back.
    #expect(recorder.take() == ["7"])
    tracking.cancel()
  }

  @Test func `a staged value that is replaced after it was read is news`() async {
    let (a, b) = (Stored(0), Stored(0))
    let double = b.map { $0 * 2 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        withGraphTransaction {
          let value = a.wrappedValue
          recorder.record("\(double.wrappedValue)")
          b.wrappedValue = value
        }
      }
    }
    a.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["0", "0", "2"])
    tracking.cancel()
  }

  // MARK: - Handlers of assignments

  @Test func `two nodes that copy each other come to rest`() async {
    let (x, y) = (Stored(0), Stored(0))
    var told: [String] = []
    x.onDidSet { _, new in
      told.append("x \(new)")
      y.wrappedValue = new
    }
    y.onDidSet { _, new in
      told.append("y \(new)")
      x.wrappedValue = new
    }
    x.wrappedValue = 20
    #expect((x.wrappedValue, y.wrappedValue) == (20, 20))
    #expect(told == ["x 20", "y 20"])
    y.wrappedValue = 20
    #expect(told == ["x 20", "y 20", "y 20", "x 20"])
  }

  @Test func `a clamp of a node in its own handler comes to rest`() async {
    let x = Stored(0)
    var told: [Int] = []
    x.onDidSet { _, new in
      told.append(new)
      x.wrappedValue = min(new, 10)
    }
    x.wrappedValue = 20
    #expect(x.wrappedValue == 10)
    x.wrappedValue = 5
    #expect(told == [20, 10, 5])
    withGraphTransaction {
      x.wrappedValue = 30
      #expect(x.wrappedValue == 10)
    }
    #expect(told == [20, 10, 5, 30, 10])
  }

  @Test func `a handler that is reached through a group comes to rest`() async {
    let (x, y) = (Stored(0), Stored(0))
    var told: [Int] = []
    x.onDidSet { _, new in
      told.append(new)
      y.wrappedValue = new
    }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) { x.wrappedValue = y.wrappedValue }
    }
    told = []
    x.wrappedValue = 7
    #expect(told == [7])
    tracking.cancel()
  }
}
