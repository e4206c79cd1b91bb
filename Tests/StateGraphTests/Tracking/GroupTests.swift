import StateGraph
import Testing

@GraphActor @Suite struct GroupTests {
  private let recorder = Recorder()

  @Test func `the first run is over when the call returns`() {
    let tracking = withGraphTracking {
      withGraphTrackingGroup { recorder.record("run") }
      recorder.record("after the call")
    }
    #expect(recorder.take() == ["run", "after the call"])
    tracking.cancel()
  }

  @Test func `a coalesced group answers many commits by one run`() async {
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup { recorder.record("\(node.wrappedValue)") }
    }
    for value in 1...1_000 { node.wrappedValue = value }
    await GraphActor.settle()
    #expect(recorder.take() == ["0", "1000"])
    tracking.cancel()
  }

  @Test func `an immediate group runs once in each commit, before the writer goes on`() {
    let (left, right) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("\(left.wrappedValue) \(right.wrappedValue)")
      }
    }
    left.wrappedValue = 1
    recorder.record("between")
    withGraphTransaction {
      left.wrappedValue = 2
      right.wrappedValue = 2
    }
    #expect(recorder.take() == ["0 0", "1 0", "between", "2 2"])
    tracking.cancel()
  }

  @Test func `a group does not run if what it has read turns out to be unchanged`() async {
    let node = Stored(1)
    let isPositive = Computed { _ in node.wrappedValue > 0 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup { recorder.record("coalesced \(isPositive.wrappedValue)") }
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("immediate \(isPositive.wrappedValue)")
      }
    }
    node.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == ["coalesced true", "immediate true"])
    tracking.cancel()
  }

  @Test func `a value that comes back before the run causes none`() async {
    let node = Stored(1)
    let half = Computed { _ in node.wrappedValue / 2 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup { recorder.record("\(half.wrappedValue)") }
    }
    node.wrappedValue = 10
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["0"])
    tracking.cancel()
  }

  @Test func `groups run in the order in which they were made`() {
    let node = Stored(0)
    let tracking = withGraphTracking {
      for name in ["a", "b", "c"] {
        withGraphTrackingGroup(delivery: .immediate) {
          recorder.record("\(name)\(node.wrappedValue)")
        }
      }
    }
    node.wrappedValue = 1
    #expect(recorder.take() == ["a0", "b0", "c0", "a1", "b1", "c1"])
    tracking.cancel()
  }

  @Test func `the outer group comes first, whoever was marked first`() async {
    for delivery in [GraphDelivery.immediate, .coalesced] {
      let node = Stored(0)
      let other = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup(delivery: delivery) {
          // The inner group's edge is older than the one that is made by this read.
          withGraphTrackingGroup(delivery: delivery) {
            recorder.record("inner \(node.wrappedValue)")
          }
          recorder.record("outer \(other.wrappedValue) \(node.wrappedValue)")
        }
      }
      node.wrappedValue = 1
      await GraphActor.settle()
      #expect(recorder.take() == ["inner 0", "outer 0 0", "inner 1", "outer 0 1"])
      tracking.cancel()
    }
  }

  @Test func `an immediate group waits for the coalesced one that it is nested in`() async {
    let items = Stored([1, 2, 3])
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        for index in items.wrappedValue.indices {
          withGraphTrackingGroup(delivery: .immediate) {
            // Reads beyond the end if it runs after the list has shrunk.
            recorder.record("\(items.wrappedValue[index])")
          }
        }
      }
    }
    items.wrappedValue = [4]
    await GraphActor.settle()
    #expect(recorder.take() == ["1", "2", "3", "4"])
    tracking.cancel()
  }

  @Test func `tracking that begins in a group is not ended by it`() async {
    let (outer, inner) = (Stored(0), Stored(0))
    var kept: [GraphCancellable] = []
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("outer \(outer.wrappedValue)")
        withGraphTracking {
          withGraphTrackingGroup { recorder.record("inner \(inner.wrappedValue)") }
        }
        .store(in: &kept)
      }
    }
    outer.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["outer 0", "inner 0", "outer 1", "inner 0"])
    inner.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["inner 1", "inner 1"])
    tracking.cancel()
    inner.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == ["inner 2", "inner 2"])
    kept = []
    inner.wrappedValue = 3
    await GraphActor.settle()
    #expect(recorder.take() == [])
  }

  @Test func `what a task reads that a handler has started is not tracked`() async {
    let (read, unread) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("run \(read.wrappedValue)")
        Task { _ = unread.wrappedValue }
      }
    }
    await GraphActor.settle()
    unread.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["run 0"])
    tracking.cancel()
  }

  @Test func `a group in a transaction sees what the transaction sees`() async {
    let node = Stored(0)
    let twice = Computed { _ in node.wrappedValue * 2 }
    let tracking = withGraphTransaction {
      node.wrappedValue = 21
      return withGraphTracking {
        withGraphTrackingGroup { recorder.record("\(node.wrappedValue) \(twice.wrappedValue)") }
      }
    }
    #expect(recorder.take() == ["21 42"])
    await GraphActor.settle()
    _ = recorder.take()
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["1 2"])
    tracking.cancel()
  }

  struct Failure: Error {}

  @Test func `a group that has seen staged values hears that others have undone them`() async {
    let node = Stored(0)
    let double = node.map { $0 * 2 }
    var tracking: GraphCancellable?
    withGraphTransaction {
      node.wrappedValue = 5
      tracking = withGraphTracking {
        withGraphTrackingGroup { recorder.record("\(double.wrappedValue)") }
      }
    }
    // Before the group runs again, the value is what it was before the transaction.
    node.wrappedValue = 0
    await GraphActor.settle()
    #expect(recorder.take() == ["10", "0"])
    tracking?.cancel()
  }

  @Test func `a group that has seen discarded values looks again`() async {
    let node = Stored(0)
    var tracking: GraphCancellable?
    #expect(throws: Failure.self) {
      try withGraphTransaction {
        node.wrappedValue = 1
        tracking = withGraphTracking {
          withGraphTrackingGroup { recorder.record("\(node.wrappedValue)") }
        }
        throw Failure()
      }
    }
    await GraphActor.settle()
    #expect(recorder.take() == ["1", "0"])
    tracking?.cancel()
  }

  @Test func `what a node's release changes makes a group run`() async {
    let tracking: GraphCancellable
    do {
      let node = Stored(7)
      tracking = withGraphTracking {
        withGraphTrackingGroup { [weak node] in
          recorder.record("\(node?.wrappedValue ?? -1)")
        }
      }
      withExtendedLifetime(node) {}
    }
    await GraphActor.settle()
    await GraphActor.settle()
    #expect(recorder.take() == ["7", "-1"])
    tracking.cancel()
  }
}
