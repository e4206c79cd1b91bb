import StateGraph
import StateGraphTesting
import Testing

/// What is written down comes out as it was.
@Suite struct HistoryRecorderTests {
  private struct Failure: Error {}

  @Test func `logs are merged in the order of begins`() {
    let recorder = HistoryRecorder()
    let (first, second) = (recorder.makeLog(), recorder.makeLog())
    second.begin()
    first.begin()
    second.read("x", 0)
    first.read("y", [1], version: 3)
    first.append("y", 2)
    second.write("x", 7)
    first.commit(version: 4)
    second.abort()
    #expect(
      recorder.history().transactions == [
        .init(process: 2, time: 1...4, outcome: .aborted, .read("x", 0), .write("x", 7)),
        .init(
          process: 1, time: 2...3, version: 4, .read("y", [1], version: 3), .append("y", 2)),
      ])
  }

  @Test func `a body that throws is an aborted transaction`() async {
    let recorder = HistoryRecorder()
    let log = recorder.makeLog()
    await #expect(throws: Failure.self) {
      try await log.transaction {
        log.write("x", 1)
        throw Failure()
      }
    }
    let value = await log.transaction { log.read("x", 0) }
    #expect(value == 0)
    #expect(recorder.history().transactions.map(\.outcome) == [.aborted, .committed])
  }

  @Test func `a wait is a transaction that is marked`() async {
    let recorder = HistoryRecorder()
    let log = recorder.makeLog()
    await log.wait { _ = log.read("x", 1) }
    #expect(
      recorder.history().transactions
        == [.init(process: 1, time: 1...2, isWait: true, .read("x", 1))])
  }

  @Test func `a body that runs again has aborted before`() {
    let recorder = HistoryRecorder()
    let log = recorder.makeLog()
    log.begin()
    log.read("x", 0)
    log.begin()
    log.read("x", 1)
    log.commit()
    #expect(recorder.history().transactions.map(\.outcome) == [.aborted, .committed])
  }

  @Test func `a transaction that did nothing is left out unless it committed`() {
    let recorder = HistoryRecorder()
    let log = recorder.makeLog()
    log.begin()
    log.begin()
    log.commit()
    log.begin()
    #expect(recorder.history().transactions == [.init(process: 1, time: 3...4)])
  }

  @Test func `a transaction that is open in the end has an unknown outcome`() {
    let recorder = HistoryRecorder()
    let log = recorder.makeLog()
    log.begin()
    log.write("x", 1)
    let history = recorder.history()
    #expect(history.transactions.map(\.outcome) == [.unknown])
    #expect(history.transactions[0].end == .max)
    log.commit()
    #expect(recorder.history().transactions.map(\.outcome) == [.committed])
  }

  @Test func `a stream has its elements, their times and its end`() {
    let recorder = HistoryRecorder()
    let stream = recorder.makeLog().stream(of: "x", buffering: .latest)
    stream.deliver(0, version: 4)
    stream.deliver(7)
    stream.end(.drained)
    #expect(
      recorder.history().streams == [
        .init(
          of: "x", buffering: .latest, begin: 1,
          [.init(0, version: 4, time: 2), .init(7, time: 3)], end: .drained)
      ])
  }

  @Test func `new values differ within a log and between logs`() {
    let recorder = HistoryRecorder()
    let logs = [recorder.makeLog(), recorder.makeLog()]
    let values = logs.flatMap { log in (0..<100).map { _ in log.newValue() } }
    #expect(Set(values).count == 200)
    #expect(values[0] == 10_000_001)
  }

  @Test func `two tasks that read before both write are a lost update`() {
    let recorder = HistoryRecorder()
    let (first, second) = (recorder.makeLog(), recorder.makeLog())
    first.begin()
    second.begin()
    first.read("x", 0)
    second.read("x", 0)
    first.write("x")
    first.commit()
    second.write("x")
    second.commit()
    #expect(recorder.history().anomalies().map(\.kind) == [.lostUpdate])
  }

  @Test func `a history prints as the expression that makes it`() {
    let history = History(
      [
        .init(
          process: 1, time: 1...4, outcome: .aborted, version: 2, isWait: true,
          .read("x", 0, version: 1), .write("x", 1), .append("y", 2), .read("y", [1, 2])),
        .init(time: 5...UInt64.max),
      ],
      streams: [
        .init(
          of: "x", buffering: .latest, begin: 3, [.init(1, version: 2, time: 7)], end: .drained),
        .init(of: "y", [.init([1])]),
      ], initialValues: ["x": 5, "a": 1])
    #expect(
      "\(history)" == """
        History([
          .init(process: 1, time: 1...4, outcome: .aborted, version: 2, isWait: true, \
        .read("x", 0, version: 1), .write("x", 1), .append("y", 2), .read("y", [1, 2])),
          .init(time: 5...UInt64.max),
        ], streams: [
          .init(of: "x", buffering: .latest, begin: 3, [.init(1, version: 2, time: 7)], \
        end: .drained),
          .init(of: "y", [.init([1])]),
        ], initialValues: ["a": 1, "x": 5])
        """)
  }
}

// MARK: - Misuse

extension HistoryRecorderTests {
  @Test func `an operation outside of a transaction traps`() async {
    await #expect(processExitsWith: .failure) {
      HistoryRecorder().makeLog().read("x", 0)
    }
  }

  @Test func `an end without a begin traps`() async {
    await #expect(processExitsWith: .failure) {
      HistoryRecorder().makeLog().commit()
    }
  }
}
