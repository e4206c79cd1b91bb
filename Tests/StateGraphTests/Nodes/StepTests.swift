import StateGraph
import StateGraphTesting
import Testing

/// A synchronous step on the actor meets no commit but its own, whatever was released before it or
/// in it: cleanups, handlers and destructors come when it is over.
@Suite struct StepTests {
  @Test func `cleanups that add to a node do not overwrite each other`() async {
    let count = Stored(0)
    let tracking = await withGraphTracking {
      for number in 0..<100 {
        withGraphTrackingGroup {
          let mine = Stored(number)
          _ = mine.wrappedValue
          withGraphTrackingCleanup {
            _ = mine.wrappedValue
            count.wrappedValue += 1
          }
        }
      }
    }
    tracking.cancel()
    await GraphActor.settle()
    #expect(await count.value == 100)
  }

  @Test @GraphActor func `a cleanup that a step causes comes after the step`() async {
    let count = Stored(0)
    let double = count.map { $0 * 2 }
    let tracking = withGraphTracking {
      withGraphTrackingGroup { withGraphTrackingCleanup { count.wrappedValue += 10 } }
    }
    let before = count.wrappedValue
    tracking.cancel()
    #expect(double.wrappedValue == 0)
    withGraphTransaction { #expect(count.wrappedValue == before) }
    count.wrappedValue = before + 1
    #expect(count.wrappedValue == 1)
    await GraphActor.settle()
    #expect(count.wrappedValue == 11)
  }

  @Test @GraphActor func `a group that a release concerns runs after the step`() async {
    let written = Stored(0)
    let double = written.map { $0 * 2 }
    var released: Stored<Int>? = Stored(7)
    let weakly = Weak(released)
    let tracking = withGraphTracking {
      withGraphTrackingGroup(delivery: .immediate) {
        written.wrappedValue = weakly.node?.wrappedValue ?? -1
      }
    }
    #expect(double.wrappedValue == 14)
    released = nil
    _ = released
    #expect([double.wrappedValue, written.wrappedValue] == [14, 7])
    // Nor does it run because of a commit that does not concern it.
    Stored(0).wrappedValue = 1
    #expect([double.wrappedValue, written.wrappedValue] == [14, 7])
    await GraphActor.settle()
    #expect([double.wrappedValue, written.wrappedValue] == [-2, -1])
    tracking.cancel()
  }

  @Test @GraphActor func `a destructor of what a rule holds is called after the step`() async {
    let count = Stored(0)
    let double = count.map { $0 * 2 }
    var node: Computed<Int>? = {
      let session = Session(count)
      return Computed { _ in withExtendedLifetime(session) { 1 } }
    }()
    #expect(node?.wrappedValue == 1)
    node = nil
    let before = count.wrappedValue
    #expect(double.wrappedValue == 0)
    count.wrappedValue = before + 1
    await GraphActor.settle()
    #expect(count.wrappedValue == 2)
  }

  @Test @GraphActor func `who reads a node that the step has released reads on without it`() {
    var released: Stored<Int>? = Stored(7)
    let weakly = Weak(released)
    let reader = Computed { _ in weakly.node?.wrappedValue ?? -1 }
    #expect(reader.wrappedValue == 7)
    released = nil
    _ = released
    #expect(reader.wrappedValue == -1)
  }

  @Test func `tasks that open and cleanups that close come out even`() async {
    let open = Stored(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            await GraphActor.run { open.wrappedValue += 1 }
            await add(1, to: open)
            let tracking = await withGraphTracking {
              withGraphTrackingGroup { withGraphTrackingCleanup { open.wrappedValue -= 2 } }
            }
            tracking.cancel()
          }
        }
      }
    }
    await GraphActor.settle()
    #expect(await open.value == 0)
  }

  /// Counts up when it ends.
  @GraphActor private final class Session: Sendable {
    private let count: Stored<Int>

    init(_ count: Stored<Int>) {
      self.count = count
    }

    isolated deinit { count.wrappedValue += 1 }
  }

  /// Follows a node and does not hold it.
  private final class Weak: Sendable {
    weak let node: Stored<Int>?

    init(_ node: Stored<Int>?) {
      self.node = node
    }
  }
}

@GraphActor private func add(_ number: Int, to node: Stored<Int>) {
  node.wrappedValue += number
}
