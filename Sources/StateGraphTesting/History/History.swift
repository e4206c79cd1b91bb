/// What concurrent tasks did to keys, and what they saw: the input of the checker.
///
/// A history comes from a `HistoryRecorder`, or is written by hand. It has transactions, each with
/// its operations in order, and streams, each with its elements. Two workloads can be mixed, one
/// for each key:
///
/// - A *register* is read and written as a whole. Each write to a key writes another value, so that
///   a read names its writer.
/// - A *list* is read as a whole and appended to. Each append to a key appends another value, so
///   that a read names the whole order of writers.
///
/// ```swift
/// let history = History([
///   .init(.write("x", 1), .write("y", 1)),
///   .init(.read("x", 1), .read("y", 0)),
/// ])
/// print(history.anomalies()[0])    // G-single …: T1 --wr(x)--> T2 --rw(y)--> T1
/// ```
public struct History: Sendable {
  /// The transactions; messages call the first one T1.
  ///
  /// Transactions of one process are in the order in which the process ran them.
  public var transactions: [Transaction]
  /// The streams; messages call the first one S1, and its first element S1#1.
  public var streams: [Stream]
  /// The values that registers had before the first transaction; 0 for those that are not listed.
  ///
  /// A list is empty before the first transaction.
  public var initialValues: [String: Int]

  /// Makes a history.
  ///
  /// - Parameters:
  ///   - transactions: The transactions, those of one process in order.
  ///   - streams: The streams.
  ///   - initialValues: The first values of registers, where they are not 0.
  public init(
    _ transactions: [Transaction], streams: [Stream] = [], initialValues: [String: Int] = [:]
  ) {
    self.transactions = transactions
    self.streams = streams
    self.initialValues = initialValues
  }

  /// Looks for what no strictly serialisable store can have done.
  ///
  /// If the result is empty, there is an order of the committed transactions that explains every
  /// read, and that agrees with the order of commits, with the order within each process, and with
  /// real time: what had ended before something else began comes first. Each stream delivered
  /// values in that order. This holds in full where the order of the values of a key is known: for
  /// lists whose appends have all been read, and for registers whose values all have versions. For
  /// other registers the order is inferred from transactions that read what they replace and from
  /// real time; an anomaly is never reported wrongly then, but one may be missed.
  ///
  /// An anomaly with a cycle is reported once for each smallest part of the history that has it,
  /// under the strongest name and with the shortest cycle; only where thousands of transactions
  /// depend on each other in circles, the search ends before it has tried everything, so that the
  /// cycle may be longer and `g2Item` stand for `gSingle`. The classes are those of A. Adya, "Weak
  /// Consistency: A Generalized Theory and Optimistic Implementations for Distributed
  /// Transactions" (MIT, 1999). The way from observations to dependencies is that of K. Kingsbury
  /// and P. Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations" (VLDB
  /// 2020). The order of a register in real time follows P. Gibbons and E. Korach, "Testing Shared
  /// Memories" (SIAM J. Comput. 26, 1997).
  ///
  /// - Parameters:
  ///   - includingAbortedReads: Whether what aborted transactions read must fit, too (opacity).
  ///   - limit: How many anomalies are described at most.
  /// - Returns: The anomalies, the most direct ones first; empty if there is none.
  /// - Complexity: O(*n* log *n*), where *n* is the number of operations and stream elements plus
  ///   the lengths of the lists that were read; the logarithm is that of sorting. If there are
  ///   cycles, the search for short ones adds a bounded number of steps for each operation.
  public func anomalies(includingAbortedReads: Bool = false, limit: Int = 100) -> [Anomaly] {
    let checker = HistoryChecker(
      self, includesAbortedReads: includingAbortedReads, limit: limit)
    checker.check()
    return checker.anomalies
  }
}
