import StateGraph

/// The search for anomalies in one history.
///
/// Transactions and stream elements, the *operations* of the dependency graph, are its first
/// vertices. Behind them come vertices that only save edges: one for each value of a key ("after
/// it"), one for each end of an operation, and those of `orderInRealTime()`. They are *relays*: a
/// path from one operation to another one through relays is one dependency.
package final class HistoryChecker {
  /// How much was done, to show that it is linear.
  package struct Statistics: Sendable {
    /// The vertices of the dependency graph.
    package var vertices = 0
    /// The edges of the dependency graph.
    package var edges = 0
    /// How often an edge was followed, and how many elements of lists were compared.
    package var visits = 0
  }

  /// That an operation saw a value which another one may have written.
  struct Observation {
    let reader: Int
    let version: Int
  }

  /// That an operation saw a list.
  struct ListRead {
    let reader: Int
    let key: Int
    let list: [Int]
    /// How many elements are there without the reader's own.
    let externalCount: Int
    /// A version of the graph at which the list was like that, if it is known.
    let version: UInt64?
  }

  let history: History
  let includesAbortedReads: Bool
  /// How many anomalies are reported at most.
  let limit: Int
  /// What has been found.
  package internal(set) var anomalies: [Anomaly] = []
  /// How much has been done.
  package internal(set) var statistics = Statistics()

  let index: HistoryIndex
  /// Where the elements of a stream begin among the operations.
  let firstElements: [Int]
  /// When each operation began; 0 if that is not known or means nothing.
  var begins: [UInt64] = []
  /// When each operation had ended; `UInt64.max` if that is not known.
  var ends: [UInt64] = []

  /// The version at which a transaction that wrote nothing read, if it is known.
  var versionsOfReads: [UInt64?] = []
  /// Who saw what.
  var observations: [Observation] = []
  /// The lists that were seen.
  var listReads: [ListRead] = []
  /// Transactions that read a version of a register and replaced it.
  var updates: [(read: Int, written: Int)] = []
  /// The version that a stream element delivered, -1 if there is none.
  var elementVersions: [Int] = []

  /// What is known of the order of versions.
  var order: VersionOrder
  /// The edges of the dependency graph.
  var edges: EdgeList

  /// Prepares a check.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - includesAbortedReads: Whether what aborted transactions read must fit, too.
  ///   - limit: How many anomalies are reported at most.
  package init(_ history: History, includesAbortedReads: Bool = false, limit: Int = 100) {
    self.history = history
    self.includesAbortedReads = includesAbortedReads
    self.limit = limit
    index = HistoryIndex(history, includesAbortedReads: includesAbortedReads)
    var operationCount = history.transactions.count
    firstElements = history.streams.map { stream in
      defer { operationCount += stream.elements.count }
      return operationCount
    }
    order = VersionOrder(versionCount: index.versions.count, keyCount: index.keys.count)
    edges = EdgeList(
      operationCount: operationCount, versionCount: index.versions.count)
    setTimesAndVersions()
  }

  /// Looks for anomalies.
  package func check() {
    reportMalformed()
    replayTransactions()
    replayStreams()
    orderLists()
    orderByRecordedVersions()
    orderRegisters()
    orderInRealTime()
    checkStreams()
    addDependencies()
    reportCycles()
  }

  /// Whether a transaction counts as a reader.
  func isReader(_ transaction: Int) -> Bool {
    index.isEffective[transaction]
      || includesAbortedReads && history.transactions[transaction].outcome == .aborted
  }

  private func setTimesAndVersions() {
    for transaction in history.transactions {
      begins.append(transaction.begin)
      ends.append(transaction.outcome == .unknown ? .max : transaction.end)
      let isReading = transaction.operations.allSatisfy { $0.action == .read }
      versionsOfReads.append(isReading ? transaction.version : nil)
    }
    for stream in history.streams {
      var begin = stream.begin
      for element in stream.elements {
        begins.append(begin)
        ends.append(element.time)
        // The next element may have waited in a buffer since before the last one was taken.
        begin = stream.buffering == .latest && element.time != .max ? element.time : 0
      }
    }
  }

  private func reportMalformed() {
    for (version, transaction) in index.repeatedWrites {
      let writer = index.versions[version].writer
      let first = writer < 0 ? "it is the first value" : "\(name(of: writer)) wrote it"
      report(
        .malformed, [writer, transaction].filter { $0 >= 0 }, about: index.versions[version].key,
        "\(name(of: transaction)) \(wrote(version)), and \(first), too")
    }
    for key in index.mixedKeys.sorted() {
      report(.malformed, [], about: nil, "\(key) is used both as a register and as a list")
    }
  }
}
