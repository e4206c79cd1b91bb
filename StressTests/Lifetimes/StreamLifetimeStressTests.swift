import StateGraph
import StateGraphTesting
import Testing

/// Streams that begin and end on all threads while commits happen.
@Suite(.serialized) struct StreamLifetimeStressTests {
  @Test func `nodes and streams made and dropped on all threads leave nothing behind`() async {
    let rounds = 200 * StressScale.factor
    await #expect(processExitsWith: .success) { [rounds = rounds as Int] in
      do {
        let shared = Stored(0)
        await withTaskGroup { group in
          for worker in 0..<8 {
            group.addTask {
              for round in 0..<rounds {
                let own = Stored(round)
                let sum = Computed { _ in own.wrappedValue + shared.wrappedValue }
                let double = sum.map { $0 * 2 }
                _ = await double.value
                await shared.set(round * 8 + worker)
                var values = double.values.makeAsyncIterator()
                _ = await values.next(isolation: nil)
                let follower = Task {
                  for await _ in double.values {}
                  return true
                }
                await own.set(-1)
                follower.cancel()
                let hasEnded = await follower.value
                precondition(hasEnded, "a follower did not end")
              }
            }
          }
        }
      }
      await Baseline.expectNothing()
    }
  }

  @Test func `streams that are left, cancelled or outlive their node keep no value`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let alive = LiveCount()
      let deadline = StressScale.deadline(after: 3)
      do {
        let shared = Stored(ObservedValue(0, alive))
        // The writer goes on until nobody waits for an element any more.
        let finished = EventLog<Int>()
        await withTaskGroup { group in
          group.addTask {
            var round = 0
            while finished.events.count < 6 {
              round += 1
              await shared.set(ObservedValue(round, alive))
              await Task.yield()
            }
          }
          for worker in 0..<6 {
            group.addTask {
              var random = SeededGenerator(seed: seed &+ UInt64(worker))
              let bufferings: [GraphBuffering] = [.unbounded, .latest, .newest(2), .oldest(2)]
              while .now < deadline {
                let buffering = bufferings[Int.random(in: 0..<4, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: await leave(shared, buffering)
                case 1: await cancel(shared, buffering)
                case 2: await outlive(buffering, alive)
                default: await track(shared)
                }
              }
              finished.record(worker)
            }
          }
        }
      }
      await Baseline.expectNothing(of: alive)
    }
  }
}

/// Takes two elements, with more in the buffer.
private func leave(_ node: Stored<ObservedValue>, _ buffering: GraphBuffering) async {
  var count = 0
  var last = -1
  for await change in node.changes(buffering: buffering) {
    precondition(change.value.isWhole && change.value.number > last, "\(change.value.number)")
    last = change.value.number
    count += 1
    if count == 2 { break }
    await Task.yield()
  }
}

/// Takes elements until it is cancelled from elsewhere.
private func cancel(_ node: Stored<ObservedValue>, _ buffering: GraphBuffering) async {
  let begun = Gate("the first element")
  let follower = Task {
    for await change in node.changes(buffering: buffering) {
      precondition(change.value.isWhole)
      begun.open()
      await Task.yield()
    }
  }
  try? await begun.pass()
  follower.cancel()
  await follower.value
}

/// Takes what the node has left behind.
private func outlive(_ buffering: GraphBuffering, _ alive: LiveCount) async {
  let owner = Owner(Stored(ObservedValue(0, alive)))
  var changes = owner.object?.changes(buffering: buffering).makeAsyncIterator()
  _ = await changes?.next(isolation: nil)
  for number in 1...3 { await owner.object?.set(ObservedValue(number, alive)) }
  owner.drop()
  var last = 0
  while let change = await changes?.next(isolation: nil) { last = change.value.number }
  precondition(last == (buffering == .oldest(2) ? 2 : 3), "\(buffering) ended with \(last)")
}

/// Follows an expression for a while.
private func track(_ node: Stored<ObservedValue>) async {
  var count = 0
  for await value in GraphTrackings({ node.wrappedValue }) {
    precondition(value.isWhole)
    count += 1
    if count == 3 { break }
  }
}
