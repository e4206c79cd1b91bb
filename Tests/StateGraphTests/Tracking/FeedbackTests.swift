import StateGraph
import StateGraphTesting
import Testing

/// A feedback is a reaction that is among its own causes, again and again; nothing else is.
@GraphActor @Suite struct FeedbackTests {
  nonisolated static let deliveries: [GraphDelivery] = [.coalesced, .immediate]

  @Test func `many runs with many causes are no feedback`() async {
    let tax = Stored(1)
    let prices = (1...150).map { Stored($0) }
    let totals = prices.map { _ in Stored(0) }
    var (sum, runs) = (0, 0)
    let tracking = withGraphTracking {
      for (price, total) in zip(prices, totals) {
        withGraphTrackingGroup { total.wrappedValue = price.wrappedValue * tax.wrappedValue }
      }
      withGraphTrackingGroup(delivery: .immediate) {
        runs += 1
        sum = totals.reduce(0) { $0 + $1.wrappedValue }
      }
    }
    await GraphActor.settle()
    runs = 0
    tax.wrappedValue = 2
    await GraphActor.settle()
    #expect(sum == 22_650)
    #expect(runs == 150)
    tracking.cancel()
  }

  @Test func `a handler that writes often is no feedback`() async {
    let (a, out) = (Stored(0), Stored(0))
    var runs = 0
    let tracking = withGraphTracking {
      withGraphTrackingMap {
        a.wrappedValue
      } onChange: { @GraphActor value in
        for step in 0..<150 { out.wrappedValue = value * 1_000 + step }
      }
      withGraphTrackingGroup(delivery: .immediate) {
        runs += 1
        _ = out.wrappedValue
      }
    }
    await GraphActor.settle()
    runs = 0
    a.wrappedValue = 1
    await GraphActor.settle()
    #expect(out.wrappedValue == 1_149)
    #expect(runs == 150)
    tracking.cancel()
  }

  @Test(arguments: deliveries)
  func `a chain of 10,000 groups is no feedback, nor is one that answers all of them`(
    _ delivery: GraphDelivery
  ) async {
    let count = 10_000
    let nodes = (0...count).map { _ in Stored(0) }
    let latest = Stored(0)
    var (runs, answers) = (0, 0)
    let tracking = withGraphTracking {
      for index in 0..<count {
        withGraphTrackingGroup(delivery: delivery) {
          runs += 1
          let value = nodes[index].wrappedValue
          nodes[index + 1].wrappedValue = value
          GraphActor.withoutTracking { latest.wrappedValue = value * count + index }
        }
      }
      withGraphTrackingGroup(delivery: .immediate) {
        answers += 1
        _ = latest.wrappedValue
      }
    }
    await GraphActor.settle()
    (runs, answers) = (0, 0)
    nodes[0].wrappedValue = 1
    await GraphActor.settle()
    #expect(nodes[count].wrappedValue == 1)
    // Between two runs of the last group, two groups of the chain run.
    #expect((runs, answers) == (count, delivery == .immediate ? count / 2 : count))
    tracking.cancel()
  }

  /// Ways to cause oneself for ever.
  enum Feedback: String, CaseIterable, Sendable {
    case map, mapInFirstRun, pair, throughComputed, nestedGroup, handlerOfAssignments
    case throughHandlerOfAssignments, throughCommitHandler

    /// The names that the message has to have, in their order.
    var members: [String] {
      switch self {
      case .map, .mapInFirstRun, .throughComputed, .throughCommitHandler: ["one"]
      case .pair: ["one", "two"]
      case .nestedGroup: ["one", "inner"]
      case .handlerOfAssignments: ["x"]
      case .throughHandlerOfAssignments: ["one", "x"]
      }
    }

    @GraphActor
    func begin(_ delivery: GraphDelivery, _ n: Stored<Int>, _ x: Stored<Int>) -> GraphCancellable {
      let copy = n.map { $0 }
      return withGraphTracking {
        switch self {
        case .map:
          withGraphTrackingMap(delivery: delivery, name: "one") {
            n.wrappedValue
          } onChange: { @GraphActor in
            if $0 > 0 { n.wrappedValue = $0 + 1 }
          }
        case .mapInFirstRun:
          withGraphTrackingMap(delivery: delivery, name: "one") {
            n.wrappedValue
          } onChange: { @GraphActor in
            n.wrappedValue = $0 + 1
          }
        case .pair:
          withGraphTrackingGroup(delivery: delivery, name: "one") {
            if n.wrappedValue > 0 { x.wrappedValue = n.wrappedValue + 1 }
          }
          withGraphTrackingGroup(delivery: delivery, name: "two") {
            if x.wrappedValue > 0 { n.wrappedValue = x.wrappedValue + 1 }
          }
        case .throughComputed:
          withGraphTrackingGroup(delivery: delivery, name: "one") {
            if copy.wrappedValue > 0 { n.wrappedValue += 1 }
          }
        case .nestedGroup:
          withGraphTrackingGroup(delivery: delivery, name: "one") {
            let value = n.wrappedValue
            withGraphTrackingGroup(name: "inner") {
              if value > 0 { n.wrappedValue = value + 1 }
            }
          }
        case .handlerOfAssignments:
          x.onDidSet { x.wrappedValue = $1 + 1 }
          withGraphTrackingGroup { if n.wrappedValue > 0 { x.wrappedValue = 1 } }
        case .throughHandlerOfAssignments:
          x.onDidSet { n.wrappedValue = $1 + 1 }
          withGraphTrackingGroup(delivery: delivery, name: "one") {
            if n.wrappedValue > 0 { x.wrappedValue = n.wrappedValue + 1 }
          }
        case .throughCommitHandler:
          withGraphTrackingGroup(delivery: delivery, name: "one") {
            let value = n.wrappedValue
            guard value > 0 else { return }
            withGraphTransaction {
              GraphTransaction.current?.onCommit { n.wrappedValue = value + 1 }
            }
          }
        }
      }
    }
  }

  @Test(arguments: ["coalesced", "immediate"], Feedback.allCases.map(\.rawValue))
  nonisolated func `a feedback ends with a message that names its members in order`(
    _ delivery: String, _ feedback: String
  ) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [delivery, feedback] in
      let (n, x) = (Stored(0), Stored(0, name: "x"))
      let tracking = await Feedback(rawValue: feedback)?.begin(
        delivery == "coalesced" ? .coalesced : .immediate, n, x)
      await n.set(1)
      await GraphActor.settle()
      tracking?.cancel()
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let members = try #require(Feedback(rawValue: feedback)).members
    #expect(output.contains("without an end: 100 runs in a row"), "\(output)")
    #expect(output.contains(members.count == 1 ? "causes itself" : "cause each other"))
    let line = output.split(separator: "\n").first { $0.contains("without an end") } ?? ""
    let named = line.split(separator: " -> ").compactMap { part in
      part.split(separator: " ").first { word in members.contains(String(word)) }.map(String.init)
    }
    // A cycle may be entered anywhere.
    let rotations = members.indices.map { Array(members[$0...] + members[..<$0]) }
    #expect(rotations.contains(named), "\(line)")
    #expect(line.contains("FeedbackTests.swift:"), "a message without places: \(line)")
  }
}
