import StateGraph
import StateGraphTesting
import Testing

/// Nothing that has ended is kept by what it was stored in.
@GraphActor @Suite struct ScopeTests {
  @Test func `a scope keeps nothing of what was stored in it and has ended`() async {
    let (node, alive) = (Stored(0), LiveCount())
    let parents = (0..<2).map { _ in withGraphTracking {} }
    for _ in 0..<1_000 {
      let tracking = withGraphTracking {
        withGraphTrackingGroup { [token = alive.token()] in
          withExtendedLifetime(token) { _ = node.wrappedValue }
        }
      }
      for parent in parents { tracking.store(in: parent) }
      tracking.cancel()
      #expect(alive.current == 0)
    }
    #expect(parents.map(\.scope.capacity) == [1, 1])
    await GraphActor.settle()
    #expect(node.watcherCount == 0)
  }

  @Test func `a scope keeps nothing of maps whose objects have gone`() async {
    final class Owner: Sendable { let x = Stored(0) }
    let (source, alive) = (Stored(0), LiveCount())
    let tracking = withGraphTracking {
      withGraphTrackingGroup {
        for _ in 0..<100 {
          var owner: Owner? = Owner()
          if let object = owner {
            withGraphTrackingMap(from: object, delivery: .immediate) {
              [token = alive.token()] object in
              withExtendedLifetime(token) { object.x.wrappedValue + source.wrappedValue }
            } onChange: { @GraphActor _ in
            }
          }
          owner = nil
          source.wrappedValue += 1
        }
      }
    }
    source.wrappedValue += 1
    await GraphActor.settle()
    #expect(alive.current == 0)
    // The group has read it.
    #expect(source.watcherCount == 1)
    tracking.cancel()
  }

  /// A filter that shows whether the map that has it is alive.
  private struct HeldFilter: GraphFilter {
    let token: LiveCount.Token

    func send(_ value: Int) -> Int? { value }
  }

  @Test func `a map is freed with all that it holds, however it ends`() async {
    let (node, alive) = (Stored(0), LiveCount())
    for isCancelledFirst in [false, true] {
      var tracking: GraphCancellable?
      tracking = withGraphTracking {
        withGraphTrackingGroup { _ = node.wrappedValue }
        if isCancelledFirst {
          withGraphTrackingGroup { tracking?.cancel() }
        }
        withGraphTrackingMap(filter: HeldFilter(token: alive.token())) {
          node.wrappedValue
        } onChange: { @GraphActor _ in
        }
      }
      tracking?.cancel()
      tracking = nil
      await GraphActor.settle()
      #expect(alive.current == 0)
    }
  }

  @Test func `a child that several keep ends with the first of them`() {
    let ends = EventLog<Int>()
    let child = GraphCancellable { ends.record(1) }
    let parents = (0..<3).map { _ in GraphCancellable {} }
    for parent in parents { child.store(in: parent) }
    parents[1].cancel()
    #expect(child.isCancelled)
    for parent in parents { parent.cancel() }
    #expect(ends.events == [1])
  }

  @Test func `children end in the reverse order, those that have left not again`() {
    let ended = EventLog<Int>()
    let parent = GraphCancellable {}
    let children = (0..<6).map { index in GraphCancellable { ended.record(index) } }
    for child in children[..<4] { child.store(in: parent) }
    children[1].cancel()
    // Takes the slot of the one that has left.
    for child in children[4...] { child.store(in: parent) }
    parent.cancel()
    #expect(ended.events == [1, 5, 4, 3, 2, 0])
  }

  @Test func `what is stored after the end is cancelled at once, and not kept`() {
    let parent = GraphCancellable {}
    parent.cancel()
    for _ in 0..<100 {
      let child = GraphCancellable {}
      child.store(in: parent)
      #expect(child.isCancelled)
    }
    #expect(parent.scope.capacity == 1)
  }

  @Test func `a parent that is let go of cancels its children and is freed`() {
    final class Witness: Sendable {}
    let child = GraphCancellable {}
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let parent = GraphCancellable { withExtendedLifetime(held) {} }
      child.store(in: parent)
    }
    #expect(child.isCancelled)
    #expect(witness == nil)
  }

  @Test nonisolated func `children that are stored, cancelled and dropped on many threads`() async {
    for _ in 0..<50 {
      let (alive, ends) = (LiveCount(), EventLog<Int>())
      let parents = (0..<2).map { _ in GraphCancellable {} }
      let count = 8 * 50
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            for index in 0..<50 {
              let child = GraphCancellable { [token = alive.token()] in
                withExtendedLifetime(token) { ends.record(1) }
              }
              for parent in parents { child.store(in: parent) }
              if index.isMultiple(of: 3) { child.cancel() }
            }
          }
        }
        group.addTask {
          await Task.yield()
          parents[0].cancel()
        }
      }
      parents[1].cancel()
      #expect(ends.events.count == count)
      #expect(alive.current == 0)
    }
  }

  /// A scope against a list, under random operations.
  @Test(arguments: 0..<200)
  nonisolated func `random operations do what they do to a list`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let scope = TrackingScope()
    let ended = EventLog<Int>()
    var members: [(number: Int, membership: TrackingScope.Membership)] = []
    var (expected, most) = ([Int](), 0)
    for number in 0..<200 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        scope.endMembers()
        expected += members.reversed().map(\.number)
        members = []
      case 1..<8 where !members.isEmpty:
        members.remove(at: Int.random(in: members.indices, using: &random)).membership.leave()
      default:
        members.append((number, scope.add { ended.record(number) }))
        most = max(most, members.count)
      }
    }
    #expect(ended.events == expected)
    #expect(scope.capacity == most)
  }
}
