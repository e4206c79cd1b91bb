import StateGraph
import StateGraphTesting
import Testing

/// Values that belong together, written by many tasks at once and read in every way.
@Suite struct InvariantStressTests {
  /// Accounts whose sum never changes, moved between by transactions, some of which fail.
  @Test func `the sum of accounts is the same for every kind of read`() async {
    struct Refused: Error {}
    let rounds = 300 * StressScale.factor
    let seed = StressScale.seed
    print("transfers with seed \(seed), \(rounds) rounds")
    let accounts = (0..<16).map { _ in Stored(100) }
    let halves = [
      Computed { _ in accounts[..<8].reduce(0) { $0 + $1.wrappedValue } },
      Computed { _ in accounts[8...].reduce(0) { $0 + $1.wrappedValue } },
    ]
    let total = Computed { _ in halves[0].wrappedValue + halves[1].wrappedValue }
    let finished = Stored(0)

    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          var generator = SeededGenerator(seed: seed &+ UInt64(writer))
          for _ in 0..<rounds {
            let from = accounts[Int.random(in: 0..<16, using: &generator)]
            let to = accounts[Int.random(in: 0..<16, using: &generator)]
            let amount = Int.random(in: 1...50, using: &generator)
            let fails = Int.random(in: 0..<5, using: &generator) == 0
            do {
              try await withGraphTransaction {
                from.wrappedValue -= amount
                if fails { throw Refused() }
                to.wrappedValue += amount
                #expect(total.wrappedValue == 1_600)
              }
            } catch {
              #expect(fails)
            }
          }
          await finished.update { $0 += 1 }
        }
      }
      group.addTask {
        while await finished.value < 8 { #expect(await total.value == 1_600) }
      }
      group.addTask {
        while await finished.value < 8 {
          #expect(await GraphActor.run { accounts.reduce(0) { $0 + $1.wrappedValue } } == 1_600)
        }
      }
      group.addTask {
        for await change in total.changes(buffering: .unbounded) {
          #expect(change.value == 1_600)
          break
        }
      }
      group.addTask {
        let sums = GraphTrackings<Int?, Never>.untilFinished {
          if finished.wrappedValue == 8 { return .finish }
          return .next(accounts.reduce(0) { $0 + $1.wrappedValue })
        }
        for await sum in sums { #expect(sum == 1_600) }
      }
    }
    #expect(await total.value == 1_600)
  }

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

  /// Nodes and streams that come and go on all threads while commits happen.
  @Test func `nodes and streams made and dropped on all threads leave nothing behind`() async {
    let rounds = 200 * StressScale.factor
    await #expect(processExitsWith: .success) { [rounds = rounds as Int] in
      let shared = Stored(0)
      await withTaskGroup(of: Void.self) { group in
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
              guard await follower.value else { fatalError("a follower did not end") }
            }
          }
        }
      }
      // A task lets go of what it captured a moment after its value has been delivered.
      let deadline = ContinuousClock.now + .seconds(30)
      while await GraphActor.run({ Graph.shared.nodeCount }) > 1, .now < deadline {
        await Task.yield()
      }
      await GraphActor.run {
        precondition(Graph.shared.nodeCount == 1, "\(Graph.shared.nodeCount) nodes are left")
        precondition(Graph.shared.edgeCount == 0, "\(Graph.shared.edgeCount) edges are left")
        precondition(Graph.shared.brokenInvariants() == [])
      }
    }
  }
}
