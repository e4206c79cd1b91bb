import StateGraph
import StateGraphTesting
import Testing

/// Nodes that come and go on all threads while commits and reads happen.
@Suite(.serialized) struct NodeLifetimeStressTests {
  @Test func `nodes made, read in every way and dropped leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let alive = LiveCount()
      let deadline = StressScale.deadline(after: 3)
      do {
        let shared = Stored(ObservedValue(0, alive))
        await withTaskGroup { group in
          for worker in 0..<8 {
            group.addTask {
              var round = 0
              while .now < deadline {
                round += 1
                let own = Stored(ObservedValue(round, alive))
                let sum = Computed { _ in own.wrappedValue.number + shared.wrappedValue.number }
                let double = sum.map { ObservedValue($0 * 2, alive) }
                let (value, mine) = await GraphSnapshot.values(of: double, own)
                precondition(value.isWhole && mine.number == round)
                await shared.set(ObservedValue(round * 8 + worker, alive))
                precondition(own.committedValue.number == round)
                _ = sum.committedValue
                await own.set(ObservedValue(-1, alive))
                precondition(own.committedValue.number == -1)
                let last = await double.value
                precondition(last.isWhole)
              }
            }
          }
        }
      }
      await Baseline.expectNothing(of: alive)
    }
  }

  /// The last owner may be a reader that is in the middle of a read, a writer, or a rule.
  @Test func `nodes dropped under their readers and writers leave nothing behind`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let alive = LiveCount()
      let deadline = StressScale.deadline(after: 3)
      do {
        let owners = (0..<4).map { _ in Owner(Stored(ObservedValue(0, alive))) }
        let derived = owners.map { owner in
          Owner(Computed { _ in ObservedValue(owner.object?.wrappedValue.number ?? -1, alive) })
        }
        await withTaskGroup { group in
          for worker in 0..<8 {
            group.addTask {
              var random = SeededGenerator(seed: seed &+ UInt64(worker))
              while .now < deadline {
                let place = Int.random(in: 0..<4, using: &random)
                let (owner, rule) = (owners[place], derived[place])
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                  owner.replace(by: Stored(ObservedValue(1, alive)))
                case 1:
                  await GraphActor.run { owner.replace(by: Stored(ObservedValue(2, alive))) }
                case 2:
                  rule.replace(
                    by: Computed { _ in
                      ObservedValue(owner.object?.wrappedValue.number ?? -1, alive)
                    })
                case 3, 4: await owner.object?.set(ObservedValue(3, alive))
                case 5: precondition(owner.object?.committedValue.isWhole ?? true)
                case 6: precondition(rule.object?.committedValue?.isWhole ?? true)
                case 7:
                  let value = await owner.object?.value
                  precondition(value?.isWhole ?? true)
                case 8:
                  let value = await rule.object?.value
                  precondition(value?.isWhole ?? true)
                default:
                  guard let node = owner.object, let computed = rule.object else { continue }
                  let (one, two) = await GraphSnapshot.values(of: node, computed)
                  precondition(one.isWhole && two.isWhole)
                }
              }
            }
          }
        }
      }
      await Baseline.expectNothing(of: alive)
    }
  }
}
