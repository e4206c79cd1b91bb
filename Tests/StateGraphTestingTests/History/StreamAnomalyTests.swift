import StateGraph
import StateGraphTesting
import Testing

/// What streams show.
@Suite struct StreamAnomalyTests {
  /// Writes 1, 2 and 3 to x, one after the other.
  let writes: [History.Transaction] = [
    .init(process: 1, time: 1...2, version: 1, .write("x", 1)),
    .init(process: 1, time: 3...4, version: 2, .write("x", 2)),
    .init(process: 1, time: 5...6, version: 3, .write("x", 3)),
  ]

  func stream(
    _ elements: [History.Stream.Element], begin: UInt64 = 0, end: History.Stream.End = .left
  ) -> History {
    History(writes, streams: [.init(of: "x", begin: begin, elements, end: end)])
  }

  @Test(
    arguments: [
      [0, 1, 2, 3], [1, 2, 3], [0, 1], [3], [],
    ] as [[History.Stream.Element]])
  func `a stream of consecutive values is accepted`(elements: [History.Stream.Element]) {
    #expect(stream(elements).anomalies().isEmpty)
  }

  @Test func `an element that was delivered twice breaks a stream`() {
    expect(
      stream([0, 1, 1, 2]), "broken stream",
      drawing: "  S1#2 delivered x = 1, then S1#3 delivered x = 1: the same twice")
  }

  @Test func `a value that no commit made breaks a stream`() {
    expect(
      stream([0, 7, 1]), "broken stream", drawing: "  S1#2 delivered x = 7, which nobody wrote")
  }

  @Test func `a value that was rolled back breaks a stream`() {
    expect(
      History(
        [.init(outcome: .aborted, .write("x", 1))], streams: [.init(of: "x", [0, 1])]),
      "broken stream",
      drawing: """
          T1 --wr(x)--> S1#2
          T1 --wr(x)--> S1#2: T1 wrote x = 1 and aborted; S1#2 delivered x = 1
          T1: write x = 1 (aborted)
        """)
  }

  @Test func `a value from amid a transaction breaks a stream`() {
    let history = History(
      [.init(.write("x", 1), .write("x", 2))], streams: [.init(of: "x", [0, 1, 2])])
    #expect(history.anomalies().map(\.kind) == [.brokenStream])
  }

  @Test func `a change that was left out breaks a stream of everything`() {
    expect(
      stream([0, 1, 3]), "broken stream",
      drawing: "  S1#2 delivered x = 1, then S1#3 delivered x = 3, without x = 2 in between")
  }

  @Test func `a change may be left out of a stream of the latest values`() {
    var history = stream([0, 3], end: .drained)
    history.streams[0].buffering = .latest
    #expect(history.anomalies().isEmpty)
  }

  @Test func `elements in another order than the commits are out of order`() {
    expect(
      stream([2, 1]), "out-of-order stream",
      drawing: "  S1#1 delivered x = 2, then S1#2 delivered x = 1, which is earlier")
  }

  @Test func `versions that do not grow are out of order`() {
    expect(
      History(
        [.init(.write("x", 1)), .init(.write("x", 2))],
        streams: [
          .init(of: "x", [.init(1, version: 6), .init(2, version: 5)])
        ]),
      "out-of-order stream",
      drawing: "  S1#1 delivered x = 1, then S1#2 delivered x = 2: version 6, then version 5")
  }

  @Test func `two streams that disagree are out of order, though nothing else tells the order`() {
    expect(
      History(
        [.init(.write("x", 1)), .init(.write("x", 2))],
        streams: [.init(of: "x", [0, 1, 2]), .init(of: "x", [0, 2, 1])]),
      "out-of-order stream",
      drawing: """
          T1 --ww(x)--> T2 --ww(x)--> T1
          T1 --ww(x)--> T2: T1 wrote x = 1; T2 wrote x = 2, which is later, as a stream delivered it \
        later
          T2 --ww(x)--> T1: T2 wrote x = 2; T1 wrote x = 1, which is later, as a stream delivered it \
        later
          T1: write x = 1
          T2: write x = 2
        """)
  }

  @Test func `a stream that ends before the last value misses it`() {
    expect(
      stream([0, 1, 2], end: .drained), "missing last element",
      drawing: """
          S1 ended with S1#3, which delivered x = 2, yet T3 wrote x = 3 later
          T3: write x = 3 (process 1, time 5...6, version 3)
        """)
  }

  @Test func `the last value is known from real time, too`() {
    var history = stream([0, 1, 2], end: .released)
    for number in history.transactions.indices { history.transactions[number].version = nil }
    #expect(history.anomalies().map(\.kind) == [.missingLastElement])
  }

  @Test func `a drained stream of everything must have every change, in whatever order`() {
    let history = History(
      [.init(.write("x", 1)), .init(.write("x", 2))],
      streams: [.init(of: "x", [0, 1], end: .drained)])
    #expect(history.anomalies().map(\.kind) == [.brokenStream])
  }

  @Test func `a drained stream has at least the value that there was`() {
    #expect(stream([], end: .drained).anomalies().map(\.kind) == [.missingLastElement])
    #expect(stream([], end: .released).anomalies().isEmpty)
  }

  @Test func `a stream of lists is checked like one of values`() {
    let appends: [History.Transaction] = [
      .init(.append("x", 1)), .init(.append("x", 2)), .init(.read("x", [1, 2])),
    ]
    func kinds(_ lists: [[Int]], end: History.Stream.End = .left) -> [Anomaly.Kind] {
      let elements = lists.map { History.Stream.Element($0) }
      let history = History(appends, streams: [.init(of: "x", elements, end: end)])
      return history.anomalies().map(\.kind)
    }
    #expect(kinds([[], [1], [1, 2]], end: .drained).isEmpty)
    #expect(kinds([[], [1, 2]]) == [.brokenStream])
    #expect(kinds([[1, 2], [1]]) == [.outOfOrderStream])
    #expect(kinds([[1], [2]]) == [.incompatibleOrder])
    #expect(kinds([[], [1]], end: .drained) == [.missingLastElement])
  }
}

// MARK: - Streams and transactions

extension StreamAnomalyTests {
  @Test func `a stream that begins with an old value violates real time`() {
    expect(
      stream([.init(1, time: 9), .init(2, time: 10)], begin: 7), "real-time violation",
      drawing: """
          T2 --real time--> S1#1 --rw(x)--> T2
          T2 --real time--> S1#1: T2 had ended at 4, S1#1 began at 7
          S1#1 --rw(x)--> T2: S1#1 delivered x = 1; T2 wrote x = 2, which is later
          T2: write x = 2 (process 1, time 3...4, version 2)
        """)
  }

  @Test func `later elements of a stream of everything may be old`() {
    let history = stream([.init(0, time: 8), .init(1, time: 9), .init(2, time: 10)])
    #expect(history.anomalies().isEmpty)
  }

  @Test func `later elements of a stream of the latest values may not be old`() {
    var history = stream([.init(0, time: 7), .init(1, time: 9)])
    history.streams[0].buffering = .latest
    #expect(history.anomalies().map(\.kind) == [.realTime])
  }

  @Test func `what begins after a delivery must not see less`() {
    var history = stream([.init(3, time: 7)])
    history.transactions[2].end = 20
    history.transactions.append(.init(time: 8...9, .read("x", 2)))
    #expect(history.anomalies().map(\.kind) == [.realTime])
    history.streams = []
    #expect(history.anomalies().isEmpty)
  }
}
