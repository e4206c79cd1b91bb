import StateGraph
import Testing

extension Conformance {
  /// Groups: what the seeds' suites for groups, continuous tracking and heavy handlers assert.
  ///
  /// Left out: CT01, CT02, HO04 to HO06 (they describe another library).
  @GraphActor @Suite struct SeedGroups {
    @Test func `one write, one run, which sees the new value`() async {  // TE09, TE10, TE11
      let log = Log()
      let inner = Stored(1)
      let outer = Stored<Stored<Int>?>(inner)
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("\(outer.wrappedValue?.wrappedValue ?? 0) \(inner.wrappedValue)")
        }
      }
      inner.wrappedValue = 2
      await GraphActor.settle()
      #expect(log.take() == ["1 1", "2 2"])
      tracking.cancel()
    }

    @Test func `a group that writes a node and then reads it does not run again`() async {  // TE12
      let log = Log()
      let counter = Stored(0)
      let model = Stored<Stored<Int>?>(nil)
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run \(counter.wrappedValue)")
          model.wrappedValue = Stored(counter.wrappedValue)
          _ = model.wrappedValue?.wrappedValue
        }
      }
      counter.wrappedValue = 1
      await GraphActor.settle()
      #expect(log.take() == ["run 0", "run 1"])
      tracking.cancel()
    }

    @Test func `a later run is never on the stack of the writer`() async {  // GG01
      let log = Log()
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("run \(node.wrappedValue)") }
      }
      #expect(log.take() == ["run 0"])
      node.wrappedValue = 1
      log.record("the writer goes on")
      await GraphActor.settle()
      #expect(log.take() == ["the writer goes on", "run 1"])
      tracking.cancel()
    }

    @Test func `what a condition hides is not tracked`() async {  // GG02
      let log = Log()
      let nodes = [Stored(5), Stored(0), Stored(0)]
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          if nodes[0].wrappedValue > 10 { _ = nodes[1].wrappedValue }
          _ = nodes[2].wrappedValue
        }
      }
      #expect(log.take() == ["run"])
      for (node, value, runs) in [(1, 1, 0), (2, 1, 1), (0, 15, 1), (1, 2, 1)] {
        nodes[node].wrappedValue = value
        await GraphActor.settle()
        #expect(log.take().count == runs, "node \(node)")
      }
      tracking.cancel()
    }

    @Test func `a condition that goes off and on again is followed`() async {  // GG03
      let log = Log()
      let isOn = Stored(true)
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          if isOn.wrappedValue { _ = node.wrappedValue }
        }
      }
      #expect(log.take() == ["run"])
      let steps: [(@GraphActor () -> Void, Int)] = [
        ({ node.wrappedValue += 1 }, 1), ({ isOn.wrappedValue = false }, 1),
        ({ node.wrappedValue += 1 }, 0), ({ isOn.wrappedValue = true }, 1),
        ({ node.wrappedValue += 1 }, 1),
      ]
      for (step, runs) in steps {
        step()
        await GraphActor.settle()
        #expect(log.take().count == runs)
      }
      tracking.cancel()
    }

    @Test func `an equal value written back notifies nobody`() async {  // GG04
      let log = Log()
      let node = Stored(1)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("reads \(node.wrappedValue)") }
        withGraphTrackingGroup {
          log.record("writes")
          node.wrappedValue = node.wrappedValue
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["reads 1", "writes"])
      tracking.cancel()
    }

    @Test func `equal values of several nodes written back cause no run`() async {  // GG05
      let log = Log()
      let nodes = [Stored(1), Stored(2), Stored(3)]
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          for node in nodes { node.wrappedValue = node.wrappedValue }
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["run"])
      tracking.cancel()
    }

    struct Opaque {
      var content = 0
    }

    @Test func `a value without a comparison notifies others, not who wrote it`() async {  // GG06
      let log = Log()
      let node = Stored(Opaque())
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("reads \(node.wrappedValue.content)") }
        withGraphTrackingGroup {
          log.record("writes")
          node.wrappedValue = node.wrappedValue
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["reads 0", "writes", "reads 0"])
      tracking.cancel()
    }

    @Test func `a changed value written back is applied by one run`() async {  // GG07
      let log = Log()
      let same = Stored(1)
      let changed = Stored(20)
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          same.wrappedValue = same.wrappedValue
          changed.wrappedValue = changed.wrappedValue + 1
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["run"])
      #expect(changed.wrappedValue == 21)
      tracking.cancel()
    }

    @Test func `an equal value written back to the branch that is read causes no run`() async {
      // GG08
      let log = Log()
      let isLeft = Stored(true)
      let nodes = [Stored(1), Stored(2)]
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          let node = isLeft.wrappedValue ? nodes[0] : nodes[1]
          node.wrappedValue = node.wrappedValue
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["run"])
      tracking.cancel()
    }

    struct Point: Equatable {
      var x = 0
    }

    @Test func `an equal struct written back causes no run`() async {  // GG09
      let log = Log()
      let node = Stored(Point())
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          node.wrappedValue.x = node.wrappedValue.x
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["run"])
      tracking.cancel()
    }

    @Test func `an equal value written back three times causes no run`() async {  // GG10
      let log = Log()
      let node = Stored(7)
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("run")
          for _ in 0..<3 { node.wrappedValue = node.wrappedValue }
        }
      }
      await GraphActor.settle()
      #expect(log.take() == ["run"])
      tracking.cancel()
    }

    @Test func `a change from outside causes one run`() async {  // GG11
      let log = Log()
      let node = Stored(7)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("\(node.wrappedValue)") }
      }
      node.wrappedValue = 8
      await GraphActor.settle()
      #expect(log.take() == ["7", "8"])
      tracking.cancel()
    }

    @Test func `two changes back to back are one run`() async {  // CT03
      let log = Log()
      let left = Stored(0)
      let right = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("\(left.wrappedValue) \(right.wrappedValue)") }
      }
      left.wrappedValue = 1
      right.wrappedValue = 1
      await GraphActor.settle()
      #expect(log.take() == ["0 0", "1 1"])
      tracking.cancel()
    }

    @Test func `changes by another task are seen by the last run`() async {  // CT04
      let log = Log()
      let node = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("\(node.wrappedValue)") }
      }
      await Task.detached {
        await GraphActor.run {
          node.wrappedValue = 1
          node.wrappedValue = 2
        }
      }.value
      await GraphActor.settle()
      #expect(log.take() == ["0", "2"])
      tracking.cancel()
    }

    @Test func `a change during a run is followed by another run`() async {  // HO01, HO02
      let log = Log()
      let node = Stored(0)
      let other = Stored(0)
      let tracking = withGraphTracking {
        withGraphTrackingGroup { log.record("\(node.wrappedValue) \(other.wrappedValue)") }
        // Runs after the first in each round, and changes what that has read.
        withGraphTrackingGroup { other.wrappedValue = node.wrappedValue }
      }
      #expect(log.take() == ["0 0"])
      for (value, runs) in [(2, ["2 0", "2 2"]), (3, ["3 2", "3 3"])] {
        node.wrappedValue = value
        await GraphActor.settle()
        #expect(log.take() == runs)
      }
      tracking.cancel()
    }
  }
}
