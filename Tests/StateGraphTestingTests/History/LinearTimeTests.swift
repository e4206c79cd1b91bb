import StateGraphTesting
import Testing

/// The work grows with the history and not faster, counted in edges and in steps along them.
@Suite struct LinearTimeTests {
  /// A kind of history, by the number of operations.
  struct Workload: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isValid: Bool
    let make: @Sendable (Int) -> History
  }

  static let workloads = [
    Workload(testDescription: "registers with versions", isValid: true) { count in
      simulated(.init(keyCount: 50, listKeyCount: 0, processCount: 8, versions: 4), count)
    },
    Workload(testDescription: "registers without versions", isValid: true) { count in
      simulated(.init(keyCount: 50, listKeyCount: 0, processCount: 8, versions: 0), count)
    },
    Workload(testDescription: "one register without reads before writes", isValid: true) { count in
      simulated(
        .init(keyCount: 1, listKeyCount: 0, processCount: 8, versions: 0, blindWrites: 4), count)
    },
    Workload(testDescription: "half of all before the other half", isValid: true) { count in
      let half = UInt64(count / 2)
      return History(
        (0..<UInt64(count)).map { number in
          let begin = number < half ? 1 + number : 1 + half + number
          return .init(time: begin...begin + half - 1, .write("x", Int(number) + 1))
        })
    },
    Workload(testDescription: "one transaction after the other", isValid: true) { count in
      History(chain(count))
    },
    Workload(testDescription: "a stale read after everything", isValid: false) { count in
      History(chain(count) + [.init(time: UInt64(count)...UInt64(count), .read("x", 1))])
    },
    Workload(testDescription: "one cycle through everything", isValid: false) { count in
      var transactions = chain(count)
      for number in transactions.indices { transactions[number].begin = 0 }
      transactions[0].operations.append(.read("y", 1))
      transactions[transactions.count - 1].operations.append(.write("y", 1))
      return History(transactions)
    },
    Workload(testDescription: "everybody replaces the first value", isValid: false) { count in
      History((1...count / 2).map { .init(.read("x", 0), .write("x", $0)) })
    },
  ]

  static func simulated(_ options: SimulatedStore.Options, _ count: Int) -> History {
    var store = SimulatedStore(options, using: SeededGenerator(seed: 1))
    // A transaction has 3.4 operations or less.
    return store.history(transactions: count / 3)
  }

  /// Transactions that each replace the value of the one before.
  static func chain(_ count: Int) -> [History.Transaction] {
    (0..<count / 2).map { number in
      let time = UInt64(2 * number + 1)
      return .init(time: time...time, .read("x", number), .write("x", number + 1))
    }
  }

  func check(_ history: History, isValid: Bool) -> HistoryChecker.Statistics {
    let checker = HistoryChecker(history)
    checker.check()
    #expect(checker.anomalies.isEmpty == isValid)
    return checker.statistics
  }

  @Test(arguments: workloads)
  func `ten times the operations are ten times the work`(workload: Workload) {
    let small = check(workload.make(10_000), isValid: workload.isValid)
    let large = check(workload.make(100_000), isValid: workload.isValid)
    #expect(large.vertices <= 11 * small.vertices)
    #expect(large.edges <= 11 * small.edges)
    #expect(large.visits <= 11 * small.visits)
    #expect(large.vertices <= 6 * 100_000)
    #expect(large.edges <= 8 * 100_000)
    #expect(large.visits <= (workload.isValid ? 1 : 10) * 8 * 100_000)
  }

  @Test func `lists cost their lengths`() {
    // 200 lists of up to 50 elements.
    func lists(_ count: Int) -> History {
      let keys = count / 100
      return History(
        (0..<count / 2).map { number in
          let key = "k\(number % keys)"
          let list = (0..<number / keys).map { $0 }
          return .init(.read(key, list), .append(key, list.count))
        })
    }
    let small = check(lists(10_000), isValid: true)
    let large = check(lists(100_000), isValid: true)
    #expect(large.edges <= 11 * small.edges)
    #expect(large.visits <= 11 * small.visits)
  }

  @Test func `a chain of a million operations needs no stack`() {
    _ = check(History(Self.chain(1_000_000)), isValid: true)
  }
}
