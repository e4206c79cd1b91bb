import StateGraph
import StateGraphTesting
import Synchronization
import Testing

/// Many nodes at one version.
@Suite struct SnapshotTests {
  @Test func `a snapshot has the values of stored and computed nodes, and its version`() async {
    let first = Stored(1)
    let second = Stored("two")
    let sum = Computed { _ in "\(first.wrappedValue) and \(second.wrappedValue)" }
    let seen = await withGraphSnapshot { ($0[first], $0[second], $0[sum], $0.version) }
    #expect((seen.0, seen.1, seen.2) == (1, "two", "1 and two"))
    await first.set(2)
    let later = await withGraphSnapshot { ($0[sum], $0.version) }
    #expect(later.0 == "2 and two")
    #expect(later.1 > seen.3)
  }

  @Test func `an error of the body reaches the caller`() async {
    struct Refused: Error {}
    let node = Stored(1)
    await #expect(throws: Refused.self) {
      try await withGraphSnapshot { snapshot -> Int in
        if snapshot[node] == 1 { throw Refused() }
        return 0
      }
    }
  }

  @Test func `a snapshot runs its body once`() async {
    let runs = EventLog<Int>()
    let node = Stored(1)
    let double = Computed { _ in node.wrappedValue * 2 }
    let value = await withGraphSnapshot {
      runs.record($0[double])
      return $0[double]
    }
    #expect(value == 2)
    #expect(runs.events == [2])
  }

  /// A node whose release makes a group write another one.
  private final class Trigger: Sendable {
    let written = Stored(0)
    let double: Computed<Int>
    private let held = Mutex<Stored<Int>?>(Stored(1))

    init() {
      double = written.map { $0 * 2 }
    }

    /// Runs a body while the group follows the node.
    func follow(_ body: () async -> Void) async {
      let tracking = await GraphActor.run {
        withGraphTracking {
          withGraphTrackingGroup(delivery: .immediate) {
            self.written.wrappedValue = self.held.withLock { $0 }?.wrappedValue ?? -1
          }
        }
      }
      await body()
      await GraphActor.settle()
      tracking.cancel()
    }

    func pull() {
      let node = held.withLock { $0.take() }
      withExtendedLifetime(node) {}
    }
  }

  @Test func `a removal in the middle of a snapshot, and what it causes, comes after it`() async {
    let trigger = Trigger()
    await trigger.follow {
      let seen = await withGraphSnapshot { snapshot in
        let before = snapshot[trigger.written]
        trigger.pull()
        return [before, snapshot[trigger.double], snapshot[trigger.written]]
      }
      #expect(seen == [1, 2, 1])
    }
    #expect(await trigger.double.value == -2)
  }

  @Test func `what a removal causes comes after the step that it happens in`() async {
    let trigger = Trigger()
    await trigger.follow {
      let seen = await GraphActor.run {
        let before = trigger.written.wrappedValue
        trigger.pull()
        return [before, trigger.double.wrappedValue, trigger.written.wrappedValue]
      }
      #expect(seen == [1, 2, 1])
    }
    #expect(await trigger.double.value == -2)
  }

  @Test func `no snapshot sees half of a commit`() async {
    let left = Stored(0)
    let right = Stored(["0"])
    let difference = Computed { _ in left.wrappedValue - (Int(right.wrappedValue[0]) ?? -1) }
    let rounds = 2_000
    await withTaskGroup { group in
      group.addTask {
        for round in 1...rounds {
          await withGraphTransaction {
            left.wrappedValue = round
            right.wrappedValue = ["\(round)"]
          }
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var last = 0
          while last < rounds {
            let (a, b, c) = await GraphSnapshot.values(of: left, right, difference)
            #expect("\(a)" == b[0] && c == 0)
            #expect(a >= last)
            last = a
            let isEqual = await withGraphSnapshot { "\($0[left])" == $0[right][0] }
            #expect(isEqual)
          }
        }
        group.addTask {
          // A new value of one node is never followed by an old one of another.
          while right.committedValue[0] != "\(rounds)" {
            let newer = left.committedValue
            #expect((Int(right.committedValue[0]) ?? -1) >= newer)
            await Task.yield()
          }
        }
      }
    }
  }
}
