import StateGraph
import Testing

/// Cases of public suites about effects, translated to groups and maps; the numbers are theirs.
@GraphActor @Suite struct ReactionCaseTests {
  private let recorder = Recorder()

  @Test func `the outer group still reacts after the inner one has run again`() async {  // 29, 171
    let (a, b) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("outer \(a.wrappedValue)")
        withGraphTrackingGroup { recorder.record("inner \(b.wrappedValue)") }
      }
    }
    for value in 1...3 {
      b.wrappedValue = value
      await GraphActor.settle()
    }
    _ = recorder.take()
    a.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["outer 1", "inner 3"])
    tracking.cancel()
  }

  @Test func `a write of the inner group does not run the outer one`() async {  // 172
    let (a, b) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("outer")
        withGraphTrackingGroup { b.wrappedValue = a.wrappedValue }
      }
    }
    a.wrappedValue = 5
    await GraphActor.settle()
    #expect(recorder.take() == ["outer"])
    #expect(b.wrappedValue == 5)
    tracking.cancel()
  }

  @Test func `inner groups made in a loop do not accumulate`() async {  // 40, 180
    let (loop, value) = (Stored(2), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        for _ in 0..<loop.wrappedValue {
          withGraphTrackingGroup { recorder.record("\(value.wrappedValue)") }
        }
      }
    }
    #expect(recorder.take() == ["0", "0"])
    loop.wrappedValue = 1
    value.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["1"])
    value.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == ["2"])
    tracking.cancel()
  }

  @Test func `untracked reads are fresh and no dependencies`() async {  // 250, 252, 254, 256
    let (a, b) = (Stored(1), Stored(1))
    let double = Computed { _ in b.wrappedValue * 2 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        let hidden = GraphActor.withoutTracking { double.wrappedValue }
        recorder.record("\(a.wrappedValue) \(hidden)")
      }
    }
    b.wrappedValue = 5
    await GraphActor.settle()
    #expect(recorder.take() == ["1 2"])
    a.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == ["2 10"])
    tracking.cancel()
  }

  @Test func `writes in an untracked block reach others`() async {  // 257, 259
    let (a, total) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        _ = a.wrappedValue
        GraphActor.withoutTracking { total.wrappedValue += 1 }
      }
      withGraphTrackingGroup(delivery: .immediate) { recorder.record("\(total.wrappedValue)") }
    }
    for value in 1...2 {
      a.wrappedValue = value
      await GraphActor.settle()
    }
    #expect(recorder.take() == ["1", "2", "3"])
    tracking.cancel()
  }

  @Test func `the handler of a map is not tracked, nor does it leak to a group around it`() async {
    // 159, 160
    let (a, b) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("group")
        withGraphTrackingMap {
          a.wrappedValue
        } onChange: { value in
          recorder.record("map \(value) \(b.wrappedValue)")
        }
      }
    }
    b.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["group", "map 0 0"])
    a.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["map 1 1"])
    tracking.cancel()
  }

  @Test func `a branch that is left stops its side effect`() async {  // 240
    let (flag, source, side) = (Stored(true), Stored(1), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        if flag.wrappedValue { side.wrappedValue = source.wrappedValue }
      }
    }
    flag.wrappedValue = false
    await GraphActor.settle()
    source.wrappedValue = 2
    await GraphActor.settle()
    #expect(side.wrappedValue == 1)
    tracking.cancel()
  }

  @Test func `a node that is reverted in a transaction causes no run`() async {  // 32, 115, 116
    let node = Stored(0)
    let tracking = withGraphTracking {
      for delivery in [GraphDelivery.coalesced, .immediate] {
        withGraphTrackingGroup(delivery: delivery) { recorder.record("\(node.wrappedValue)") }
      }
    }
    _ = recorder.take()
    for _ in 0..<3 {
      withGraphTransaction {
        node.wrappedValue = 1
        node.wrappedValue = 0
      }
    }
    await GraphActor.settle()
    #expect(recorder.take() == [])
    tracking.cancel()
  }

  @Test func `a thousand groups on one node run once each`() async {  // 307
    let node = Stored(0)
    var runs = 0
    let tracking = withGraphTracking {
      for _ in 0..<1_000 {
        withGraphTrackingGroup {
          _ = node.wrappedValue
          runs += 1
        }
      }
    }
    runs = 0
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(runs == 1_000)
    tracking.cancel()
  }
}
