import StateGraphTesting
import Testing

/// What a single transaction, or a reader and its writer, show.
@Suite struct ReadAnomalyTests {
  @Test func `a transaction that does not read its own write contradicts itself`() {
    expect(
      History([.init(.write("x", 1), .read("x", 0))]), "internal (contradicts itself)",
      drawing: """
          T1: write x = 1, then read x = 0
          T1: write x = 1, read x = 0
        """)
  }

  @Test func `a transaction that reads twice what changed in between contradicts itself`() {
    let history = History([
      .init(.write("x", 1)), .init(.read("x", 0), .read("y", 0), .read("x", 1)),
    ])
    #expect(history.anomalies().map(\.kind) == [.internal])
  }

  @Test func `a list without the own append contradicts the transaction`() {
    let history = History([.init(.read("x", []), .append("x", 1), .read("x", []))])
    #expect(history.anomalies().map(\.kind) == [.internal])
  }

  @Test func `a list that changed below the own append contradicts the transaction`() {
    let history = History([
      .init(.append("x", 1)), .init(.read("x", []), .append("x", 2), .read("x", [1, 2])),
    ])
    #expect(history.anomalies().map(\.kind) == [.internal])
  }

  @Test func `a read of what the transaction writes later contradicts it`() {
    expect(
      History([.init(.read("x", 1), .write("x", 1))]), "internal (contradicts itself)",
      drawing: """
          T1 read x = 1, which it wrote only later
          T1: read x = 1, write x = 1
        """)
  }

  @Test func `a read of what an aborted transaction wrote is G1a`() {
    expect(
      History([.init(outcome: .aborted, .write("x", 1)), .init(.read("x", 1))]),
      "G1a (aborted read)",
      drawing: """
          T1 --wr(x)--> T2
          T1 --wr(x)--> T2: T1 wrote x = 1 and aborted; T2 read x = 1
          T1: write x = 1 (aborted)
          T2: read x = 1
        """)
  }

  @Test func `a list with an element of an aborted transaction is G1a`() {
    let history = History([
      .init(.append("x", 1)), .init(outcome: .aborted, .append("x", 2)), .init(.append("x", 3)),
      .init(.read("x", [1, 2, 3])),
    ])
    #expect(history.anomalies().map(\.kind) == [.g1a])
    #expect(history.anomalies()[0].transactions == [2, 4])
  }

  @Test func `a read of what its writer wrote again is G1b`() {
    expect(
      History([.init(.write("x", 1), .write("x", 2)), .init(.read("x", 1))]),
      "G1b (intermediate read)",
      drawing: """
          T1 --wr(x)--> T2
          T1 --wr(x)--> T2: T1 wrote x = 1 and then wrote it again; T2 read x = 1
          T1: write x = 1, write x = 2
          T2: read x = 1
        """)
  }

  @Test func `a list that ends amid the appends of a transaction is G1b`() {
    let history = History([
      .init(.append("x", 1), .append("x", 2)), .init(.read("x", [1])), .init(.read("x", [1, 2])),
    ])
    #expect(history.anomalies().map(\.kind) == [.g1b])
  }

  @Test func `a list with something between the appends of a transaction is G0`() {
    let history = History([
      .init(.append("x", 1), .append("x", 3)), .init(.append("x", 2)),
      .init(.read("x", [1, 2, 3])),
    ])
    #expect(history.anomalies().map(\.kind) == [.g0])
  }

  @Test func `a value that nobody wrote is unknown`() {
    expect(
      History([.init(.read("x", 7))]), "unknown value",
      drawing: """
          T1 read x = 7, which nobody wrote
          T1: read x = 7
        """)
  }

  @Test func `lists that are no beginnings of each other fit no order`() {
    expect(
      History([
        .init(.append("x", 1)), .init(.append("x", 2)), .init(.read("x", [1, 2])),
        .init(.read("x", [2])),
      ]), "incompatible order",
      drawing: """
          T4 read x = [2], which is not how [1, 2] begins, as T3 read it
          T4: read x = [2]
          T3: read x = [1, 2]
        """)
  }

  @Test func `an element that is in a list twice fits no order`() {
    let history = History([.init(.append("x", 1)), .init(.read("x", [1, 1]))])
    #expect(history.anomalies().map(\.kind) == [.incompatibleOrder])
  }

  @Test func `two values at one version fit no order`() {
    expect(
      History([
        .init(version: 1, .write("x", 1)), .init(version: 3, .write("x", 2)),
        .init(.read("x", 1, version: 4)),
      ]), "incompatible order",
      drawing: """
          x = 1 is there at version 4, and x = 2, which is later, at version 3
          T1: write x = 1 (version 1)
          T2: write x = 2 (version 3)
        """)
  }

  @Test func `a history that writes a value twice is malformed`() {
    expect(
      History([.init(.write("x", 1)), .init(.write("x", 1)), .init(.read("x", 1))]),
      "malformed history",
      drawing: """
          T2 wrote x = 1, and T1 wrote it, too
          T1: write x = 1
          T2: write x = 1
        """)
  }

  @Test func `a key that is a register and a list is malformed`() {
    let history = History([.init(.write("x", 1)), .init(.append("x", 2))])
    #expect(history.anomalies().map(\.kind) == [.malformed])
    let stream = History([], streams: [.init(of: "x", [0, .init([1])])])
    #expect(stream.anomalies().map(\.kind) == [.malformed])
  }
}

// MARK: - What counts

extension ReadAnomalyTests {
  @Test func `what an aborted transaction read counts only if that is asked for`() {
    let history = History([
      .init(.write("x", 1), .write("y", 1)),
      .init(outcome: .aborted, .read("x", 1), .read("y", 0), .write("z", 1), .read("z", 1)),
    ])
    #expect(history.anomalies().isEmpty)
    #expect(history.anomalies(includingAbortedReads: true).map(\.kind) == [.gSingle])
  }

  @Test func `a transaction with an unknown outcome counts once somebody has seen it`() {
    let unseen = History([
      .init(time: 1...2, outcome: .unknown, .write("x", 1)), .init(time: 3...4, .read("x", 0)),
    ])
    #expect(unseen.anomalies().isEmpty)
    let seenLater = History(unseen.transactions + [.init(time: 5...6, .read("x", 1))])
    #expect(seenLater.anomalies().isEmpty)
    let seenBefore = History(
      [.init(time: 0...1, .read("x", 1))] + seenLater.transactions + [.init(.read("x", 1))])
    #expect(seenBefore.anomalies().map(\.kind) == [.realTime])
  }

  @Test func `a first value other than 0 is told with the history`() {
    let transactions: [History.Transaction] = [.init(.read("x", 5)), .init(.write("x", 1))]
    #expect(History(transactions, initialValues: ["x": 5]).anomalies().isEmpty)
    #expect(History(transactions).anomalies().map(\.kind) == [.unknownValue])
  }
}
