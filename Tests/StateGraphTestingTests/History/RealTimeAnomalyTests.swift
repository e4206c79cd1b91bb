import StateGraphTesting
import Testing

/// Cycles that need real time.
@Suite struct RealTimeAnomalyTests {
  @Test func `a read that misses a write which had ended is a real-time violation`() {
    expect(
      History([
        .init(time: 1...2, .write("x", 1)),
        .init(time: 3...4, .read("x", 0)),
      ]), "real-time violation",
      drawing: """
          T1 --real time--> T2 --rw(x)--> T1
          T1 --real time--> T2: T1 had ended at 2, T2 began at 3
          T2 --rw(x)--> T1: T2 read x = 0; T1 wrote x = 1, which is later
          T1: write x = 1 (time 1...2)
          T2: read x = 0 (time 3...4)
        """)
  }

  @Test func `a read of a value from the future is a real-time violation`() {
    let history = History([
      .init(time: 1...2, .read("x", 1)), .init(time: 3...4, .write("x", 1)),
    ])
    #expect(history.anomalies().map(\.kind) == [.realTime])
  }

  @Test func `a stale read is found without versions, by the times of others`() {
    expect(
      History([
        .init(time: 1...2, .write("x", 1)),
        .init(time: 3...4, .write("x", 2)),
        .init(time: 5...6, .read("x", 1)),
      ]), "real-time violation",
      drawing: """
          T2 --real time--> T3 --rw(x)--> T2
          T2 --real time--> T3: T2 had ended at 4, T3 began at 5
          T3 --rw(x)--> T2: T3 read x = 1; T2 wrote x = 2, which is later, as T1 had ended at 2 \
        with x = 1, and T2 began at 3 with x = 2
          T2: write x = 2 (time 3...4)
          T3: read x = 1 (time 5...6)
        """)
  }

  @Test func `a value that comes back is found without versions, though its writers overlap`() {
    let history = History([
      .init(time: 1...5, .write("x", 1)), .init(time: 1...5, .write("x", 2)),
      .init(time: 6...7, .read("x", 1)), .init(time: 8...9, .read("x", 2)),
      .init(time: 10...11, .read("x", 1)),
    ])
    #expect(history.anomalies().map(\.kind) == [.realTime])
  }

  @Test func `an append that a later reader misses is a real-time violation`() {
    let history = History([
      .init(time: 1...2, .append("x", 1)), .init(time: 3...4, .append("x", 2)),
      .init(time: 5...6, .read("x", [1])),
    ])
    #expect(history.anomalies().map(\.kind) == [.realTime])
    #expect(history.anomalies()[0].transactions == [2, 3])
  }

  @Test func `a wait that ends with an old value is a real-time violation`() {
    expect(
      History([
        .init(time: 1...2, .write("x", 1)),
        .init(time: 3...4, isWait: true, .read("x", 0)),
      ]), "real-time violation",
      drawing: """
          T1 --real time--> T2 --rw(x)--> T1
          T1 --real time--> T2: T1 had ended at 2, T2 began at 3
          T2 --rw(x)--> T1: T2 read x = 0; T1 wrote x = 1, which is later
          T1: write x = 1 (time 1...2)
          T2: read x = 0 (wait, time 3...4)
        """)
  }
}
