import StateGraph
import StateGraphTesting
import Testing

/// Tracking scopes and waits that begin and end on all threads while commits happen.
@Suite(.serialized) struct TrackingLifetimeStressTests {
  @Test func `groups, maps and waits made and cancelled on all threads keep nothing`() async {
    await #expect(processExitsWith: .success) {
      let alive = LiveCount()
      let deadline = StressScale.deadline(after: 3)
      do {
        let shared = Stored(0)
        let text = Stored("0")
        await withTaskGroup { group in
          group.addTask {
            var round = 0
            while .now < deadline {
              round += 1
              let number = round
              await withGraphTransaction {
                shared.wrappedValue = number
                text.wrappedValue = "\(number)"
              }
              await Task.yield()
            }
          }
          for worker in 0..<6 {
            group.addTask {
              while .now < deadline {
                let tracking = await track(shared, text, alive)
                let first = await shared.value
                precondition(Int(text.committedValue) ?? -1 >= first)
                let wait = Task { [token = alive.token()] in
                  try? await graphWait { withExtendedLifetime(token) { shared.wrappedValue < 0 } }
                }
                await Task.yield()
                // Half of them end by cancelling, the others by being dropped.
                if worker.isMultiple(of: 2) { tracking.cancel() }
                wait.cancel()
                await wait.value
              }
            }
          }
        }
      }
      await Baseline.expectNothing(of: alive)
    }
  }
}

/// Groups of both deliveries, one with another inside, and a map.
private func track(
  _ number: Stored<Int>, _ text: Stored<String>, _ alive: LiveCount
) async -> GraphCancellable {
  await withGraphTracking {
    for delivery in [GraphDelivery.coalesced, .immediate] {
      withGraphTrackingGroup(delivery: delivery) { [token = alive.token()] in
        let value = number.wrappedValue
        precondition(text.wrappedValue == "\(value)", "half a commit")
        withGraphTrackingGroup { [inner = alive.token()] in
          extendLifetime(inner)
          _ = text.wrappedValue
        }
        withGraphTrackingCleanup { [cleanup = alive.token()] in extendLifetime(cleanup) }
        extendLifetime(token)
      }
    }
    withGraphTrackingMap(
      { ObservedValue(number.wrappedValue, alive) },
      onChange: { value in precondition(value.isWhole) })
  }
}
