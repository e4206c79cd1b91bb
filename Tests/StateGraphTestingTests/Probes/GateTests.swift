import StateGraphTesting
import Testing

@Suite struct GateTests {
  @Test func `a task waits until the gate opens`() async throws {
    let gate = Gate()
    let log = EventLog<String>()
    async let task: Void = {
      try await gate.pass()
      log.record("passed")
    }()
    try await gate.arrivals(1)
    #expect(gate.passedCount == 0)
    log.record("opened")
    gate.open()
    try await task
    #expect(log.events == ["opened", "passed"])
  }

  @Test func `an open gate lets everybody pass until it is shut`() async throws {
    let gate = Gate(isOpen: true)
    try await gate.pass()
    try await gate.pass()
    gate.shut()
    async let task: Void = gate.pass()
    try await gate.arrivals(3)
    #expect(gate.passedCount == 2)
    gate.open()
    try await task
    #expect(gate.passedCount == 3)
  }

  @Test func `a permit lets one task pass, now or later`() async throws {
    let gate = Gate()
    gate.admit()
    try await gate.pass()
    async let one: Void = gate.pass()
    async let two: Void = gate.pass()
    try await gate.arrivals(3)
    gate.admit(2)
    try await one
    try await two
    #expect(gate.passedCount == 3)
  }

  @Test func `tasks pass in the order in which they arrived`() async throws {
    let gate = Gate()
    let log = EventLog<Int>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...5 {
        group.addTask {
          try await gate.pass()
          log.record(number)
        }
        try await gate.arrivals(number)
      }
      for number in 1...5 {
        gate.admit()
        try await log.wait { $0.count == number }
      }
    }
    #expect(log.events == [1, 2, 3, 4, 5])
  }

  @Test func `a cancelled task does not pass`() async throws {
    let gate = Gate()
    let task = Task { try await gate.pass() }
    try await gate.arrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.passedCount == 0)
    gate.open()
    try await gate.pass()
    #expect(gate.passedCount == 1)
  }

  @Test func `a cancellation and an opening at the same time agree`() async throws {
    let summary = try await withEverySchedule(
      upTo: 10_000, strategy: .depthFirst(), cancelling: [.task("waiter")]
    ) {
      let gate = Gate("the gate")
      async let hasPassed: Bool = Schedule.named("waiter") {
        await Schedule.yield()
        do {
          try await gate.pass()
          return true
        } catch {
          return false
        }
      }
      await Schedule.yield()
      gate.open()
      let passed = await hasPassed
      try Schedule.require(gate.passedCount == (passed ? 1 : 0), "passed: \(passed)")
    }
    #expect(summary.isExhaustive)
  }

  @Test func `numbered gates are passed in the order of their numbers`() async throws {
    let gates = NumberedGates()
    let log = EventLog<Int>()
    try await withThrowingDiscardingTaskGroup { group in
      for number in [3, 1, 4, 2, 5] {
        group.addTask {
          try await gates.pass(2 * number - 1)
          log.record(number)
          try await gates.pass(2 * number)
        }
      }
    }
    #expect(log.events == [1, 2, 3, 4, 5])
    #expect(gates.lastPassed == 10)
  }

  @Test func `numbered gates fix an interleaving`() async throws {
    try await withEverySchedule(upTo: 200) {
      let gates = NumberedGates()
      let log = EventLog<String>()
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          try await gates.pass(1)
          log.record("read")
          try await gates.pass(2)
          try await gates.pass(5)
          log.record("write")
        }
        group.addTask {
          try await gates.pass(3)
          log.record("other write")
          try await gates.pass(4)
        }
      }
      try Schedule.require(log.events == ["read", "other write", "write"], "\(log.events)")
    }
  }

  @Test func `a numbered gate is passed once`() async {
    await #expect(processExitsWith: .failure) {
      let gates = NumberedGates()
      try await gates.pass(1)
      try await gates.pass(1)
    }
  }
}
