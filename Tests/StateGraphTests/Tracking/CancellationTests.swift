import StateGraph
import StateGraphTesting
import Testing

@GraphActor @Suite struct TrackingCancellationTests {
  private let recorder = Recorder()

  @Test func `nothing runs after the end, on whatever is written`() async {
    let nodes = (0..<10).map { _ in Stored(0) }
    let tracking = withGraphTracking {
      for delivery in [GraphDelivery.coalesced, .immediate] {
        withGraphTrackingGroup(delivery: delivery) {
          recorder.record("\(nodes.reduce(0) { $0 + $1.wrappedValue })")
        }
      }
    }
    _ = recorder.take()
    tracking.cancel()
    for node in nodes { node.wrappedValue += 1 }
    await GraphActor.settle()
    #expect(recorder.take() == [])
  }

  @Test func `a group that is cancelled while it waits for its run does not run`() async {
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup { recorder.record("\(node.wrappedValue)") }
    }
    node.wrappedValue = 1
    tracking.cancel()
    await GraphActor.settle()
    #expect(recorder.take() == ["0"])
  }

  @Test(arguments: [GraphDelivery.coalesced, .immediate])
  func `a handler may cancel itself: the run goes on to its end`(
    _ delivery: GraphDelivery
  ) async {
    // Cases 147, 151, 152.
    let (node, other) = (Stored(0), Stored(0))
    var tracking: GraphCancellable?
    tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("run \(node.wrappedValue)")
        guard node.wrappedValue == 2 else { return }
        tracking?.cancel()
        _ = other.wrappedValue
        withGraphTrackingGroup { recorder.record("never") }
        node.wrappedValue = 3
        recorder.record("end")
      }
    }
    for value in [1, 2, 4] {
      node.wrappedValue = value
      await GraphActor.settle()
    }
    other.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["run 0", "run 1", "run 2", "end"])
    _ = tracking
  }

  @Test func `a handler that cancels itself releases its captures when it returns`() async {
    let alive = LiveCount()
    let node = Stored(0)
    var tracking: GraphCancellable?
    do {
      let token = alive.token()
      tracking = withGraphTracking {
        withGraphTrackingGroup(delivery: .immediate) { [token] in
          if node.wrappedValue == 1 {
            tracking?.cancel()
            recorder.record("\(alive.current)")
          }
          withExtendedLifetime(token) {}
        }
      }
    }
    node.wrappedValue = 1
    #expect(recorder.take() == ["1"])
    #expect(alive.current == 0)
    _ = tracking
  }

  @Test func `a group that another one cancels in the same commit does not run`() {
    // Cases 125, 156.
    let node = Stored(0)
    var second: GraphCancellable?
    let first = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("first \(node.wrappedValue)")
        if node.wrappedValue == 1 { second?.cancel() }
      }
    }
    second = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("second \(node.wrappedValue)")
      }
    }
    node.wrappedValue = 1
    node.wrappedValue = 2
    #expect(recorder.take() == ["first 0", "second 0", "first 1", "first 2"])
    first.cancel()
  }

  @Test func `a rule that ends a group while it is evaluated for it`() {
    // Cases 154, 155, bug report 59.
    let source = Stored(0)
    var first: GraphCancellable?
    let ending = Computed { _ in
      if source.wrappedValue == 1 { first?.cancel() }
      return source.wrappedValue
    }
    let sibling = Computed { _ in source.wrappedValue > 100 }
    first = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("first \(ending.wrappedValue) \(sibling.wrappedValue)")
      }
    }
    let second = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("second \(ending.wrappedValue)")
      }
    }
    _ = recorder.take()
    for value in 1...3 { source.wrappedValue = value }
    #expect(recorder.take() == ["second 1", "second 2", "second 3"])
    second.cancel()
  }

  @Test func `the end from another thread, while commits go on, is final`() async {
    let node = Stored(0)
    let alive = LiveCount()
    for _ in 0..<200 {
      let tracking = withGraphTracking {
        for delivery in [GraphDelivery.coalesced, .immediate] {
          withGraphTrackingGroup(delivery: delivery) { [token = alive.token()] in
            withExtendedLifetime(token) { _ = node.wrappedValue }
            withGraphTrackingGroup { withExtendedLifetime(token) { _ = node.wrappedValue } }
          }
        }
      }
      async let ended: Void = Task.detached { tracking.cancel() }.value
      for _ in 0..<5 {
        node.wrappedValue += 1
        await Task.yield()
      }
      await ended
      await GraphActor.settle()
      #expect(alive.current == 0)
    }
  }

  @Test func `a handler is not called after the end, although its value is on its way`() async {
    let node = Stored(0)
    let alive = LiveCount()
    let shown = EventLog<Int>()
    let tracking = { [token = alive.token()] in
      withGraphTracking {
        withGraphTrackingMap(
          { node.wrappedValue },
          onChange: { @BusyScreen value in
            extendLifetime(token)
            shown.record(value)
          })
      }
    }()
    await BusyScreen.executor.waitForJob()
    tracking.cancel()
    #expect(alive.current == 0)
    BusyScreen.executor.release()
    await GraphActor.settle()
    #expect(shown.events == [])
  }

  @Test func `10^5 changes leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let (hot, cold) = (Stored(0), Stored(0))
      let before = await (Graph.shared.nodeCount, Graph.shared.edgeCount)
      let tracking = await withGraphTracking {
        withGraphTrackingGroup(delivery: .immediate) {
          _ = hot.wrappedValue + cold.wrappedValue
          withGraphTrackingGroup { _ = cold.wrappedValue }
          withGraphTrackingCleanup {}
        }
      }
      for value in 1...100 {
        await GraphActor.run {
          for step in 0..<1_000 { hot.wrappedValue = value * 1_000 + step }
        }
        await GraphActor.settle()
        let counts = await (Graph.shared.nodeCount, Graph.shared.edgeCount)
        #expect(counts == (before.0 + 4, 3))
      }
      tracking.cancel()
      await GraphActor.settle()
      let after = await (Graph.shared.nodeCount, Graph.shared.edgeCount)
      #expect(after == (before.0 + 2, 0))
      withExtendedLifetime((hot, cold)) {}
    }
  }

  @Test func `cancellables can be kept in arrays and sets`() async {
    let node = Stored(0)
    var array: [GraphCancellable] = []
    var set: Set<GraphCancellable> = []
    withGraphTracking {
      withGraphTrackingGroup { recorder.record("array \(node.wrappedValue)") }
    }
    .store(in: &array)
    withGraphTracking {
      withGraphTrackingGroup { recorder.record("set \(node.wrappedValue)") }
    }
    .store(in: &set)
    _ = recorder.take()
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take().sorted() == ["array 1", "set 1"])
    array = []
    set = []
    node.wrappedValue = 2
    await GraphActor.settle()
    #expect(recorder.take() == [])
  }
}

@globalActor private actor BusyScreen {
  static let shared = BusyScreen()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}
