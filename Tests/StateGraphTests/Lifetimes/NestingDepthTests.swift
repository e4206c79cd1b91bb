import Foundation
import StateGraph
import Synchronization
import Testing

/// How deeply rules can be nested that have never run: the first evaluation of a chain goes through
/// the closures of the user, and so through the stack.
@Suite struct NestingDepthTests {
  @Test func `10,000 rules are nested in a synchronous transaction`() async {
    await #expect(processExitsWith: .success) {
      let chain = Chain(10_000)
      let sum = await withGraphTransaction { chain.last.wrappedValue }
      precondition(sum == 10_000)
      precondition(chain.runs == 10_000)
    }
  }

  @Test func `10,000 rules are nested in a transaction that awaits`() async {
    await #expect(processExitsWith: .success) {
      let chain = Chain(10_000)
      let sum = try await withGraphTransaction {
        chain.source.wrappedValue = 1
        await Task.yield()
        return chain.last.wrappedValue
      }
      precondition(sum == 10_001)
      precondition(chain.runs == 10_000)
    }
  }

  @Test func `10,000 rules that a staged write reaches are verified without nesting`() async {
    await #expect(processExitsWith: .success) {
      let chain = Chain(10_000)
      let sums = await GraphActor.run {
        let before = chain.last.wrappedValue
        return withGraphTransaction {
          chain.source.wrappedValue = 5
          return (before, chain.last.wrappedValue)
        }
      }
      precondition(sums == (10_000, 10_005))
      precondition(chain.runs == 20_000)
    }
  }

  @Test(arguments: [1 << 20, 256 << 10])
  func `a small stack ends with the message`(size: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [size] in
      await StackExecutor(size: size).run {
        await GraphActor.run { _ = Chain(100_000).last.wrappedValue }
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("nests deeper than the stack allows"))
  }

  @Test func `a large stack takes more rules`() async {
    await #expect(processExitsWith: .success) {
      let sum = await StackExecutor(size: 256 << 20).run {
        await GraphActor.run { Chain(50_000).last.wrappedValue }
      }
      precondition(sum == 50_000)
    }
  }
}

/// A chain of computed nodes, each of which adds 1 to what it reads.
private final class Chain: Sendable {
  let source: Stored<Int>
  let last: Computed<Int>
  private let count: RunCount

  /// How often rules have run.
  var runs: Int { count.runs.load(ordering: .relaxed) }

  init(_ length: Int) {
    let count = RunCount()
    let source = Stored(0)
    var last = Computed { _ in
      count.runs.add(1, ordering: .relaxed)
      return source.wrappedValue + 1
    }
    for _ in 1..<length {
      let before = last
      last = Computed { _ in
        count.runs.add(1, ordering: .relaxed)
        return before.wrappedValue + 1
      }
    }
    self.count = count
    self.source = source
    self.last = last
  }
}

private final class RunCount: Sendable {
  let runs = Atomic(0)
}

/// Runs jobs one after the other, on a thread with a stack of a given size.
private final class StackExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  init(size: Int) {
    let thread = Thread { [self] in
      while true {
        semaphore.wait()
        let job = jobs.withLock { $0.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    thread.stackSize = size
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    semaphore.signal()
  }

  /// Runs a body on the thread.
  func run<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
    await Task(executorPreference: self, operation: body).value
  }
}
