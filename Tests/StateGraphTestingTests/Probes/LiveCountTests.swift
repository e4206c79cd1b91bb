import StateGraph
import StateGraphTesting
import Testing

@Suite struct LiveCountTests {
  @Test func `tokens are counted while they are alive`() {
    let alive = LiveCount()
    #expect(alive.current == 0)
    var tokens = [alive.token(), alive.token()]
    #expect(alive.current == 2)
    tokens.removeLast()
    #expect(alive.current == 1)
    #expect(alive.freed == 1)
    tokens.removeAll()
    #expect(alive.current == 0)
    #expect(alive.freed == 2)
  }

  @Test func `a task waits until an object has been freed elsewhere`() async throws {
    let alive = LiveCount()
    let gate = Gate()
    let task = Task { [token = alive.token()] in
      try await gate.pass()
      withExtendedLifetime(token) {}
    }
    #expect(alive.current == 1)
    gate.open()
    try await alive.wait(for: 0)
    try await task.value
  }

  @Test func `the rule of a released node is freed in every schedule`() async {
    await #expect(processExitsWith: .success) {
      try await withEverySchedule(upTo: 500) {
        let alive = LiveCount()
        do {
          let source = Stored(0)
          let node = Computed { [token = alive.token()] _ in
            withExtendedLifetime(token) { source.wrappedValue }
          }
          async let read = node.value
          async let write: Void = source.set(1)
          _ = await (read, write)
        }
        try await alive.wait(for: 0)
      }
    }
  }
}
