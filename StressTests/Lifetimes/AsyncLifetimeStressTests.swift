import StateGraph
import StateGraphTesting
import Testing

/// Async nodes that come and go on all threads while what they read is written.
@Suite(.serialized) struct AsyncLifetimeStressTests {
  @Test func `async nodes made, awaited, followed and dropped leave nothing behind`() async {
    await #expect(processExitsWith: .success) { [seed = StressScale.seed as UInt64] in
      let alive = LiveCount()
      let deadline = StressScale.deadline(after: 3)
      do {
        let source = Stored(0)
        let text = Stored("0")
        await withTaskGroup { group in
          group.addTask {
            var round = 0
            while .now < deadline {
              round += 1
              let number = round
              await withGraphTransaction {
                source.wrappedValue = number
                text.wrappedValue = "\(number)"
              }
              // A pause in which rules can come to their ends.
              for _ in 0..<50 { await Task.yield() }
            }
          }
          for worker in 0..<6 {
            group.addTask {
              var random = SeededGenerator(seed: seed &+ UInt64(worker))
              while .now < deadline {
                let node = AsyncComputed { [token = alive.token()] in
                  defer { extendLifetime(token) }
                  let (one, two) = await GraphSnapshot.values(of: source, text)
                  await Task.yield()
                  let again = await source.value
                  return ObservedValue(two == "\(one)" && again == one ? one : -1, alive)
                }
                await use(node, Int.random(in: 0..<4, using: &random))
              }
            }
          }
        }
      }
      await Baseline.expectNothing(of: alive)
    }
  }
}

/// Uses a node in one of the ways in which somebody may lose interest.
private func use(_ node: AsyncComputed<ObservedValue>, _ kind: Int) async {
  switch kind {
  case 0:
    let value = try? await node.value
    precondition(value?.number != -1, "a superseded run was published")
  case 1:
    let waiter = Task { try? await node.value }
    await Task.yield()
    waiter.cancel()
    _ = await waiter.value
  case 2:
    for await state in node.states {
      guard case .success(let value) = state else { continue }
      precondition(value.number != -1, "a superseded run was published")
      break
    }
  default:
    // Begins a run that nobody waits for.
    _ = await node.state
  }
}
