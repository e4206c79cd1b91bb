import StateGraph
import Testing

extension Conformance {
  /// Groups and maps inside of groups.
  @GraphActor @Suite struct SeedNesting {
    /// How often each of several closures has run.
    final class Runs {
      private var counts: [String: Int] = [:]

      func count(_ name: String) { counts[name, default: 0] += 1 }

      subscript(_ names: String...) -> [Int] { names.map { counts[$0, default: 0] } }
    }

    @Test func `an inner group is made anew with each run of the outer one`() async {  // NG01
      let runs = Runs()
      let (outer, inner) = (Stored(0), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          runs.count("outer")
          _ = outer.wrappedValue
          withGraphTrackingGroup {
            runs.count("inner")
            _ = inner.wrappedValue
          }
        }
      }
      outer.wrappedValue = 1
      await GraphActor.settle()
      #expect(runs["outer", "inner"] == [2, 2])
      inner.wrappedValue = 1
      await GraphActor.settle()
      #expect(runs["outer", "inner"] == [2, 3])
      tracking.cancel()
    }

    @Test func `an inner map that is made anew delivers its value again`() async {  // NG02, NG05
      let log = Log()
      let (outer, inner) = (Stored(1), Stored(100))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("outer \(outer.wrappedValue)")
          withGraphTrackingMap {
            inner.wrappedValue
          } onChange: {
            log.record("inner \($0)")
          }
        }
      }
      #expect(log.take() == ["outer 1", "inner 100"])
      outer.wrappedValue = 2
      await GraphActor.settle()
      #expect(log.take() == ["outer 2", "inner 100"])
      inner.wrappedValue = 200
      await GraphActor.settle()
      #expect(log.take() == ["inner 200"])
      tracking.cancel()
    }

    @Test func `three levels`() async {  // NG03
      let runs = Runs()
      let levels = [Stored(0), Stored(0), Stored(0)]
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          runs.count("1")
          _ = levels[0].wrappedValue
          withGraphTrackingGroup {
            runs.count("2")
            _ = levels[1].wrappedValue
            withGraphTrackingGroup {
              runs.count("3")
              _ = levels[2].wrappedValue
            }
          }
        }
      }
      for (level, counts) in [(0, [2, 2, 2]), (1, [2, 3, 3]), (2, [2, 3, 4])] {
        levels[level].wrappedValue = 1
        await GraphActor.settle()
        #expect(runs["1", "2", "3"] == counts)
      }
      tracking.cancel()
    }

    @Test func `siblings are independent`() async {  // NG04
      let runs = Runs()
      let (parent, a, b) = (Stored(0), Stored(0), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          _ = parent.wrappedValue
          withGraphTrackingGroup {
            runs.count("a")
            _ = a.wrappedValue
          }
          withGraphTrackingGroup {
            runs.count("b")
            _ = b.wrappedValue
          }
        }
      }
      for (node, counts) in [(a, [2, 1]), (b, [2, 2]), (parent, [3, 3])] {
        node.wrappedValue += 1
        await GraphActor.settle()
        #expect(runs["a", "b"] == counts)
      }
      tracking.cancel()
    }

    @Test func `a group in a group that records`() async {  // NG06
      let log = Log()
      let (outer, inner) = (Stored(1), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          log.record("outer \(outer.wrappedValue)")
          withGraphTrackingGroup {
            _ = inner.wrappedValue
            log.record("inner")
          }
        }
      }
      outer.wrappedValue = 2
      await GraphActor.settle()
      inner.wrappedValue = 1
      await GraphActor.settle()
      #expect(log.take() == ["outer 1", "inner", "outer 2", "inner", "inner"])
      tracking.cancel()
    }

    @Test func `a group for each item of a list`() async {  // NG07
      let log = Log()
      let items = Stored([1, 2, 3])
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          for item in items.wrappedValue {
            withGraphTrackingGroup { log.record("\(item)") }
          }
        }
      }
      #expect(log.take() == ["1", "2", "3"])
      items.wrappedValue = [4, 5]
      await GraphActor.settle()
      #expect(log.take() == ["4", "5"])
      tracking.cancel()
    }

    @Test func `an inner group comes and goes with a condition`() async {  // NG08, NG11
      let runs = Runs()
      let (condition, node) = (Stored(false), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          guard condition.wrappedValue else { return }
          withGraphTrackingGroup {
            runs.count("inner")
            _ = node.wrappedValue
          }
        }
      }
      let steps: [(@GraphActor () -> Void, Int)] = [
        ({ node.wrappedValue += 1 }, 0), ({ condition.wrappedValue = true }, 1),
        ({ node.wrappedValue += 1 }, 2), ({ condition.wrappedValue = false }, 2),
        ({ node.wrappedValue += 1 }, 2),
      ]
      for (step, count) in steps {
        step()
        await GraphActor.settle()
        #expect(runs["inner"] == [count])
      }
      tracking.cancel()
    }

    @Test func `a sibling of a conditional map delivers with each run`() async {  // NG09
      let log = Log()
      let (condition, node) = (Stored(false), Stored(1))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          withGraphTrackingMap {
            node.wrappedValue
          } onChange: {
            log.record("always \($0)")
          }
          guard condition.wrappedValue else { return }
          withGraphTrackingMap {
            node.wrappedValue
          } onChange: {
            log.record("sometimes \($0)")
          }
        }
      }
      #expect(log.take() == ["always 1"])
      condition.wrappedValue = true
      await GraphActor.settle()
      #expect(log.take() == ["always 1", "sometimes 1"])
      node.wrappedValue = 2
      await GraphActor.settle()
      #expect(log.take().sorted() == ["always 2", "sometimes 2"])
      condition.wrappedValue = false
      await GraphActor.settle()
      #expect(log.take() == ["always 2"])
      node.wrappedValue = 3
      await GraphActor.settle()
      #expect(log.take() == ["always 3"])
      tracking.cancel()
    }

    enum Mode { case none, a, b }

    @Test func `only the branch of the current mode is followed`() async {  // NG10
      let runs = Runs()
      let mode = Stored(Mode.none)
      let (a, b) = (Stored(0), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          switch mode.wrappedValue {
          case .none: break
          case .a:
            withGraphTrackingGroup {
              runs.count("a")
              _ = a.wrappedValue
            }
          case .b:
            withGraphTrackingGroup {
              runs.count("b")
              _ = b.wrappedValue
            }
          }
        }
      }
      let rounds: [(Mode, [Int])] = [
        (.none, [0, 0]), (.a, [2, 0]), (.b, [2, 2]), (.none, [2, 2]),
      ]
      for (next, counts) in rounds {
        mode.wrappedValue = next
        await GraphActor.settle()
        a.wrappedValue += 1
        b.wrappedValue += 1
        await GraphActor.settle()
        #expect(runs["a", "b"] == counts)
      }
      tracking.cancel()
    }

    @Test func `nothing runs after the release of the cancellable`() async {  // NG12
      let runs = Runs()
      let node = Stored(0)
      var tracking: GraphCancellable? = withGraphTracking {
        withGraphTrackingGroup {
          runs.count("outer")
          _ = node.wrappedValue
          withGraphTrackingGroup {
            runs.count("inner")
            _ = node.wrappedValue
          }
        }
      }
      #expect(tracking != nil)
      tracking = nil
      node.wrappedValue = 1
      await GraphActor.settle()
      #expect(runs["outer", "inner"] == [1, 1])
    }

    @Test func `inner groups do not accumulate`() async {  // NG13
      let runs = Runs()
      let (parent, node) = (Stored(0), Stored(0))
      let tracking = withGraphTracking {
        withGraphTrackingGroup {
          _ = parent.wrappedValue
          for _ in 0..<3 {
            withGraphTrackingGroup {
              runs.count("inner")
              _ = node.wrappedValue
            }
          }
        }
      }
      for value in 1...3 {
        parent.wrappedValue = value
        await GraphActor.settle()
      }
      #expect(runs["inner"] == [12])
      node.wrappedValue = 1
      await GraphActor.settle()
      #expect(runs["inner"] == [15])
      tracking.cancel()
    }
  }
}
