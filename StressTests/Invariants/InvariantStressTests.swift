import StateGraph
import StateGraphTesting
import Testing

/// Values that belong together, written by many tasks at once and read in every way.
@Suite struct InvariantStressTests {
  /// Two nodes that every transaction makes equal, followed by streams.
  @Test func `equal twins are never seen unequal, and no stream goes back or loses the end`() async
  {
    let rounds = 500 * StressScale.factor
    let left = Stored(0)
    let right = Stored(0)
    let difference = Computed { _ in left.wrappedValue - right.wrappedValue }
    let isOver = Stored(false)

    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<rounds {
            await withGraphTransaction {
              left.wrappedValue += 1
              right.wrappedValue += 1
            }
          }
        }
      }
      for buffering in [GraphBuffering.latest, .unbounded, .newest(3), .latest] {
        group.addTask {
          var last: (value: Int, version: UInt64) = (-1, 0)
          for await change in left.changes(buffering: buffering) {
            #expect(change.value > last.value)
            #expect(change.version > last.version || last.value == -1)
            last = (change.value, change.version)
            if change.value == rounds * 4 { break }
          }
          #expect(last.value == rounds * 4)
        }
      }
      group.addTask {
        let pairs = GraphTrackings<(Int, Int), Never>.untilFinished {
          isOver.wrappedValue ? .finish : .next((left.wrappedValue, right.wrappedValue))
        }
        for await (left, right) in pairs {
          #expect(left == right)
          if left == rounds * 4 { await isOver.set(true) }
        }
      }
      group.addTask {
        while await left.value < rounds * 4 { #expect(await difference.value == 0) }
      }
    }
    #expect(await left.value == rounds * 4)
  }
}
