import StateGraph
import StateGraphTesting
import Testing

extension Conformance {
  /// The end of groups and maps.
  @Suite struct SeedCancellation {
    @Test func `cancelling releases what a group captures, at once`() async {  // GC01
      let alive = LiveCount()
      let tracking = await GraphActor.run {
        let token = alive.token()
        return withGraphTracking {
          withGraphTrackingGroup { withExtendedLifetime(token) {} }
        }
      }
      #expect(alive.current == 1)
      tracking.cancel()
      #expect(alive.current == 0)
    }

    @Test func `cancelling releases what an expression and a handler capture`() async {
      // GC02, GC03, GC04
      let alive = LiveCount()
      let object = Witness()
      let tracking = await GraphActor.run {
        let tokens = (0..<4).map { _ in alive.token() }
        return withGraphTracking {
          withGraphTrackingMap {
            withExtendedLifetime(tokens[0]) { 0 }
          } onChange: { [token = tokens[1]] _ in
            withExtendedLifetime(token) {}
          }
          withGraphTrackingMap(from: object) { [token = tokens[2]] _ in
            withExtendedLifetime(token) { 0 }
          } onChange: { [token = tokens[3]] _ in
            withExtendedLifetime(token) {}
          }
        }
      }
      #expect(alive.current == 4)
      tracking.cancel()
      #expect(alive.current == 0)
      withExtendedLifetime(object) {}
    }

    final class Model: Sendable {
      let count = Stored(0)
    }

    @Test func `an object that a map is made from is not kept`() async {  // GC05
      let log = EventLog<Int>()
      let alive = LiveCount()
      weak var released: Model?
      let tracking: GraphCancellable
      do {
        let model = Model()
        released = model
        tracking = await withGraphTracking {
          withGraphTrackingMap(from: model) { [token = alive.token()] model in
            withExtendedLifetime(token) { model.count.wrappedValue }
          } onChange: {
            log.record($0)
          }
        }
        await model.count.set(1)
        await GraphActor.settle()
      }
      #expect(released == nil)
      #expect(log.events == [0, 1])
      // The node of the object is gone too, so the map looks again, and ends.
      await GraphActor.settle()
      #expect(alive.current == 0)
      tracking.cancel()
    }

    @Test func `a callback that cancels again is called once`() {  // GC06
      final class Holder: Sendable {
        let log = EventLog<String>()
        private let place = Place()

        func cancelAgain() { place.value?.cancel() }

        func make() -> GraphCancellable {
          let made = GraphCancellable {
            self.log.record("cancelled")
            self.cancelAgain()
          }
          place.value = made
          return made
        }
      }
      let holder = Holder()
      let cancellable = holder.make()
      cancellable.cancel()
      cancellable.cancel()
      #expect(holder.log.events == ["cancelled"])
    }

    /// A weak place that tests of one thread write.
    // SAFETY: Only the test's own thread touches it.
    final class Place: @unchecked Sendable {
      weak var value: GraphCancellable?
    }

    @Test func `a child that is added to a cancelled one is cancelled at once, once`() {  // GC07
      let log = EventLog<String>()
      let parent = GraphCancellable {}
      parent.cancel()
      let child = GraphCancellable { log.record("child") }
      child.store(in: parent)
      #expect(log.events == ["child"])
      parent.cancel()
      child.cancel()
      #expect(log.events == ["child"])
    }

    @Test func `a child is cancelled with its parent`() {
      let log = EventLog<String>()
      let parent = GraphCancellable { log.record("parent") }
      GraphCancellable { log.record("child") }.store(in: parent)
      #expect(log.events == [])
      parent.cancel()
      #expect(log.events == ["child", "parent"])
    }
  }
}
