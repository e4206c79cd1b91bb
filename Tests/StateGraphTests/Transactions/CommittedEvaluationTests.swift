import StateGraph
import StateGraphTesting
import Testing

/// Whatever is evaluated for the committed graph while a transaction is open changes nothing of what
/// the transaction sees.
@GraphActor @Suite struct CommittedEvaluationTests {
  /// A node that has read another one for the transaction only: for the committed graph it is out of
  /// date, and an evaluation there gives it a new edge.
  @GraphActor private final class Model {
    let flag = Stored(false)
    let source = Stored(0)
    let node: Computed<Int>
    let further: Computed<Int>

    init() {
      node = Computed { [flag, source] _ in flag.wrappedValue ? source.wrappedValue : -1 }
      further = node.map { $0 * 10 }
      _ = further.wrappedValue
    }

    /// Whether the nodes are as the staged writes make them.
    var isStaged: Bool { node.wrappedValue == 5 && further.wrappedValue == 50 }

    /// Whether the nodes are as they are for everybody else.
    var isCommitted: Bool { node.wrappedValue == 0 && further.wrappedValue == 0 }
  }

  /// What evaluates the node for the committed graph.
  enum Evaluation: CaseIterable, Sendable {
    case asyncState, asyncStateOfOther, group, immediateGroup, map, comparison, snapshot
    case handlerOfAssignment, untracked
  }

  private func evaluate(_ evaluation: Evaluation, _ model: Model) {
    switch evaluation {
    case .asyncState:
      let loader = AsyncComputed { [node = model.node] in await node.value }
      _ = loader.state
      withExtendedLifetime(loader) {}
    case .asyncStateOfOther:
      let loader = AsyncComputed { 1 }
      let state = Computed { [node = model.node] _ in
        (node.wrappedValue, loader.state.isPending).1
      }
      #expect(state.wrappedValue)
      withExtendedLifetime(loader) {}
    case .group, .immediateGroup:
      let delivery: GraphDelivery = evaluation == .group ? .coalesced : .immediate
      withGraphTracking {
        withGraphTrackingGroup(delivery: delivery) { #expect(model.isStaged) }
      }
      .cancel()
    case .map:
      withGraphTracking {
        withGraphTrackingMap({ model.isStaged }) { @GraphActor in #expect($0) }
      }
      .cancel()
    case .comparison:
      let compared = Stored(0) { old, new in (model.further.wrappedValue, old == new).1 }
      compared.wrappedValue = 1
      #expect(compared.wrappedValue == 1)
    case .snapshot:
      #expect(model.further.committedValue == nil)
    case .handlerOfAssignment:
      let assigned = Stored(0)
      assigned.onDidSet { _, _ in #expect(model.isStaged) }
      assigned.wrappedValue = 1
    case .untracked:
      #expect(GraphActor.withoutTracking { model.isStaged })
    }
  }

  @Test(arguments: Evaluation.allCases)
  func `a synchronous transaction sees what it has staged`(_ evaluation: Evaluation) {
    let model = Model()
    model.flag.wrappedValue = true
    withGraphTransaction {
      model.source.wrappedValue = 5
      #expect(model.isStaged)
      evaluate(evaluation, model)
      #expect(model.isStaged)
      model.source.wrappedValue = 6
      #expect(model.further.wrappedValue == 60)
      model.source.wrappedValue = 5
      evaluate(evaluation, model)
      #expect(model.isStaged)
    }
    #expect(model.isStaged)
  }

  @Test(arguments: Evaluation.allCases)
  func `a transaction that is rolled back leaves the committed values`(_ evaluation: Evaluation) {
    let model = Model()
    model.flag.wrappedValue = true
    #expect(throws: CancellationError.self) {
      try withGraphTransaction {
        model.source.wrappedValue = 5
        evaluate(evaluation, model)
        #expect(model.isStaged)
        throw CancellationError()
      }
    }
    #expect(model.isCommitted)
  }

  @Test(arguments: Evaluation.allCases)
  func `a transaction that awaits sees what it has staged`(_ evaluation: Evaluation) async throws {
    let model = Model()
    model.flag.wrappedValue = true
    try await withGraphTransaction {
      model.source.wrappedValue = 5
      #expect(model.isStaged)
      await Task.yield()
      evaluate(evaluation, model)
      #expect(model.isStaged)
      await Task.yield()
      #expect(model.isStaged)
    }
    #expect(model.isStaged)
  }

  @Test func `the state of an async node that reads what is staged`() async throws {
    let flag = Stored(false)
    let source = Stored(0)
    let node = Computed { _ in flag.wrappedValue ? source.wrappedValue : -1 }
    let loader = AsyncComputed { await node.value }
    #expect(try await loader.value == -1)
    flag.wrappedValue = true
    withGraphTransaction {
      source.wrappedValue = 5
      #expect(node.wrappedValue == 5)
      #expect(loader.state.isPending)
      #expect(node.wrappedValue == 5)
    }
    #expect(try await loader.value == 5)
  }
}
