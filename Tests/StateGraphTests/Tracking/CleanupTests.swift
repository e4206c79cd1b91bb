import StateGraph
import StateGraphTesting
import Testing

/// What is called before the next run of a group and at its end; cases 139 to 150, 174 to 185.
@GraphActor @Suite struct CleanupTests {
  private let recorder = Recorder()

  @Test func `a cleanup comes before the next run, and once at the end`() async {
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        let value = node.wrappedValue
        recorder.record("run \(value)")
        withGraphTrackingCleanup { recorder.record("cleanup \(value)") }
      }
    }
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["run 0", "cleanup 0", "run 1"])
    tracking.cancel()
    tracking.cancel()
    await GraphActor.settle()
    #expect(recorder.take() == ["cleanup 1"])
  }

  @Test func `cleanups go from the inside out, the latest first`() async {
    let (outer, inner) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        _ = outer.wrappedValue
        withGraphTrackingCleanup { recorder.record("outer 1") }
        withGraphTrackingCleanup { recorder.record("outer 2") }
        for name in ["a", "b"] {
          withGraphTrackingGroup {
            _ = inner.wrappedValue
            recorder.record("run \(name)")
            withGraphTrackingCleanup { recorder.record("inner \(name)") }
          }
        }
      }
    }
    _ = recorder.take()
    inner.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["inner a", "run a", "inner b", "run b"])
    outer.wrappedValue = 1
    await GraphActor.settle()
    #expect(
      recorder.take() == ["inner b", "inner a", "outer 2", "outer 1", "run a", "run b"])
    tracking.cancel()
    await GraphActor.settle()
    #expect(recorder.take() == ["inner b", "inner a", "outer 2", "outer 1"])
  }

  @Test func `a cleanup reads fresh values and tracks nothing`() async {
    let (tracked, untracked) = (Stored(10), Stored(1))
    let sum = Computed { _ in tracked.wrappedValue + untracked.wrappedValue }
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("run \(tracked.wrappedValue)")
        withGraphTrackingCleanup { recorder.record("cleanup \(sum.wrappedValue)") }
      }
    }
    tracked.wrappedValue = 20
    await GraphActor.settle()
    #expect(recorder.take() == ["run 10", "cleanup 21", "run 20"])
    untracked.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == [])
    tracking.cancel()
  }

  @Test func `a cleanup that writes what the group reads does not make it run for ever`() async {
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("\(node.wrappedValue)")
        withGraphTrackingCleanup { node.wrappedValue = 2 }
      }
    }
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["0", "2"])
    tracking.cancel()
  }

  @Test func `a cleanup that cancels its group is the last of it`() async {
    let node = Stored(0)
    var tracking: GraphCancellable?
    tracking = withGraphTracking {
      withGraphTrackingGroup {
        recorder.record("run \(node.wrappedValue)")
        withGraphTrackingCleanup {
          recorder.record("cleanup")
          tracking?.cancel()
        }
      }
    }
    node.wrappedValue = 1
    await GraphActor.settle()
    node.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == ["run 0", "cleanup"])
    _ = tracking
  }

  @Test func `cancelling from elsewhere cleans up on the actor`() async {
    let log = EventLog<String>()
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        withGraphTrackingGroup { withGraphTrackingCleanup { log.record("inner") } }
        withGraphTrackingCleanup {
          GraphActor.shared.preconditionIsolated()
          log.record("outer")
        }
      }
    }
    await Task.detached { tracking.cancel() }.value
    await GraphActor.settle()
    #expect(log.events == ["inner", "outer"])
  }

  @Test func `what a cleanup makes does not belong to who happens to be at work`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = Stored(0)
      _ = await withGraphTracking {
        withGraphTrackingGroup(delivery: .immediate) {
          _ = node.wrappedValue
          withGraphTrackingCleanup { withGraphTrackingGroup {} }
        }
        node.wrappedValue = 1
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("a group or a map is made outside of withGraphTracking"))
  }

  @Test func `a cleanup may begin to track`() async {
    let node = Stored(0)
    var later: GraphCancellable?
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        withGraphTrackingCleanup {
          later = withGraphTracking {
            withGraphTrackingGroup { recorder.record("later \(node.wrappedValue)") }
          }
        }
      }
    }
    tracking.cancel()
    await GraphActor.settle()
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["later 0", "later 1"])
    later?.cancel()
  }
}
