import StateGraph
import StateGraphTesting
import Testing

@Suite struct TrapTests {
  @Test func `a trap in the body leaves the seed`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await withEverySchedule(upTo: 100, from: 40) {
        await Schedule.yield()
        precondition(Schedule.seed != 57, "the trap")
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(
      message.contains(
        "the process ends during withSeededSchedule(seed: 57, strategy: .random)\n"))
  }

  @Test func `a trap in the depth of a tree leaves the choices`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await withEverySchedule(upTo: 100, strategy: .depthFirst()) {
        let log = EventLog<Int>()
        await withDiscardingTaskGroup { group in
          for number in 1...2 {
            group.addTask {
              await Schedule.yield()
              log.record(number)
            }
          }
        }
        precondition(log.events == [1, 2])
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("withSeededSchedule(seed: 0, strategy: .replay(["))
  }

  @Test func `misuse of the graph leaves the seed`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await withSeededSchedule(seed: 3) {
        let source = Stored(0)
        let writer = Computed { _ in
          source.wrappedValue = 1
          return 0
        }
        _ = await writer.value
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("a rule must only derive a value"))
    #expect(message.contains("withSeededSchedule(seed: 3, strategy: .random)\n"))
  }

  @Test func `a stack that overflows leaves the seed`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await withSeededSchedule(seed: 4) {
        _ = TrapTests.depth(of: 100_000_000)
      }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("withSeededSchedule(seed: 4, strategy: .random)\n"))
  }

  @inline(never)
  static func depth(of count: Int) -> Int {
    count == 0 ? 0 : withExtendedLifetime([count]) { depth(of: count - 1) + $0[0] }
  }

  @Test func `without a run a trap leaves no seed`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await withSeededSchedule(seed: 3) {}
      preconditionFailure("later")
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(!message.contains("withSeededSchedule"))
  }
}
