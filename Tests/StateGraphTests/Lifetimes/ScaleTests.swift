import StateGraph
import Testing

/// No operation recurses over the graph, and none is quadratic in its breadth.
///
/// Each test has a process of its own, where nothing else is in the graph.
@Suite(.serialized) struct ScaleTests {
  @Test func `a chain of 1,000,000 nodes is built, written, read, staged and released`() async {
    await #expect(processExitsWith: .success) {
      await GraphActor.run {
        let source = Stored(0)
        var last = Computed { _ in source.wrappedValue }
        _ = last.wrappedValue
        for _ in 1..<1_000_000 {
          let before = last
          last = Computed { _ in before.wrappedValue + 1 }
          _ = last.wrappedValue
        }
        precondition(last.wrappedValue == 999_999)
        source.wrappedValue = 1
        precondition(last.wrappedValue == 1_000_000)
        precondition(
          withGraphTransaction { () -> Int in
            source.wrappedValue = 2
            return last.wrappedValue
          } == 1_000_001)
        precondition(last.wrappedValue == 1_000_001)
        precondition(Graph.shared.nodeCount == 1_000_001)
      }
      await expectEmptyGraph()
    }
  }

  @Test func `a chain of 1,000,000 nodes is released off the actor`() async {
    await #expect(processExitsWith: .success) {
      let last = await GraphActor.run {
        var last = Computed { _ in 0 }
        for _ in 1..<1_000_000 {
          let before = last
          last = Computed { _ in before.wrappedValue + 1 }
          _ = last.wrappedValue
        }
        return last
      }
      _ = consume last
      await expectEmptyGraph()
    }
  }

  @Test func `a chain of 1,000,000 nodes that nobody has read is released`() async {
    await #expect(processExitsWith: .success) {
      var last = Computed { _ in 0 }
      for _ in 1..<1_000_000 {
        let before = last
        last = Computed { _ in before.wrappedValue + 1 }
      }
      last = Computed { _ in 0 }
      await expectEmptyGraph()
    }
  }

  @Test func `a chain of 10,000 nodes is first read from its end`() async {
    await #expect(processExitsWith: .success) {
      let value = await GraphActor.run {
        let source = Stored(0)
        var last = Computed { _ in source.wrappedValue }
        for _ in 1..<10_000 {
          let before = last
          last = Computed { _ in before.wrappedValue + 1 }
        }
        return last.wrappedValue
      }
      precondition(value == 9_999)
    }
  }

  @Test(arguments: ["forward", "backward", "shuffled"])
  func `100,000 dependents of one node come and go in linear time`(order: String) async {
    switch order {
    case "forward": await #expect(processExitsWith: .success) { await releaseMany { $0 } }
    case "backward":
      await #expect(processExitsWith: .success) { await releaseMany { $0.reversed() } }
    default:
      await #expect(processExitsWith: .success) { await releaseMany { $0.shuffled() } }
    }
  }

  @Test func `dropping the top of a deep branch releases the branch`() async {
    await #expect(processExitsWith: .success) {
      await GraphActor.run {
        let flag = Stored(true)
        var last = Computed { _ in 0 }
        for _ in 1..<100_000 {
          let before = last
          last = Computed { _ in before.wrappedValue + 1 }
          _ = last.wrappedValue
        }
        let branch = last
        let top = Computed { _ in flag.wrappedValue ? branch.wrappedValue : -1 }
        precondition(top.wrappedValue == 99_999)
        flag.wrappedValue = false
        precondition(top.wrappedValue == -1)
      }
      await expectEmptyGraph()
    }
  }
}

/// Makes, marks and releases 100,000 dependents of one source.
///
/// If an operation took time in proportion to the number of dependents, this would take hours.
private func releaseMany(_ order: @Sendable ([Int]) -> [Int]) async {
  await GraphActor.run {
    let source = Stored(0)
    var dependents: [Int: Computed<Int>] = [:]
    for index in 0..<100_000 {
      let dependent = Computed { _ in source.wrappedValue + index }
      precondition(dependent.wrappedValue == index)
      dependents[index] = dependent
    }
    precondition(Graph.shared.edgeCount == 100_000)
    source.wrappedValue = 1
    for index in order(Array(0..<100_000)) {
      dependents[index] = nil
      Graph.shared.arrive()
    }
    precondition(Graph.shared.edgeCount == 0)
    precondition(Graph.shared.nodeCount == 1)
    source.wrappedValue = 2
  }
  await expectEmptyGraph()
}

/// Checks that all records and edges have been given back.
func expectEmptyGraph() async {
  await GraphActor.settle()
  await GraphActor.run {
    precondition(Graph.shared.nodeCount == 0, "\(Graph.shared.nodeCount) nodes are left")
    precondition(Graph.shared.edgeCount == 0, "\(Graph.shared.edgeCount) edges are left")
    precondition(Graph.shared.brokenInvariants() == [])
  }
}
