import StateGraph
import Testing

/// Handlers that write.
@GraphActor @Suite struct CascadeTests {
  private let recorder = Recorder()

  /// The deliveries, each of which all of this must hold for.
  nonisolated static let deliveries: [GraphDelivery] = [.coalesced, .immediate]

  @Test(arguments: deliveries)
  func `a clamp settles and goes on observing`(_ delivery: GraphDelivery) async {
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        if node.wrappedValue > 10 { node.wrappedValue = 10 }
      }
    }
    for (value, clamped) in [(5, 5), (50, 10), (60, 10), (7, 7), (11, 10)] {
      node.wrappedValue = value
      await GraphActor.settle()
      #expect(node.wrappedValue == clamped)
    }
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a clamp through a computed node settles each time`(_ delivery: GraphDelivery) async {
    // Cases 230, 231.
    let source = Stored(1)
    let copy = Computed { _ in source.wrappedValue }
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        if copy.wrappedValue > 0 { source.wrappedValue = 0 }
      }
    }
    for value in 1...3 {
      source.wrappedValue = value
      await GraphActor.settle()
      #expect(source.wrappedValue == 0)
      #expect(copy.wrappedValue == 0)
    }
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a write is seen by the rest of the run, and by later groups`(
    _ delivery: GraphDelivery
  ) async {
    // Cases 224, 226, 227.
    let (source, derived) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        derived.wrappedValue = source.wrappedValue * 2
        recorder.record("wrote \(derived.wrappedValue)")
      }
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("reads \(source.wrappedValue) \(derived.wrappedValue)")
      }
    }
    _ = recorder.take()
    source.wrappedValue = 5
    await GraphActor.settle()
    #expect(recorder.take() == ["wrote 10", "reads 5 10"])
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `the first group reverts, the second ends on the final value`(
    _ delivery: GraphDelivery
  ) async {
    // Case 232.
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        if node.wrappedValue == 1 { node.wrappedValue = 0 }
      }
      withGraphTrackingGroup(delivery: delivery) { recorder.record("\(node.wrappedValue)") }
    }
    for value in [1, 10, 1] {
      node.wrappedValue = value
      await GraphActor.settle()
      #expect(recorder.take().last == (value == 1 ? "0" : "10"))
    }
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `two groups that copy each other settle`(_ delivery: GraphDelivery) async {
    // Case 219.
    let (one, two) = (Stored(0), Stored(1))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) { one.wrappedValue = two.wrappedValue }
      withGraphTrackingGroup(delivery: delivery) { two.wrappedValue = one.wrappedValue }
    }
    await GraphActor.settle()
    #expect((one.wrappedValue, two.wrappedValue) == (1, 1))
    two.wrappedValue = 4
    await GraphActor.settle()
    #expect((one.wrappedValue, two.wrappedValue) == (4, 4))
    one.wrappedValue = 10
    await GraphActor.settle()
    #expect((one.wrappedValue, two.wrappedValue) == (10, 10))
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `three groups run in their order, cascades included`(_ delivery: GraphDelivery) async {
    // Case 166, bug report 43.
    let (one, two) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("1 \(one.wrappedValue)")
        two.wrappedValue = one.wrappedValue
      }
      withGraphTrackingGroup(delivery: delivery) {
        recorder.record("2 \(one.wrappedValue + two.wrappedValue)")
      }
      withGraphTrackingGroup(delivery: delivery) { recorder.record("3 \(one.wrappedValue)") }
    }
    _ = recorder.take()
    one.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["1 1", "2 2", "3 1"])
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a cascade of 39 groups neither overflows nor runs one twice`(
    _ delivery: GraphDelivery
  ) async {
    // Cases 237, 301.
    let nodes = (0..<40).map { _ in Stored(0) }
    var runs = 0
    let tracking = withGraphTracking {
      for index in 1..<40 {
        withGraphTrackingGroup(delivery: delivery) {
          runs += 1
          nodes[index].wrappedValue = 2 * nodes[index - 1].wrappedValue
        }
      }
    }
    runs = 0
    nodes[0].wrappedValue = 1
    await GraphActor.settle()
    #expect(nodes[39].wrappedValue == 1 << 39)
    #expect(runs == 39)
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a handler of a map may write what its map reads`(_ delivery: GraphDelivery) async {
    // Case 235: the expression is tracked, the handler is not.
    let node = Stored(0)
    let tracking = withGraphTracking {
      withGraphTrackingMap(delivery: delivery) {
        node.wrappedValue
      } onChange: { value in
        recorder.record("\(value)")
        if value > 0, value < 3 { node.wrappedValue = value + 1 }
      }
    }
    node.wrappedValue = 1
    await GraphActor.settle()
    #expect(node.wrappedValue == 3)
    #expect(recorder.take() == ["0", "1", "2", "3"])
    tracking.cancel()
  }

  @Test func `the first call of a map's handler may write, too`() async {
    let node = Stored(1)
    let tracking = withGraphTracking {
      withGraphTrackingMap(delivery: .immediate) {
        node.wrappedValue
      } onChange: { value in
        recorder.record("\(value)")
        if value < 3 { node.wrappedValue = value + 1 }
      }
      recorder.record("made")
    }
    #expect(recorder.take() == ["1", "2", "3", "made"])
    tracking.cancel()
  }

  @Test func `writes of a transaction in a handler are one commit`() async {
    // Case 131.
    let (source, one, two) = (Stored(0), Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        let value = source.wrappedValue
        withGraphTransaction {
          one.wrappedValue = value
          two.wrappedValue = value
        }
      }
      withGraphTrackingGroup(delivery: .immediate) {
        recorder.record("\(one.wrappedValue) \(two.wrappedValue)")
      }
    }
    source.wrappedValue = 1
    await GraphActor.settle()
    #expect(recorder.take() == ["0 0", "1 1"])
    tracking.cancel()
  }

  @Test func `a stream misses no commit that a cascade makes`() async {
    let node = Stored(0)
    var iterator = node.changes(buffering: .unbounded).makeAsyncIterator()
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        if node.wrappedValue == 1 { node.wrappedValue = 2 }
      }
    }
    _ = await iterator.next(isolation: GraphActor.shared)
    node.wrappedValue = 1
    var seen: [Int?] = []
    for _ in 0..<2 { seen.append(await iterator.next(isolation: GraphActor.shared)?.value) }
    #expect(seen == [1, 2])
    tracking.cancel()
  }

  @Test func `a wait sees a state that a group ends at once`() async throws {
    let node = Stored("A")
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        if node.wrappedValue == "B" { node.wrappedValue = "A" }
      }
    }
    async let seen = node.first { $0 == "B" }
    let counted = Stored(0)
    // The wait has begun when it has been evaluated; each commit lets it go on.
    while !(await hasBegunToWait(node)) { counted.wrappedValue += 1 }
    node.wrappedValue = "B"
    #expect(try await seen == "B")
    #expect(node.wrappedValue == "A")
    tracking.cancel()
  }

  /// Whether somebody watches a node besides the group.
  private func hasBegunToWait(_ node: Stored<String>) async -> Bool {
    await Task.yield()
    return node.watcherCount == 2
  }

  @Test(arguments: deliveries)
  func `a hundred runs in a row are not too many, however often`(_ delivery: GraphDelivery) async {
    let (one, two) = (Stored(0), Stored(0))
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: delivery) {
        if two.wrappedValue < one.wrappedValue { two.wrappedValue += 1 }
      }
      withGraphTrackingMap(delivery: delivery) {
        two.wrappedValue
      } onChange: { value in
        if value % 90 != 0 { two.wrappedValue = value + 1 }
      }
    }
    for round in 1...3 {
      one.wrappedValue = round * 90
      await GraphActor.settle()
      #expect(two.wrappedValue == round * 90)
    }
    tracking.cancel()
  }

  @Test func `groups without an end stop with a message that names them`() async {
    for delivery in ["coalesced", "immediate"] {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [delivery = delivery as String] in
        let delivery = delivery == "coalesced" ? GraphDelivery.coalesced : .immediate
        let (one, two) = (Stored(0), Stored(0))
        let tracking = await withGraphTracking {
          withGraphTrackingGroup(delivery: delivery, name: "ping") {
            one.wrappedValue = two.wrappedValue + 1
          }
          withGraphTrackingGroup(delivery: delivery, name: "pong") {
            two.wrappedValue = one.wrappedValue + 1
          }
        }
        await GraphActor.settle()
        tracking.cancel()
      }
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("ping"))
      #expect(output.contains("pong"))
      #expect(output.contains("cause each other without an end: 100 runs in a row"))
    }
  }
}
