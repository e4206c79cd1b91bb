import StateGraph
import StateGraphTesting
import Testing

/// A task that an async rule starts and does not wait for is not the rule.
@Suite struct UnawaitedTaskTests {
  /// How a rule starts a task.
  enum Start: CaseIterable, Sendable {
    case plainly, immediately, fromChildTask, fromTask, onActor, detached

    /// Starts a task, and returns before it ends.
    func start(_ body: @escaping @Sendable () async -> Void) async {
      switch self {
      case .plainly: Task { await body() }
      case .immediately: Task.immediate { await body() }
      case .fromChildTask:
        async let child: Void = { _ = Task { await body() } }()
        await child
      case .fromTask: Task { Task { await body() } }
      case .onActor: await Self.startOnActor(body)
      case .detached: Task.detached { await body() }
      }
    }

    @GraphActor private static func startOnActor(_ body: @escaping @Sendable () async -> Void) {
      Task { @GraphActor in await body() }
    }
  }

  @Test(arguments: Start.allCases)
  func `it may write while the rule runs, and after`(_ start: Start) async throws {
    let (a, log) = (Stored(1), Stored(0))
    let (during, written, after) = (Gate("during"), Gate("written"), Gate("after"))
    let node = AsyncComputed {
      let value = await a.value
      await start.start {
        await log.set(value)
        await withGraphTransaction { log.wrappedValue += 1 }
        during.open()
        try? await after.pass()
        await log.update { $0 += 1 }
        written.open()
      }
      try await during.pass()
      return value
    }
    #expect(try await node.value == 1)
    #expect(await log.value == 2)
    after.open()
    try await written.pass()
    #expect(await log.value == 3)
    #expect(try await node.value == 1)
  }

  @Test(arguments: Start.allCases)
  func `its reads are no dependencies of the rule`(_ start: Start) async throws {
    let (a, other) = (Stored(1), Stored(0))
    let double = other.map { $0 * 2 }
    let (read, runs) = (Gate("read"), EventLog<Int>())
    let node = AsyncComputed {
      runs.record(1)
      let value = await a.value
      await start.start {
        _ = await other.value
        _ = await double.value
        try? await graphWait { double.wrappedValue == 0 }
        read.open()
      }
      try await read.pass()
      return value
    }
    #expect(try await node.value == 1)
    await other.set(5)
    #expect(try await node.value == 1)
    #expect(runs.events == [1])
    await a.set(2)
    #expect(try await node.value == 2)
    #expect(runs.events == [1, 1])
  }

  @Test func `it may wait for the rule's own node`() async throws {
    let (seen, gate) = (EventLog<Int>(), Gate())
    let box = NodeBox()
    let node = AsyncComputed {
      Task {
        if let value = try? await box.node?.value { seen.record(value) }
        gate.open()
      }
      return 7
    }
    await box.set(node)
    #expect(try await node.value == 7)
    try await gate.pass()
    #expect(seen.events == [7])
  }

  /// Holds a node for its own rule.
  @GraphActor private final class NodeBox {
    private(set) var node: AsyncComputed<Int>?

    nonisolated init() {}

    func set(_ node: AsyncComputed<Int>) {
      self.node = node
    }
  }

  @Test func `what the rule awaits is a part of it, whatever executor it prefers`() async throws {
    let nodes = (0..<6).map { Stored($0) }
    let runs = EventLog<Int>()
    let node = AsyncComputed {
      runs.record(1)
      async let first = nodes[0].value
      let second = await GraphActor.run { nodes[1].wrappedValue }
      let third = await withTaskGroup { group in
        group.addTask { await nodes[2].value }
        return await group.next() ?? 0
      }
      let fourth = await withTaskExecutorPreference(globalConcurrentExecutor) {
        await nodes[3].value
      }
      let fifth = await Elsewhere.shared.value(of: nodes[4])
      return await first + second + third + fourth + fifth
    }
    #expect(try await node.value == 10)
    for (index, node) in nodes.enumerated().prefix(5) { await node.set(index + 10) }
    #expect(try await node.value == 60)
    for changed in nodes.prefix(5) {
      _ = runs.take()
      await changed.update { $0 += 1 }
      _ = try await node.value
      #expect(runs.take() == [1])
    }
    await nodes[5].set(100)
    _ = try await node.value
    #expect(runs.take() == [])
  }

  private actor Elsewhere {
    static let shared = Elsewhere()

    func value(of node: Stored<Int>) async -> Int { await node.value }
  }

  @Test func `a write of a child task is one of the rule`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let log = Stored(0, name: "log")
      let node = AsyncComputed(name: "node") {
        async let written: Void = log.set(1)
        await written
        return 1
      }
      _ = try await node.value
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("the rule of node writes log"))
  }
}
