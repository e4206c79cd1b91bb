import StateGraphTesting
import Testing

/// Cycles get the right name, and the drawing that shows them.
@Suite struct CycleAnomalyTests {
  @Test func `writes in turns are G0`() {
    expect(
      History([
        .init(.append("x", 1), .append("y", 1)),
        .init(.append("x", 2), .append("y", 2)),
        .init(.read("x", [1, 2]), .read("y", [2, 1])),
      ]), "G0 (write cycle)",
      drawing: """
          T1 --ww(x)--> T2 --ww(y)--> T1
          T1 --ww(x)--> T2: T1 appended 1 to x; T2 appended 2 to x, which is later
          T2 --ww(y)--> T1: T2 appended 2 to y; T1 appended 1 to y, which is later
          T1: append 1 to x, append 1 to y
          T2: append 2 to x, append 2 to y
        """)
  }

  @Test func `two transactions that see each other are G1c`() {
    expect(
      History([
        .init(.write("x", 1), .read("y", 2)),
        .init(.write("y", 2), .read("x", 1)),
      ]), "G1c (circular information flow)",
      drawing: """
          T1 --wr(x)--> T2 --wr(y)--> T1
          T1 --wr(x)--> T2: T1 wrote x = 1; T2 read x = 1
          T2 --wr(y)--> T1: T2 wrote y = 2; T1 read y = 2
          T1: write x = 1, read y = 2
          T2: write y = 2, read x = 1
        """)
  }

  @Test func `a reader that sees half a commit is G-single`() {
    expect(
      History([
        .init(.write("x", 1), .write("y", 1)),
        .init(.read("x", 1), .read("y", 0)),
      ]), "G-single (one anti-dependency)",
      drawing: """
          T1 --wr(x)--> T2 --rw(y)--> T1
          T1 --wr(x)--> T2: T1 wrote x = 1; T2 read x = 1
          T2 --rw(y)--> T1: T2 read y = 0; T1 wrote y = 1, which is later
          T1: write x = 1, write y = 1
          T2: read x = 1, read y = 0
        """)
  }

  @Test func `two that replace the same value are a lost update`() {
    expect(
      History([
        .init(.read("x", 0), .write("x", 1)),
        .init(.read("x", 0), .write("x", 2)),
      ]), "lost update",
      drawing: """
          T1 --rw(x)--> T2 --rw(x)--> T1
          T1 --rw(x)--> T2: T1 read x = 0; T2 wrote x = 2, which is later
          T2 --rw(x)--> T1: T2 read x = 0; T1 wrote x = 1, which is later
          T1: read x = 0, write x = 1
          T2: read x = 0, write x = 2
        """)
  }

  @Test func `a lost update is told by the versions, too`() {
    expect(
      History([
        .init(version: 2, .read("x", 0), .write("x", 1)),
        .init(version: 1, .read("x", 0), .write("x", 2), .write("z", 1)),
        .init(version: 3, .read("z", 1)),
      ]), "lost update",
      drawing: """
          T1 --rw(x)--> T2 --ww(x)--> T1
          T1 --rw(x)--> T2: T1 read x = 0; T2 wrote x = 2, which is later
          T2 --ww(x)--> T1: T2 wrote x = 2; T1 wrote x = 1, which is later
          T1: read x = 0, write x = 1 (version 2)
          T2: read x = 0, write x = 2, write z = 1 (version 1)
        """)
  }

  @Test func `an append to a list that another one has extended is a lost update`() {
    let history = History([
      .init(.read("x", [1]), .append("x", 2)),
      .init(.append("x", 1)),
      .init(.read("x", [1]), .append("x", 3)),
      .init(.read("x", [1, 2])),
    ])
    #expect(history.anomalies().map(\.kind) == [.lostUpdate])
    #expect(history.anomalies()[0].transactions == [1, 3])
  }

  @Test func `write skew is G2-item`() {
    expect(
      History([
        .init(.read("x", 0), .write("y", 1)),
        .init(.read("y", 0), .write("x", 1)),
      ]), "G2-item (several anti-dependencies)",
      drawing: """
          T1 --rw(x)--> T2 --rw(y)--> T1
          T1 --rw(x)--> T2: T1 read x = 0; T2 wrote x = 1, which is later
          T2 --rw(y)--> T1: T2 read y = 0; T1 wrote y = 1, which is later
          T1: read x = 0, write y = 1
          T2: read y = 0, write x = 1
        """)
  }

  @Test func `two readers that see two writers in different orders are G2-item`() {
    let history = History([
      .init(.write("x", 1)), .init(.write("y", 1)),
      .init(.read("x", 1), .read("y", 0)), .init(.read("y", 1), .read("x", 0)),
    ])
    #expect(history.anomalies().map(\.kind) == [.g2Item])
    #expect(
      history.anomalies()[0].description.contains(
        "T1 --wr(x)--> T3 --rw(y)--> T2 --wr(y)--> T4 --rw(x)--> T1"))
  }

  @Test func `a process that goes back is a process-order violation`() {
    expect(
      History([
        .init(process: 1, .write("x", 1)),
        .init(process: 2, .read("x", 1)),
        .init(process: 2, .read("x", 0)),
      ]), "process-order violation",
      drawing: """
          T1 --wr(x)--> T2 --process 2--> T3 --rw(x)--> T1
          T1 --wr(x)--> T2: T1 wrote x = 1; T2 read x = 1
          T2 --process 2--> T3: process 2 ran them in this order
          T3 --rw(x)--> T1: T3 read x = 0; T1 wrote x = 1, which is later
          T1: write x = 1 (process 1)
          T2: read x = 1 (process 2)
          T3: read x = 0 (process 2)
        """)
  }
}

// MARK: - Which cycle, and how often

extension CycleAnomalyTests {
  @Test func `of several cycles in one component the shortest is told`() {
    let history = History([
      // A long way round: T1, T2, T3, T4.
      .init(.write("a", 1), .read("d", 4)), .init(.read("a", 1), .write("b", 2)),
      .init(.read("b", 2), .write("c", 3)), .init(.read("c", 3), .write("d", 4)),
      // A short one: T2, T5.
      .init(.read("b", 2), .write("e", 5)), .init(.read("e", 5), .write("f", 6)),
    ])
    var changed = history
    changed.transactions[2].operations.append(.write("g", 7))
    changed.transactions[1].operations.append(.read("g", 7))
    #expect(history.anomalies().map(\.transactions) == [[1, 2, 3, 4]])
    #expect(changed.anomalies().map(\.transactions) == [[2, 3]])
  }

  @Test func `separate cycles are told separately, the strongest first`() {
    let history = History([
      .init(.read("x", 0), .write("y", 1)), .init(.read("y", 0), .write("x", 1)),
      .init(.write("a", 1), .read("b", 2)), .init(.write("b", 2), .read("a", 1)),
      .init(.read("u", 0), .write("u", 1)), .init(.read("u", 0), .write("u", 2)),
    ])
    #expect(history.anomalies().map(\.kind) == [.g1c, .g2Item, .lostUpdate])
  }

  @Test func `a long drawing is broken into lines`() {
    let count = 12
    let history = History(
      (1...count).map { number in
        .init(
          .read("key\((number + count - 2) % count)", 1), .write("key\(number - 1)", 1))
      })
    let lines = history.anomalies()[0].description.split(separator: "\n")
    #expect(lines[0] == "G1c (circular information flow)")
    #expect(lines[1].hasPrefix("  T1 --wr(key0)--> T2"))
    #expect(lines[2].hasPrefix("    --wr(key"))
    #expect(lines.allSatisfy { $0.count <= 100 })
  }

  @Test func `no more anomalies are told than asked for`() {
    let history = History(
      (0..<50).flatMap { number -> [History.Transaction] in
        [
          .init(.write("x\(number)", 1), .write("y\(number)", 1)),
          .init(.read("x\(number)", 1), .read("y\(number)", 0)),
        ]
      })
    #expect(history.anomalies().count == 50)
    #expect(history.anomalies(limit: 7).count == 7)
  }
}
